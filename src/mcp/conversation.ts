/** What a tool has to work with: the installation, and the client on the other side while the call lasts. */
import type { Failure } from '../core/failure.ts';
import type { Result } from '../core/result.ts';
import type { Settings } from '../core/settings.ts';
import type { Gate } from '../gate/authorize.ts';

/**
 * @property dist        this package's built files
 * @property environment the variables this server was started with, as bytes
 * @property openSettings read anew for every call: what is broken may be mended while the server runs
 */
export interface Workplace {
  readonly dist: string;
  readonly environment: ReadonlyMap<string, Buffer>;
  readonly openSettings: () => Promise<Result<Settings, Failure>>;
  readonly openGate: () => Promise<Result<Gate, Failure>>;
}

/** What the person did with the page that was offered. None of these is a decision about the grant. */
export type PageAnswer = 'opened' | 'declined' | 'dismissed' | 'unanswered';

/** @property id the same id for the offer and for the notice that it is settled */
export interface PageOffer {
  readonly id: string;
  readonly url: string;
  readonly message: string;
}

/**
 * @property cancelled aborted when the client cancels the call or goes away
 * @property progress  tells the client that the call lives; `elapsedMs` only grows
 * @property offerPage asks the person at the client to open a page (URL elicitation); null where the client cannot.
 *                     `over` takes the offer back. Never fails: a client that answers badly has not answered.
 */
export interface Conversation {
  readonly cancelled: AbortSignal;
  readonly progress: (elapsedMs: number, message: string) => void;
  readonly offerPage: ((offer: PageOffer, over: AbortSignal) => Promise<PageAnswer>) | null;
}

/**
 * A tool's answer, complete twice: some clients show a model only the text, others only the structure.
 * @property text      for people and models
 * @property structure the same facts for programs; `message` in it repeats the text where the text says more than the facts
 * @property isError   the command did not run to its end
 */
export interface ToolAnswer {
  readonly text: string;
  readonly structure: Readonly<Record<string, unknown>>;
  readonly isError: boolean;
}
