/** Keeps what was read of the line of a grant. A request, its host facts and the rules of a running server never change. */
export class KeptReadings<T> {
  readonly #most: number;
  readonly #read = new Map<string, T>();

  /** @param most how many are kept; with one more, all are forgotten */
  constructor(most: number) {
    this.#most = most;
  }

  async of(grantId: string, read: () => Promise<T>): Promise<T> {
    const known = this.#read.get(grantId);
    if (known !== undefined) return known;
    const made = await read();
    if (this.#read.size >= this.#most) this.#read.clear();
    this.#read.set(grantId, made);
    return made;
  }
}
