/**
 * Lists all sessions. Finds one session by its id, by its name, or by the beginning of its id or name. The host of a session is the process
 * that has the session's terminal and listens on the session's socket.
 */
import { dirname } from 'node:path';
import { type Failure, failure } from '../../core/failure.ts';
import type { SessionView } from '../../core/message/session-view.ts';
import { failed, type Result, success } from '../../core/result.ts';
import { heldSince } from '../hold/kept-holds.ts';
import { readEntries, removeEntry, type SessionEntry } from '../registry.ts';
import { connectSession, type SessionClient } from './client.ts';

/**
 * @property view        null if the session has ended, or its host does not answer
 * @property heldSinceMs when an approver's hold of the session began (Unix ms); null: the session is not held, or has ended
 */
export interface ListedSession {
  readonly entry: SessionEntry;
  readonly view: SessionView | null;
  readonly heldSinceMs: number | null;
}

/** How long to wait for the answer of one host. Even a busy host answers within this time. */
const LIST_TIMEOUT_MS = 3_000;

/**
 * Lists every session on record, the oldest first. Removes the record of a session whose host was killed. Fails as `readEntries` does.
 * @param timeoutMs how long to wait for the answer of each connected host. A session without an answer is listed without a view
 */
export async function listSessions(
  directory: string,
  timeoutMs = LIST_TIMEOUT_MS,
): Promise<Result<readonly ListedSession[], Failure>> {
  const entries = readEntries(directory);
  if (!entries.ok) return entries;
  const listed = await Promise.all(entries.value.map((entry) => describe(directory, entry, timeoutMs)));
  return success(listed.filter((session) => session !== null));
}

/**
 * Opens a connection to the session that `findSession` finds.
 * Fails with the detail `session.not-found`, `session.ambiguous` or `session.ended`. If the host does not answer, the detail is
 * `session.silent` or the system's error code. If the directory cannot be read or is not private to us, the failure (78) has no detail.
 * Removes the record of the session if its host was killed.
 */
export async function openSession(directory: string, word: string): Promise<Result<SessionClient, Failure>> {
  const entry = await findSession(directory, word);
  if (!entry.ok) return entry;
  if (entry.value.ended !== null) return failed(endedFailure(entry.value));
  const client = await connectSession(entry.value);
  if (client.ok) return client;
  return removeIfStale(directory, entry.value, client.failure) ? openSession(directory, word) : failed(client.failure);
}

/**
 * Finds the session that `word` names: by the whole id or name, else by a prefix. A prefix of an id may leave out the `s_`.
 * - A running session wins over an ended session. If only ended sessions match, the one that was started last wins.
 * - If several running sessions match, connects to their hosts, and removes the record of each session whose host was killed.
 * - A single running match is not checked: the host of this session may be gone.
 *
 * Fails with the detail `session.not-found` or `session.ambiguous`, or as `readEntries` does.
 */
export async function findSession(directory: string, word: string): Promise<Result<SessionEntry, Failure>> {
  const entries = readEntries(directory);
  if (!entries.ok) return entries;
  const exact = (entry: SessionEntry): boolean => entry.id === word || entry.name === word;
  const begins = (entry: SessionEntry): boolean =>
    entry.id.startsWith(word) || entry.id.startsWith(`s_${word}`) || entry.name?.startsWith(word) === true;
  for (const fits of [exact, begins]) {
    const found = word === '' ? [] : entries.value.filter(fits);
    const running = found.filter((entry) => entry.ended === null);
    const chosen = running.length > 0 ? await withoutStale(directory, running) : [];
    const remaining = chosen.length > 0 ? chosen : found.filter((entry) => entry.ended !== null).slice(-1);
    if (remaining.length > 1) return failed(ambiguous(word, remaining));
    if (remaining[0] !== undefined) return success(remaining[0]);
  }
  return failed(notFound(word));
}

/** Leaves out the sessions whose host is gone, and removes their records. A single session is not checked. */
async function withoutStale(directory: string, entries: readonly SessionEntry[]): Promise<readonly SessionEntry[]> {
  if (entries.length === 1) return entries;
  const alive = await Promise.all(entries.map(async (entry) => ((await describe(directory, entry)) ? entry : null)));
  return alive.filter((entry) => entry !== null);
}

/** Returns null, and removes the record, if the host of the session is gone. */
async function describe(
  directory: string,
  entry: SessionEntry,
  timeoutMs = LIST_TIMEOUT_MS,
): Promise<ListedSession | null> {
  if (entry.ended !== null) return { entry, view: null, heldSinceMs: null };
  const heldSinceMs = heldSince(dirname(directory), entry.id);
  const client = await connectSession(entry);
  if (!client.ok) return removeIfStale(directory, entry, client.failure) ? null : { entry, view: null, heldSinceMs };
  const view = await client.value.ask('describe', {}, timeoutMs);
  client.value.close();
  return { entry, view: view.ok ? (view.value as SessionView) : null, heldSinceMs };
}

/**
 * If no process listens on the session's socket any more, removes the record and returns true. In that case, the host was killed before the
 * host could record the end of the session.
 * @param why the failure of the connection
 */
function removeIfStale(directory: string, entry: SessionEntry, why: Failure): boolean {
  const isGone = why.detail === 'ENOENT' || (why.detail === 'ECONNREFUSED' && !mayListen(entry.pid));
  if (isGone) removeEntry(directory, entry);
  return isGone;
}

/**
 * Whether the host may still listen after ECONNREFUSED. Systems other than Linux also refuse a connection if too many connections wait for
 * the listener.
 */
function mayListen(pid: number): boolean {
  if (process.platform === 'linux') return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

const notFound = (word: string): Failure =>
  failure('usage', `there is no session ${JSON.stringify(word)}`, 'see apes sessions list', 'session.not-found');

const ambiguous = (word: string, entries: readonly SessionEntry[]): Failure =>
  failure(
    'usage',
    `${JSON.stringify(word)} may be ${entries.map((entry) => entry.name ?? entry.id).join(' or ')}`,
    'write more of the id or name',
    'session.ambiguous',
  );

function endedFailure(entry: SessionEntry): Failure {
  const { status, signal } = entry.ended ?? { status: 0, signal: 0 };
  const how = signal === 0 ? `with status ${status}` : `by signal ${signal}`;
  return failure('unavailable', `session ${entry.name ?? entry.id} ended ${how}`, undefined, 'session.ended');
}
