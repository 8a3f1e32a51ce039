/**
 * Gives each progress notification of a call a number. The protocol demands that these numbers increase. First the gate sends progress,
 * then the server. But the server begins with low numbers again.
 */
import type { JsonRecord, RpcId } from '../../rpc/messages.ts';

/** The most tokens whose numbers are kept. A client has far fewer calls at a time. */
const MAX_TOKENS = 1_000;

export class ProgressNumbers {
  /** The last number that the gate sent, by token. */
  readonly #last = new Map<string, number>();

  /** Returns the number for the next notification of the gate. */
  next(token: RpcId, elapsedMs: number): number {
    const key = String(token);
    const number = Math.max((this.#last.get(key) ?? -1) + 1, Math.round(elapsedMs / 1000));
    this.#last.delete(key); // so that the token is the newest
    this.#last.set(key, number);
    const [oldest] = this.#last.keys();
    if (this.#last.size > MAX_TOKENS && oldest !== undefined) this.#last.delete(oldest);
    return number;
  }

  /** Forgets the last number of an earlier call with this token. */
  begin(token: RpcId): void {
    this.#last.delete(String(token));
  }

  /** Raises the server's progress numbers above those of the gate. Returns `params` unchanged if the gate sent no number for the token. */
  raised(params: JsonRecord | null): JsonRecord | null {
    const { progressToken: token, progress, total } = params ?? {};
    const last = typeof token === 'string' || typeof token === 'number' ? this.#last.get(String(token)) : undefined;
    if (last === undefined || typeof progress !== 'number') return params;
    const above = last + 1;
    return { ...params, progress: progress + above, ...(typeof total === 'number' ? { total: total + above } : {}) };
  }
}
