/** The agent's own API for messages, beside its terminal. */

/**
 * How handing a message over ended.
 * - `taken`:             the agent's API accepted it
 * - `untaken`:           it certainly did not: it got no request, or it refused
 * - `awaiting-decision`: it certainly did not, because a decision of a human is open there
 * - `lost`:              it is unknown whether the message arrived; it must not be sent again in any way
 */
export type HandOver =
  | { readonly kind: 'taken' }
  | { readonly kind: 'untaken'; readonly why: string }
  | { readonly kind: 'awaiting-decision'; readonly why: string }
  | { readonly kind: 'lost'; readonly why: string };

/**
 * @property status   the mode and model, as the agent's window shows them, for a prompt typed there; or null
 * @property hasDraft whether a person's half-typed line is in its editor
 */
export interface ApiMessage {
  readonly text: string;
  readonly status: string | null;
  readonly hasDraft: boolean;
}

export interface MessageApi {
  /** The harness that has this API. */
  readonly harness: string;
  /** Has sent the message when it returns: nothing may be awaited between the guard's yes and that. */
  handOver(message: ApiMessage): Promise<HandOver>;
}
