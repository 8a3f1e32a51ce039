/** Keeps what an agent said about its tool calls. A later request for permission contains only the changed members of a call. */
import { isJsonRecord, type JsonRecord } from '../rpc/messages.ts';

/** The most characters of JSON, for all kept calls together. Above this limit, `take` removes the calls with the oldest updates. */
const MAX_KEPT_CHARACTERS = 32 * 1024 * 1024;
const ENDED: ReadonlySet<unknown> = new Set(['completed', 'failed']);

interface KnownCall {
  readonly fields: JsonRecord;
  readonly size: number;
}

export class ToolCalls {
  readonly #known = new Map<string, KnownCall>();
  #size = 0;

  /** Keeps the members of a tool call. Forgets the call if it has ended. @param params the `params` of a `session/update` */
  take(params: JsonRecord | null): void {
    const update = params?.['update'];
    if (!isJsonRecord(update) || !['tool_call', 'tool_call_update'].includes(String(update['sessionUpdate']))) return;
    const key = keyOf(params?.['sessionId'], update['toolCallId']);
    if (key === null) return;
    const before = update['sessionUpdate'] === 'tool_call' ? null : (this.#known.get(key)?.fields ?? null);
    this.#forget(key);
    if (ENDED.has(update['status'])) return;
    const fields = merged(before, update);
    const size = JSON.stringify(fields).length;
    this.#known.set(key, { fields, size });
    this.#size += size;
    for (const oldest of this.#known.keys()) {
      if (this.#size <= MAX_KEPT_CHARACTERS) break;
      this.#forget(oldest);
    }
  }

  #forget(key: string): void {
    this.#size -= this.#known.get(key)?.size ?? 0;
    this.#known.delete(key);
  }

  /** Whether the members of this call are kept. An ended call and a removed call (`MAX_KEPT_CHARACTERS`) are not kept. */
  isKnown(sessionId: string, toolCallId: string): boolean {
    return this.#known.has(JSON.stringify([sessionId, toolCallId]));
  }

  /** Returns the kept members of this call and the members of `now`. See `merged` for a member that both have. */
  withKnownMembers(sessionId: string, now: JsonRecord): JsonRecord {
    const key = keyOf(sessionId, now['toolCallId']);
    return merged(key === null ? null : (this.#known.get(key)?.fields ?? null), now);
  }
}

function keyOf(sessionId: unknown, toolCallId: unknown): string | null {
  return typeof sessionId === 'string' && typeof toolCallId === 'string'
    ? JSON.stringify([sessionId, toolCallId])
    : null;
}

/** Merges both objects. A member of `now` replaces the same member of `before`, unless the member of `now` is null or undefined. */
const merged = (before: JsonRecord | null, now: JsonRecord): JsonRecord => ({
  ...before,
  ...Object.fromEntries(Object.entries(now).filter(([, value]) => value !== null && value !== undefined)),
});
