/** Makes the answers to orders: the list of sessions and commands on this host, and the screen of a session. */
import type { ScreenView } from '../../core/message/session-view.ts';
import { failed, type Result, success } from '../../core/result.ts';
import { MAX_RUNNING_COMMANDS, MAX_RUNNING_SESSIONS } from '../../core/running.ts';
import type { OrderAnswer, RunningCommand, RunningSession } from '../../core/wire/running.ts';
import { type ListedSession, listSessions, openSession } from '../client/find-session.ts';
import type { ProcessHold } from '../hold/process-hold.ts';
import type { StartedCommand } from '../hold/running-commands.ts';

/** How long to wait for the answer of one session. An answer normally takes milliseconds. */
const MAX_WAIT_MS = 700;
/** The longest text that the wire format allows. */
const MAX_LENGTH = 4_096;
const MAX_WORDS = 64;

const cut = (text: string): string => text.slice(0, MAX_LENGTH);
type Holds = ReadonlyMap<string, ProcessHold>;

/**
 * Returns two lists. The list `sessions` has the sessions, the oldest first. The list `commands` has an entry for each grant under which
 * commands run. Each list ends with its orphaned holds (`OrphanedHold`). If a list is too long for the wire format, its first entries are
 * left out. The answer is of the kind `failed` if the records of the sessions cannot be read.
 * @param directory the directory with the records of the sessions
 */
export async function runningList(
  directory: string,
  started: readonly StartedCommand[],
  holds: Holds,
): Promise<OrderAnswer> {
  const listed = await listSessions(directory, MAX_WAIT_MS);
  if (!listed.ok) return { kind: 'failed', why: 'unable', message: cut(listed.failure.message) };
  const running = listed.value.filter(({ entry }) => entry.ended === null);
  const sessions = running.map((target) => runningSession(target, holds));
  const commands = runningCommands(started, holds);
  const shown = new Set([...sessions.map(({ id }) => id), ...commands.map(({ grantId }) => grantId)]);
  const orphaned = [...holds].filter(([target]) => !shown.has(target));
  return {
    kind: 'list',
    sessions: [...sessions, ...orphaned.filter(isSession).map(orphanedSession)].slice(-MAX_RUNNING_SESSIONS),
    commands: [...commands, ...orphaned.filter((target) => !isSession(target)).map(orphanedCommand)].slice(
      -MAX_RUNNING_COMMANDS,
    ),
  };
}

/** A held session or grant whose first process has ended. The other processes are still stopped, and can be continued or killed. */
type OrphanedHold = readonly [target: string, hold: ProcessHold];
const isSession = ([target]: OrphanedHold): boolean => target.startsWith('s_');

const orphanedSession = ([id, { sinceMs }]: OrphanedHold): RunningSession => ({
  id,
  name: null,
  kind: 'program',
  startedAtMs: sinceMs,
  program: [],
  cwd: '',
  state: 'exited',
  title: '',
  idleMs: 0,
  pendingGrant: null,
  heldSinceMs: sinceMs,
  isAnswering: false,
});

const orphanedCommand = ([grantId, { sinceMs, members }]: OrphanedHold): RunningCommand => ({
  grantId,
  processes: members.length,
  startedAtMs: sinceMs,
  heldSinceMs: sinceMs,
});

function runningSession({ entry, view }: ListedSession, holds: Holds): RunningSession {
  const { id, name, kind, startedAtMs } = entry;
  return {
    id,
    name,
    kind,
    startedAtMs,
    program: (view?.program ?? entry.program).slice(0, MAX_WORDS).map(cut),
    cwd: cut(view?.cwd ?? entry.cwd),
    state: view?.state ?? null,
    title: cut(view?.title ?? ''),
    idleMs: Math.round(view?.idleMs ?? 0),
    pendingGrant: view?.pendingGrant ?? null,
    heldSinceMs: holds.get(id)?.sinceMs ?? null,
    isAnswering: view !== null,
  };
}

function runningCommands(started: readonly StartedCommand[], holds: Holds): readonly RunningCommand[] {
  const byGrant = new Map<string, StartedCommand[]>();
  for (const command of started) byGrant.set(command.grantId, [...(byGrant.get(command.grantId) ?? []), command]);
  return [...byGrant].map(([grantId, all]) => ({
    grantId,
    processes: all.length,
    startedAtMs: Math.min(...all.map(({ startedAtMs }) => startedAtMs)),
    heldSinceMs: holds.get(grantId)?.sinceMs ?? null,
  }));
}

/** Returns the screen of a session. The answer is of the kind `failed` if the session has ended, or does not answer in time. */
export async function screenText(directory: string, id: string): Promise<OrderAnswer> {
  const asked = await askSession(directory, id, 'screen');
  if (!asked.ok) return asked.failure;
  const { columns, rows, lines, title, cursor } = asked.value as ScreenView;
  const { row, column, isVisible } = cursor;
  const screen = { columns, rows, lines: lines.map(cut), title: cut(title), cursor: { row, column, isVisible } };
  return { kind: 'screen', screen };
}

/**
 * Sends one request to a session of this installation, and returns the value in the session's reply. Fails if there is no such value.
 * Callers return the failure as the answer to the order.
 * @param id see `word` of `openSession`
 */
export async function askSession(
  directory: string,
  id: string,
  request: string,
): Promise<Result<unknown, OrderAnswer>> {
  const client = await openSession(directory, id);
  if (!client.ok) return failed(failureOf(client.failure.detail, client.failure.message));
  const answered = await client.value.ask(request, {}, MAX_WAIT_MS);
  client.value.close();
  return answered.ok ? success(answered.value) : failed(failureOf(answered.failure.detail, answered.failure.message));
}

function failureOf(detail: string | undefined, message: string): OrderAnswer {
  const isGone = detail === 'session.not-found' || detail === 'session.ended';
  return { kind: 'failed', why: isGone ? 'not-here' : 'silent', message: cut(message) };
}
