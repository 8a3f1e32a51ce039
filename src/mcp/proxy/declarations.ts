/** How the server declared its tools to the client: a digest of each, by the last list that the client got. */
import { canonicalJson } from '../../core/grant/canonical-json.ts';
import { sha256Hex } from '../../platform/digest.ts';
import { isJsonRecord, type JsonRecord } from './messages.ts';

export class Declarations {
  readonly #digests = new Map<string, string>();

  /** @param isFirst whether it is the first page of a list, which begins it anew */
  take(result: unknown, isFirst: boolean): void {
    if (isFirst) this.#digests.clear();
    const tools = isJsonRecord(result) && Array.isArray(result['tools']) ? result['tools'] : [];
    for (const tool of tools) if (isJsonRecord(tool)) this.#put(tool);
  }

  /** A name that is declared twice has a digest of both: neither alone is what the model was told. */
  #put(tool: JsonRecord): void {
    const { name } = tool;
    if (typeof name !== 'string') return;
    const digest = sha256Hex(canonicalJson(tool) ?? 'too deep');
    const known = this.#digests.get(name);
    this.#digests.set(name, known === undefined ? digest : sha256Hex(`${known} ${digest}`));
  }

  /** Null: it was not declared. */
  digestOf(tool: string): string | null {
    return this.#digests.get(tool) ?? null;
  }

  /** Of all together; null before the client has asked. */
  get digest(): string | null {
    return this.#digests.size === 0 ? null : sha256Hex(JSON.stringify([...this.#digests].sort()));
  }
}
