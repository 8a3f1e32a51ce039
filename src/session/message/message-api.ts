/** The agent's own API for messages, beside its terminal. */

/**
 * How it ended to hand a message over.
 * - `taken`:             the agent's API accepted the message
 * - `untaken`:           the API certainly did not: it got no request, or it refused
 * - `awaiting-decision`: the API certainly did not, because a decision of a human is open in the agent
 * - `lost`:              it is unknown whether the message arrived; it must not be sent again in any way
 */
export type HandOver =
  | { readonly kind: 'taken' }
  | { readonly kind: 'untaken'; readonly why: string }
  | { readonly kind: 'awaiting-decision'; readonly why: string }
  | { readonly kind: 'lost'; readonly why: string };

/**
 * @property status   the mode and model that the agent's window shows for a typed prompt; or null
 * @property hasDraft whether a person's half-typed line is in the agent's editor
 */
export interface ApiMessage {
  readonly text: string;
  readonly status: string | null;
  readonly hasDraft: boolean;
}

export interface MessageApi {
  /** The harness that has this API. */
  readonly harness: string;
  /** Sends the message before it returns its promise: nothing may be awaited between the guard's yes and the sending. */
  handOver(message: ApiMessage): Promise<HandOver>;
}
