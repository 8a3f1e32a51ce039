/**
 * Keeps a value that was computed from the line of a grant. A kept value stays right, because a request, its host facts and the rule files
 * of a running server never change.
 */
export class KeptReadings<T> {
  readonly #most: number;
  readonly #read = new Map<string, T>();

  /** @param most the most values that are kept; before one more is added, all are forgotten */
  constructor(most: number) {
    this.#most = most;
  }

  /** Returns the kept value, or calls `read` and keeps its value. Nothing is kept if `read` rejects or returns undefined. */
  async of(grantId: string, read: () => Promise<T>): Promise<T> {
    const known = this.#read.get(grantId);
    if (known !== undefined) return known;
    const made = await read();
    if (this.#read.size >= this.#most) this.#read.clear();
    this.#read.set(grantId, made);
    return made;
  }
}
