/**
 * Gives names to statements. A connection to PostgreSQL keeps the plan of a named statement. For most of our statements, parsing and
 * planning takes longer than running.
 */
import { createHash } from 'node:crypto';

/** At this number of names, `of` gives no new name. Searches have many different texts, and each connection keeps a plan for each name. */
const MAX_NAMES = 256;

/** `of` remembers at most this many texts after their first use. At the limit, it forgets all these texts. */
const MAX_TEXTS = 1_024;

/**
 * Makes the name from the text alone, so that all processes use one name for the same text. A transaction pooler can lend one connection
 * to several processes. PostgreSQL can then refuse the name as taken, but never runs another text under this name.
 */
const nameOf = (text: string): string => `ape_${createHash('sha256').update(text).digest('hex').slice(0, 24)}`;

export class StatementNames {
  readonly #most: number;
  readonly #byText = new Map<string, string>();
  readonly #seen = new Set<string>();

  constructor(most = MAX_NAMES) {
    this.#most = most;
  }

  /** Gives the statement a name at once, even above the limit. Call this only for the few texts in our source. */
  always(text: string): void {
    if (!this.#byText.has(text)) this.#byText.set(text, nameOf(text));
  }

  /**
   * Returns the name of a statement; undefined: the statement has no name. A text gets a name at its second use, if there are fewer names
   * than the limit. A text without parameters, such as `begin`, gets no name: the simple query protocol sends this text in one message.
   */
  of(text: string, parameters: readonly unknown[]): string | undefined {
    const name = this.#byText.get(text);
    if (name !== undefined || parameters.length === 0 || this.#byText.size >= this.#most) return name;
    if (this.#seen.delete(text)) {
      this.always(text);
      return this.#byText.get(text);
    }
    if (this.#seen.size >= MAX_TEXTS) this.#seen.clear();
    this.#seen.add(text);
    return undefined;
  }
}
