/**
 * Grants as this process has last read or used them. What is remembered may be out of date, so it only saves a read: the write that
 * follows names the version of each grant, and does nothing if one is not current.
 */
import type { Grant } from '../core/grant/grant.ts';
import type { SameRequest } from './standing-uses.ts';

/** The number of requests whose grants are remembered. The one that was used longest ago is forgotten first. */
const MAX_REQUESTS = 5_000;

/** Grants with a longer text are read each time, so that the memory has a limit. In UTF-16 code units. */
const MAX_TEXT = 4_096;

const nameOf = ({ requesterId, fingerprint }: SameRequest): string => `${requesterId}/${fingerprint}`;

export class RememberedGrants {
  readonly #most: number;
  readonly #byRequest = new Map<string, readonly Grant[]>();
  #afterSeq = -1;

  constructor(most = MAX_REQUESTS) {
    this.#most = most;
  }

  /** Returns the grants for all these requests; null if those of one request are not remembered. @param afterSeq as in `StandingQuestion` */
  of(requests: readonly SameRequest[], afterSeq: number): readonly Grant[] | null {
    if (afterSeq !== this.#afterSeq) return null;
    const found: Grant[] = [];
    for (const request of requests) {
      const grants = this.#byRequest.get(nameOf(request));
      if (grants === undefined) return null;
      found.push(...grants);
    }
    return found;
  }

  /**
   * Remembers what was read for these requests. Not for a request without a grant, and not for one with a sealed grant, because its permit
   * also names the newest list of approvers. After another `afterSeq`, all that was read before is forgotten.
   */
  read(requests: readonly SameRequest[], grants: readonly Grant[], afterSeq: number): void {
    if (afterSeq !== this.#afterSeq) this.#byRequest.clear();
    this.#afterSeq = afterSeq;
    this.forget(requests);
    const read = new Map<string, readonly Grant[]>();
    for (const grant of grants) read.set(nameOf(grant), [...(read.get(nameOf(grant)) ?? []), grant]);
    for (const [name, those] of read)
      if (those.every(({ sealed, request }) => sealed === undefined && request.text.length <= MAX_TEXT))
        this.#put(name, those);
  }

  /** Remembers the grant as it is after its use, if its request is remembered. */
  used(grant: Grant): void {
    const name = nameOf(grant);
    const those = this.#byRequest.get(name);
    if (those === undefined) return;
    this.#byRequest.delete(name); // the newest name of a Map is its last one
    this.#put(
      name,
      those.map((each) => (each.id === grant.id ? grant : each)),
    );
  }

  forget(requests: readonly SameRequest[]): void {
    for (const request of requests) this.#byRequest.delete(nameOf(request));
  }

  #put(name: string, grants: readonly Grant[]): void {
    this.#byRequest.set(name, grants);
    for (const oldest of this.#byRequest.keys()) {
      if (this.#byRequest.size <= this.#most) break;
      this.#byRequest.delete(oldest);
    }
  }
}
