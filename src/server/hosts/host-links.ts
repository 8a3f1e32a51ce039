/**
 * The hosts that take orders. Each host keeps an event stream open, on which the server sends the orders. The host answers with an HTTP
 * call. Each server keeps its links in its memory. If a host is connected to another server of the same database, this server has no link
 * to the host.
 */
import type { HostOrder, OrderAnswer } from '../../core/wire/running.ts';
import type { Clock } from '../../platform/clock.ts';
import { MAX_GONE_HOSTS, MAX_HOST_ANSWER_MS } from '../limits.ts';

type Listed = Extract<OrderAnswer, { kind: 'list' }>;

/**
 * @property closedAtMs when the host disconnected; null while the host is connected
 * @property list       the host's last list of what runs there; null: the host sent no list yet
 * @property seenAtMs   when the host last answered in time; before the first such answer: when the host connected
 */
export interface HostLink {
  readonly subjectId: string;
  readonly send: (order: HostOrder) => void;
  closedAtMs: number | null;
  list: Listed | null;
  seenAtMs: number;
}

/** `silent`: the host did not answer in time; `gone`: the host disconnected before it answered. */
export type Answered = OrderAnswer | 'silent' | 'gone';

interface Waiting {
  readonly link: HostLink;
  readonly settle: (answer: Answered) => void;
}

export class HostLinks {
  readonly #clock: Clock;
  readonly #newId: () => string;
  /** The connected hosts in the order in which they connected. */
  readonly #open = new Set<HostLink>();
  /** The last link of each host that is not connected now, by subject. At most `MAX_GONE_HOSTS` links. */
  readonly #gone = new Map<string, HostLink>();
  readonly #waiting = new Map<string, Waiting>();

  constructor(clock: Clock, newId: () => string) {
    this.#clock = clock;
    this.#newId = newId;
  }

  /** Adds a link. A requester can have several open links. */
  open(subjectId: string, send: (order: HostOrder) => void): HostLink {
    const link: HostLink = { subjectId, send, closedAtMs: null, list: null, seenAtMs: this.#clock.nowMs() };
    this.#open.add(link);
    this.#gone.delete(subjectId);
    return link;
  }

  /** Removes a link. `ask` resolves with `gone` for each order that this link has not answered. */
  close(link: HostLink): void {
    link.closedAtMs = this.#clock.nowMs();
    this.#open.delete(link);
    for (const { link: asked, settle } of [...this.#waiting.values()]) if (asked === link) settle('gone');
    if (this.of(link.subjectId).length > 0) return;
    this.#gone.set(link.subjectId, link);
    const [oldest] = this.#gone.keys();
    if (this.#gone.size > MAX_GONE_HOSTS && oldest !== undefined) this.#gone.delete(oldest);
  }

  /** The open links first, then the last links of hosts that disconnected. */
  get all(): readonly HostLink[] {
    return [...this.#open, ...this.#gone.values()];
  }

  /** Returns the links of this requester that are open now; empty if the requester's host is not connected. */
  of(subjectId: string): readonly HostLink[] {
    return [...this.#open].filter((link) => link.subjectId === subjectId);
  }

  /** Sends an order. Resolves with the answer, with `silent` after `timeoutMs`, or with `gone` if the link is closed first. Never rejects. */
  ask(link: HostLink, { does, target }: Omit<HostOrder, 'id'>, timeoutMs = MAX_HOST_ANSWER_MS): Promise<Answered> {
    const id = this.#newId();
    return new Promise((resolve) => {
      const settle = (answer: Answered): void => {
        clearTimeout(deadline);
        this.#waiting.delete(id);
        resolve(answer);
      };
      const deadline = setTimeout(() => settle('silent'), timeoutMs);
      this.#waiting.set(id, { link, settle });
      link.send({ id, does, target });
    });
  }

  /** Takes a host's answer to an order. Returns false in two cases: `ask` has stopped waiting, or the order went to another host. */
  take(subjectId: string, orderId: string, answer: OrderAnswer): boolean {
    const waiting = this.#waiting.get(orderId);
    if (waiting?.link.subjectId !== subjectId) return false;
    waiting.link.seenAtMs = this.#clock.nowMs();
    if (answer.kind === 'list') waiting.link.list = answer;
    waiting.settle(answer);
    return true;
  }
}
