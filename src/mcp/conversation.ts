/** The interfaces that the code of a tool gets: the installation and, during a call, the client. */
import type { Failure } from '../core/failure.ts';
import type { Result } from '../core/result.ts';
import type { Settings } from '../core/settings.ts';
import type { Gate } from '../gate/authorize.ts';

/**
 * @property dist        the directory of this package's built files
 * @property environment the environment with which this server was started, as bytes
 * @property openSettings reads the settings. A tool reads the settings in every call, because a person can correct the settings while this
 *                        server runs
 * @property openGate    opens the gate, in every call that needs the gate
 * @property noteStarted  records the process of a command that runs under a grant, so that an approver can hold the command. Records
 *                        nothing if `grantId` is null (no grant was needed). Must not reject: the caller does not wait for the record
 */
export interface Workplace {
  readonly dist: string;
  readonly environment: ReadonlyMap<string, Buffer>;
  readonly openSettings: () => Promise<Result<Settings, Failure>>;
  readonly openGate: () => Promise<Result<Gate, Failure>>;
  readonly noteStarted: (grantId: string | null, pid: number) => Promise<void>;
}

/**
 * How the person answered when the client offered the page of a grant. None of these answers is a decision about the grant.
 * - `opened`:     agreed to open the page
 * - `declined`:   refused to open the page
 * - `dismissed`:  closed the offer without a choice
 * - `unanswered`: the client sent no valid answer before the offer was taken back
 */
export type PageAnswer = 'opened' | 'declined' | 'dismissed' | 'unanswered';

/** @property id identifies the offer, also in the later notification that the offer is over */
export interface PageOffer {
  readonly id: string;
  readonly url: string;
  readonly message: string;
}

/**
 * @property cancelled aborted when the client cancels the call or disconnects
 * @property progress  notifies the client that the call has been in progress for `elapsedMs`. The progress number of each notification is
 *                     greater than the number before, as MCP demands
 * @property offerPage asks the person at the client to open a page (URL elicitation); null if the client does not support this. Aborting
 *                     `over` takes the offer back. Never rejects: a malformed answer counts as `unanswered`
 */
export interface Conversation {
  readonly cancelled: AbortSignal;
  readonly progress: (elapsedMs: number, message: string) => void;
  readonly offerPage: ((offer: PageOffer, over: AbortSignal) => Promise<PageAnswer>) | null;
}

/**
 * A tool's answer. The text and the structure are each complete, because some clients show a model only one of them.
 * @property text      the answer for people and models
 * @property structure the same facts for programs; if the text says more, the member `message` repeats the text
 * @property isError   whether the tool failed: the command did not run to its end, or the tool could not answer the question
 */
export interface ToolAnswer {
  readonly text: string;
  readonly structure: Readonly<Record<string, unknown>>;
  readonly isError: boolean;
}
