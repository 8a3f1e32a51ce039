/**
 * Caches the grants that this process has read or used, to save a read. A cached grant can be out of date. So the SQL statement that
 * counts the uses checks the grants again. Other uses of a grant do not matter. If a grant has changed in another way, the statement counts
 * no uses.
 */
import type { Grant } from '../core/grant/grant.ts';
import { requestKey, type SameRequest } from './standing-uses.ts';
import type { EventMark } from './store.ts';

/** The maximum number of remembered requests. With more, the least recently used request is forgotten. */
const MAX_REQUESTS = 5_000;

/** In UTF-16 code units. A request with a longer text is not remembered, to limit the memory. */
const MAX_TEXT = 4_096;

/**
 * The state of the database at which the remembered grants were read.
 * @property after             as in `StandingQuestion`
 * @property approversSequence as in `StandingFacts`
 */
export interface ReadWith {
  readonly after: EventMark;
  readonly approversSequence: number;
}

const isSameMark = (one: EventMark, other: EventMark): boolean => one.seq === other.seq && one.atMs === other.atMs;

export class RememberedGrants {
  readonly #most: number;
  readonly #byRequest = new Map<string, readonly Grant[]>();
  #with: ReadWith = { after: { seq: -1, atMs: 0 }, approversSequence: 0 };

  constructor(most = MAX_REQUESTS) {
    this.#most = most;
  }

  /** The sequence number of the list of approvers that was the newest when the grants were read. */
  get approversSequence(): number {
    return this.#with.approversSequence;
  }

  /**
   * Returns the grants for all these requests. Returns null if one of the requests is not remembered, or if the remembered grants were
   * read with another mark than `after` (see `StandingQuestion`). This method does not notice a newer list of approvers: the statement
   * that counts the uses compares `approversSequence`.
   */
  of(requests: readonly SameRequest[], after: EventMark): readonly Grant[] | null {
    if (!isSameMark(after, this.#with.after)) return null;
    const found: Grant[] = [];
    for (const request of requests) {
      const grants = this.#byRequest.get(requestKey(request));
      if (grants === undefined) return null;
      found.push(...grants);
    }
    return found;
  }

  /**
   * Remembers the grants that were read for these requests. Does not remember a request that has no grant, or whose text is longer than
   * `MAX_TEXT`. Forgets all other grants if they were read with another mark or another list of approvers.
   * @param grants all grants that were read for these requests
   */
  read(requests: readonly SameRequest[], grants: readonly Grant[], readWith: ReadWith): void {
    const { after, approversSequence } = this.#with;
    if (!isSameMark(after, readWith.after) || approversSequence !== readWith.approversSequence) this.#byRequest.clear();
    this.#with = readWith;
    this.forget(requests);
    const read = new Map<string, readonly Grant[]>();
    for (const grant of grants) read.set(requestKey(grant), [...(read.get(requestKey(grant)) ?? []), grant]);
    for (const [name, those] of read)
      if (those.every(({ request }) => request.text.length <= MAX_TEXT)) this.#put(name, those);
  }

  /** Remembers the grant as it is after a use. Does nothing if the request of the grant is not remembered. */
  used(grant: Grant): void {
    const name = requestKey(grant);
    const those = this.#byRequest.get(name);
    if (those === undefined) return;
    this.#byRequest.delete(name); // so that `#put` adds the name as the newest one
    this.#put(
      name,
      those.map((each) => (each.id === grant.id ? grant : each)),
    );
  }

  forget(requests: readonly SameRequest[]): void {
    for (const request of requests) this.#byRequest.delete(requestKey(request));
  }

  #put(name: string, grants: readonly Grant[]): void {
    this.#byRequest.set(name, grants);
    for (const oldest of this.#byRequest.keys()) {
      if (this.#byRequest.size <= this.#most) break;
      this.#byRequest.delete(oldest);
    }
  }
}
