/** Keeps digests of the tool declarations that the client got from the server. */
import { randomBytes } from 'node:crypto';
import { canonicalJson } from '../../core/grant/canonical-json.ts';
import { sha256Hex } from '../../platform/digest.ts';
import { isJsonRecord, type JsonRecord } from '../../rpc/messages.ts';

export class Declarations {
  readonly #digests = new Map<string, string>();
  readonly #unreadable = new Set<string>();

  /**
   * Replaces all digests by the digests of the first page of a new list.
   * @param result the result of `tools/list`; a value that is not a list of tools changes nothing
   */
  replace(result: unknown): void {
    if (toolsOf(result) === null) return;
    this.#digests.clear();
    this.#unreadable.clear();
    this.add(result);
  }

  /**
   * Adds the digests of a further page.
   * @param result as for `replace`
   */
  add(result: unknown): void {
    for (const tool of toolsOf(result) ?? []) if (isJsonRecord(tool)) this.#put(tool);
  }

  /**
   * If a name is declared twice, the model gets both declarations. So the name's digest covers both declarations. A declaration that
   * `canonicalJson` cannot write gets a random digest. So no earlier approval is valid for a list that contains such a declaration.
   */
  #put(tool: JsonRecord): void {
    const { name } = tool;
    if (typeof name !== 'string') return;
    const text = canonicalJson(tool);
    if (text === null) this.#unreadable.add(name);
    const digest = sha256Hex(text ?? randomBytes(32));
    const known = this.#digests.get(name);
    this.#digests.set(name, known === undefined ? digest : sha256Hex(`${known} ${digest}`));
  }

  /** Whether `canonicalJson` cannot write a declaration of the tool. Causes are deep nesting, or a number that is too large. */
  isUnreadable(tool: string): boolean {
    return this.#unreadable.has(tool);
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

const toolsOf = (result: unknown): readonly unknown[] | null =>
  isJsonRecord(result) && Array.isArray(result['tools']) ? result['tools'] : null;
