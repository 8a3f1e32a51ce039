/** A map from keys to sets of items. If the set of a key becomes empty, the map removes the key. */
export class Postings<K, T> {
  readonly #lists = new Map<K, Set<T>>();

  get isEmpty(): boolean {
    return this.#lists.size === 0;
  }

  /** Returns the set itself. Later calls of `add` and `remove` change this set. */
  get(key: K): ReadonlySet<T> | undefined {
    return this.#lists.get(key);
  }

  add(key: K, item: T): void {
    const list = this.#lists.get(key);
    if (list === undefined) this.#lists.set(key, new Set([item]));
    else list.add(item);
  }

  remove(key: K, item: T): void {
    const list = this.#lists.get(key);
    list?.delete(item);
    if (list?.size === 0) this.#lists.delete(key);
  }

  addTo(found: Set<T>, key: K): void {
    for (const item of this.#lists.get(key) ?? []) found.add(item);
  }
}
