/** Answers the requests about messages and signals on the socket of a session. */

import { type Failure, failure } from '../../core/failure.ts';
import { acceptName, acceptPrompt } from '../../core/harness/hook-events.ts';
import { readReport } from '../../core/harness/hook-report.ts';
import { MAY_OPEN_A_DIALOG } from '../../core/message/activity.ts';
import type { SendMode } from '../../core/message/send-guard.ts';
import { type SendReport, type SendWay, sendReport } from '../../core/message/send-outcome.ts';
import { messageFault } from '../../core/message/sent-text.ts';
import { ACTIVITY_STATES, type ActivitySignal, type ActivityState } from '../../core/message/session-view.ts';
import { failed, type Result, success } from '../../core/result.ts';
import { isStopped, readProcess } from '../hold/processes.ts';
import type { LiveSession } from '../host/live-session.ts';
import { sendGuarded } from './guarded-send.ts';
import { lookAt, sendTargetOf, watchForDialog } from './session-target.ts';
import { typeLine } from './typed-line.ts';
import { Writer } from './writer.ts';

type Params = Readonly<Record<string, unknown>>;

/** The longest wait, one day. A longer one is a mistake of the caller. */
const MAX_WAIT_IDLE_MS = 86_400_000;

const writers = new WeakMap<LiveSession, Writer>();

/** Returns the one writer of a session, and makes it at the first call. */
export function writerOf(session: LiveSession): Writer {
  const existing = writers.get(session);
  if (existing !== undefined) return existing;
  const writer = new Writer();
  writers.set(session, writer);
  return writer;
}

/**
 * Answers with a SendReport; fails if a param is bad. Params: `text`; `waitIdleMs` (absent: 0; at most one day); `via` (`api` or `keys`;
 * absent: the host chooses). A message to an agent is cancelled if the caller disconnects before a byte of it was written. If the caller
 * disconnects later, or if the message is a line for a shell without an agent, the host sends the message as if the caller still waited.
 */
export const answerSend =
  (mode: SendMode) =>
  async (session: LiveSession, params: Params, gone: AbortSignal): Promise<Result<SendReport, Failure>> => {
    const { text, waitIdleMs = 0, via } = params;
    if (typeof text !== 'string') return failed(failure('usage', 'a message is a text', undefined, 'MESSAGE_REQUIRED'));
    if (!isWait(waitIdleMs)) return failed(failure('usage', 'waitIdleMs is no time in milliseconds'));
    if (session.isEnded) return success(sendReport('terminated', 'the session has ended'));
    if (via !== undefined && !isWay(via)) return failed(failure('usage', 'via is api or keys'));
    if (isLeaderStopped(session)) return success(sendReport('busy', 'it is stopped: perhaps an approver holds it'));
    await lookAt(session);
    const harness = session.activity.known;
    const fault = messageFault(text, harness?.commandLeads);
    if (fault !== null) return failed(failure('usage', fault.message, undefined, fault.code));
    const isAgent = harness !== null && session.activity.activity.state !== 'exited';
    if (session.kind === 'shell' && !isAgent) return success(await typeLine(session, writerOf(session), text, mode));
    if (harness === null) return success(sendReport('unknown', 'it is not known what program this is'));
    const options = { mode, waitIdleMs, cancelled: gone, ...(via === undefined ? {} : { via }) };
    return success(await sendGuarded(sendTargetOf(session, harness), writerOf(session), text, options));
  };

function isLeaderStopped({ leaderPid }: LiveSession): boolean {
  const leader = leaderPid === null ? null : readProcess(leaderPid);
  return leader !== null && isStopped(leader);
}

const isWay = (value: unknown): value is SendWay => value === 'api' || value === 'keys';

const isWait = (value: unknown): value is number =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 && value <= MAX_WAIT_IDLE_MS;

/**
 * Answers a hook's signal. Params: `harness`, and the fields of an ActivitySignal. The session takes the signal at once. While a key of
 * ours is on its way to the program, the answer is delayed for at most 1.5 s (`Writer.hold`): the harness opens a dialog only after the
 * answer, so the key does not get into the dialog. A signal of another harness than the session's is ignored, and answered at once.
 */
export async function answerSignal(session: LiveSession, params: Params): Promise<Result<null, Failure>> {
  const signal = readSignal(params);
  const harness = params['harness'];
  if (signal === null || typeof harness !== 'string') return failed(failure('usage', 'no signal'));
  return takeSignal(session, harness, signal);
}

/**
 * Does what `answerSignal` does, for the unparsed input of a hook. Params: `harness`; `event` (null: `fields` names the event); `fields`, the
 * JSON of the hook. An event without a rule in the table of the harness is ignored.
 */
export async function answerReport(session: LiveSession, params: Params): Promise<Result<null, Failure>> {
  const { harness, event = null, fields } = params;
  if (typeof harness !== 'string' || (event !== null && typeof event !== 'string'))
    return failed(failure('usage', 'no report'));
  const report = readReport(harness, event, fields);
  if (!report.ok) return failed(failure('usage', report.failure.message));
  const { signal } = report.value;
  return signal === null ? success(null) : takeSignal(session, report.value.harness, signal);
}

async function takeSignal(
  session: LiveSession,
  harness: string,
  signal: ActivitySignal,
): Promise<Result<null, Failure>> {
  if (!session.activity.claim(harness)) return success(null);
  session.takeSignal(signal);
  if (signal.state === 'blocked') watchForDialog(session);
  await writerOf(session).whenReleased(signal.event !== null && MAY_OPEN_A_DIALOG.has(signal.event));
  return success(null);
}

const STATES: ReadonlySet<unknown> = new Set(ACTIVITY_STATES);

/** Returns null if the params are not a signal. In the signal, a text that is longer than its limit is null. */
function readSignal(params: Params): ActivitySignal | null {
  const { state = null } = params;
  if (state !== null && !STATES.has(state)) return null;
  const name = (key: string): string | null => {
    const value = params[key];
    return acceptName(typeof value === 'string' ? value : null);
  };
  const { promptText } = params;
  return {
    state: state as ActivityState | null,
    event: name('event'),
    toolName: name('toolName'),
    toolUseId: name('toolUseId'),
    promptText: acceptPrompt(typeof promptText === 'string' ? promptText : null),
    agentId: name('agentId'),
  };
}
