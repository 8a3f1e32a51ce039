/** The agent's own API for messages: an alternative to typing into the agent's terminal. */

/**
 * The outcome of handing over a message.
 * - `taken`:             the agent's API accepted the message
 * - `untaken`:           the API certainly did not accept the message: the request did not arrive, or the API refused it
 * - `awaiting-decision`: the API certainly did not accept the message, because the agent waits for a decision of a human
 * - `lost`:              it is unknown whether the message arrived; the caller must not send the message again, not even by typing it
 */
export type HandOver =
  | { readonly kind: 'taken' }
  | { readonly kind: 'untaken'; readonly why: string }
  | { readonly kind: 'awaiting-decision'; readonly why: string }
  | { readonly kind: 'lost'; readonly why: string };

/**
 * @property status   the mode and model that a typed prompt would use, read from the agent's window; null: not known
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
  /**
   * Must send the message synchronously: the send guard's permission ends at the caller's next `await`. The promise never rejects.
   */
  handOver(message: ApiMessage): Promise<HandOver>;
}
