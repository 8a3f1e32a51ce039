/** What the code of a tool gets: the installation, and for the time of the call the client. */
import type { Failure } from '../core/failure.ts';
import type { Result } from '../core/result.ts';
import type { Settings } from '../core/settings.ts';
import type { Gate } from '../gate/authorize.ts';

/**
 * @property dist        this package's built files
 * @property environment the variables this server was started with, as bytes
 * @property openSettings reads the settings; called for every call, because a fault may be repaired while the server runs
 * @property noteStarted  records a process that runs under a grant, so that an approver can hold it
 */
export interface Workplace {
  readonly dist: string;
  readonly environment: ReadonlyMap<string, Buffer>;
  readonly openSettings: () => Promise<Result<Settings, Failure>>;
  readonly openGate: () => Promise<Result<Gate, Failure>>;
  readonly noteStarted: (grantId: string | null, pid: number) => Promise<void>;
}

/** What the person did with the page that the client offered. None of these is a decision about the grant. */
export type PageAnswer = 'opened' | 'declined' | 'dismissed' | 'unanswered';

/** @property id names the offer, also in the later notification that it is over */
export interface PageOffer {
  readonly id: string;
  readonly url: string;
  readonly message: string;
}

/**
 * @property cancelled aborted when the client cancels the call or goes away
 * @property progress  tells the client that the call is still under way; `elapsedMs` only grows
 * @property offerPage asks the person at the client to open a page (URL elicitation); null if the client cannot.
 *                     `over` takes the offer back. Never fails: a malformed answer counts as `unanswered`.
 */
export interface Conversation {
  readonly cancelled: AbortSignal;
  readonly progress: (elapsedMs: number, message: string) => void;
  readonly offerPage: ((offer: PageOffer, over: AbortSignal) => Promise<PageAnswer>) | null;
}

/**
 * A tool's answer. Both text and structure are complete, because some clients show a model only one of them.
 * @property text      for people and models
 * @property structure the same facts for programs; if the text says more, `message` in it repeats the text
 * @property isError   the command did not run to its end
 */
export interface ToolAnswer {
  readonly text: string;
  readonly structure: Readonly<Record<string, unknown>>;
  readonly isError: boolean;
}
