/** The agent's own way to be given a message, beside its terminal. */

/**
 * How handing a message over ended.
 * - `taken`:             the agent's API accepted it
 * - `untaken`:           it certainly did not: nothing was asked of it, or it said no
 * - `awaiting-decision`: it certainly did not, since a decision of a human is open there
 * - `lost`:              it is not known whether it arrived; it must not be sent again, in any way
 */
export type HandOver =
  | { readonly kind: 'taken' }
  | { readonly kind: 'untaken'; readonly why: string }
  | { readonly kind: 'awaiting-decision'; readonly why: string }
  | { readonly kind: 'lost'; readonly why: string };

/**
 * @property status   what the agent's window says of the mode and the model that a prompt typed there would go to, or null
 * @property hasDraft a person's half-typed line stands in its editor
 */
export interface ApiMessage {
  readonly text: string;
  readonly status: string | null;
  readonly hasDraft: boolean;
}

export interface MessageApi {
  /** Whose it is. */
  readonly harness: string;
  /** The message is on its way when this returns: between the guard's yes and that, nothing is awaited. */
  handOver(message: ApiMessage): Promise<HandOver>;
}
