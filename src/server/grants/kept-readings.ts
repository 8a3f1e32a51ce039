/**
 * Keeps for each grant a value that was read from the grant's line. A kept value stays right: a request, its host facts and the rule files
 * of a running server never change.
 */
export class KeptReadings<T> {
  readonly #most: number;
  readonly #read = new Map<string, T>();

  /** @param most the limit of kept values. At the limit, `of` removes all values before it adds the next value. */
  constructor(most: number) {
    this.#most = most;
  }

  /** Returns the kept value. Without a kept value, calls `read`, and keeps the result unless `read` rejects or returns undefined. */
  async of(grantId: string, read: () => Promise<T>): Promise<T> {
    const known = this.#read.get(grantId);
    if (known !== undefined) return known;
    const made = await read();
    if (this.#read.size >= this.#most) this.#read.clear();
    this.#read.set(grantId, made);
    return made;
  }
}
