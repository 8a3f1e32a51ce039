/** Handles two kinds of requests on a session's socket: sending a message, and reporting a signal of a hook. */

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

/** One day. A longer wait is a mistake of the caller. */
const MAX_WAIT_IDLE_MS = 86_400_000;

const writers = new WeakMap<LiveSession, Writer>();

/** Returns the only writer of the session. The first call makes the writer. */
export function writerOf(session: LiveSession): Writer {
  const existing = writers.get(session);
  if (existing !== undefined) return existing;
  const writer = new Writer();
  writers.set(session, writer);
  return writer;
}

/**
 * Sends a message, and returns the report. Fails if a param is bad, or if the text cannot be sent (`messageFault`).
 * - `text`: the message
 * - `waitIdleMs`: how long to wait for an idle agent, at most one day; absent: 0
 * - `via`: `api` or `keys`; absent: the host chooses
 *
 * If the caller disconnects before the first byte is written, the host cancels a message to an agent. After the first byte, a disconnection
 * changes nothing. The host never cancels a line for a shell without an agent.
 */
export const answerSend =
  (mode: SendMode) =>
  async (session: LiveSession, params: Params, gone: AbortSignal): Promise<Result<SendReport, Failure>> => {
    const { text, waitIdleMs = 0, via } = params;
    if (typeof text !== 'string')
      return failed(failure('usage', 'a message must be a text', undefined, 'MESSAGE_REQUIRED'));
    if (!isWait(waitIdleMs)) return failed(failure('usage', 'waitIdleMs must be milliseconds, at most one day'));
    if (session.isEnded) return success(sendReport('terminated', 'the session has ended'));
    if (via !== undefined && !isWay(via)) return failed(failure('usage', 'via must be api or keys'));
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
 * Passes a hook's signal to the session. Params: `harness`, and the fields of an ActivitySignal. The session takes the signal at once. The
 * response waits while the host writes keys to the program, for at most 1.5 s (`Writer.hold`). The harness opens a dialog only after the
 * response, so no key gets into the dialog. If the session has another harness, ignores the signal without a delay.
 */
export async function answerSignal(session: LiveSession, params: Params): Promise<Result<null, Failure>> {
  const signal = readSignal(params);
  const harness = params['harness'];
  if (signal === null || typeof harness !== 'string') return failed(failure('usage', 'no signal'));
  return takeSignal(session, harness, signal);
}

/**
 * Like `answerSignal`, but parses the input of the hook. Params: `harness`; `fields`, the JSON that the hook got; `event`, null or absent
 * if `fields` names the event. Ignores an event that has no rule in the harness's table.
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

/**
 * Returns null if `state` is unknown. Every other member is null if its param is absent, not a text, empty or too long. Only an empty
 * `promptText` stays empty.
 */
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
