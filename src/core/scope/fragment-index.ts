/**
 * An index of patterns with stars. The index finds a pattern by a fragment: three adjacent characters of the pattern. Each text that the
 * pattern matches contains this fragment.
 */
import { Postings } from './postings.ts';
import type { Stars } from './stars.ts';

/** The key of patterns that have stars, but no fragment. Every search finds these patterns. */
const ALWAYS = -1;

export class FragmentIndex<T> {
  readonly #byFragment = new Postings<number, T>();
  readonly #whole = new Postings<string, T>();
  readonly #where = new Map<T, number | string>();

  /**
   * Adds the pattern of an item. The key is the rarest fragment; for a pattern without a star, the key is the whole text. An item has
   * only one pattern: call `remove` before the next `insert` of the same item.
   */
  insert(stars: Stars, item: T): void {
    const [only = '', ...others] = stars;
    const where = others.length === 0 ? only : this.#rarest(stars);
    this.#where.set(item, where);
    if (typeof where === 'string') this.#whole.add(where, item);
    else this.#byFragment.add(where, item);
  }

  remove(item: T): void {
    const where = this.#where.get(item);
    this.#where.delete(item);
    if (typeof where === 'string') this.#whole.remove(where, item);
    else if (where !== undefined) this.#byFragment.remove(where, item);
  }

  /** Returns the pattern's fragment that is the key of the fewest other patterns; `ALWAYS` if the pattern has no fragment. */
  #rarest(stars: Stars): number {
    let best = ALWAYS;
    let fewest = Number.POSITIVE_INFINITY;
    for (const literal of stars)
      for (let at = 0; at + 3 <= literal.length; at += 1) {
        const fragment = fragmentAt(literal, at);
        const count = this.#byFragment.get(fragment)?.size ?? 0;
        if (count < fewest) [best, fewest] = [fragment, count];
      }
    return best;
  }

  /** Adds to `found` each item whose pattern matches one of the texts. May also add items whose pattern matches no text. */
  find(found: Set<T>, texts: readonly string[]): void {
    this.#byFragment.addTo(found, ALWAYS);
    for (const text of texts) {
      this.#whole.addTo(found, text);
      for (let at = 0; at + 3 <= text.length; at += 1) this.#byFragment.addTo(found, fragmentAt(text, at));
    }
  }
}

/** Returns a hash of three characters. If two fragments have the same hash, a search finds too many patterns, but misses no pattern. */
const fragmentAt = (text: string, at: number): number =>
  ((text.charCodeAt(at) * 961 + text.charCodeAt(at + 1)) * 31 + text.charCodeAt(at + 2)) & 0xfffff;
