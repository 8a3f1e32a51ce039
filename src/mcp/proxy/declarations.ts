/** Keeps digests of the declarations of the server's tools, from the last list that the client got. */
import { canonicalJson } from '../../core/grant/canonical-json.ts';
import { sha256Hex } from '../../platform/digest.ts';
import { isJsonRecord, type JsonRecord } from './messages.ts';

export class Declarations {
  readonly #digests = new Map<string, string>();

  /** @param isFirst whether `result` is the first page of a list; if so, all earlier digests are removed */
  take(result: unknown, isFirst: boolean): void {
    if (isFirst) this.#digests.clear();
    const tools = isJsonRecord(result) && Array.isArray(result['tools']) ? result['tools'] : [];
    for (const tool of tools) if (isJsonRecord(tool)) this.#put(tool);
  }

  /**
   * If a name is declared twice, its digest covers both declarations, because the model got both. All declarations that are too deep for
   * `canonicalJson`, or contain a number that is too large for it, have the same digest.
   */
  #put(tool: JsonRecord): void {
    const { name } = tool;
    if (typeof name !== 'string') return;
    const digest = sha256Hex(canonicalJson(tool) ?? 'too deep');
    const known = this.#digests.get(name);
    this.#digests.set(name, known === undefined ? digest : sha256Hex(`${known} ${digest}`));
  }

  /** Returns the digest of this tool's declaration; null if the tool was not declared. */
  digestOf(tool: string): string | null {
    return this.#digests.get(tool) ?? null;
  }

  /** One digest of all declarations; null if the client has got no declaration. */
  get digest(): string | null {
    return this.#digests.size === 0 ? null : sha256Hex(JSON.stringify([...this.#digests].sort()));
  }
}
