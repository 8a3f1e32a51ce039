/** Records in this host's journal who attached to, left or killed a session. Each event is one entry. */
import { userInfo } from 'node:os';
import type { Journal } from '../../audit/journal.ts';
import { type Failure, failure } from '../../core/failure.ts';

/**
 * What a client of a session says about itself. These values are not verified; the kernel has confirmed only the client's user.
 * @property pid      the client's process id; null: not given
 * @property terminal path of the client's terminal; null: not given
 */
export interface Visitor {
  readonly pid: number | null;
  readonly terminal: string | null;
}

type VisitEvent = 'session.attached' | 'session.left' | 'session.killed';

/** Returns null if the entry is written, else the failure (exit status 74). */
export type RecordVisit = (event: VisitEvent, visitor: Visitor) => Failure | null;

/**
 * Writes synchronously. Keystrokes can arrive together with the request to attach. The session's host must pass them on only after the entry
 * exists.
 */
export const recordVisits =
  (facts: { readonly id: string; readonly name: string | null }, journal: () => Journal | null): RecordVisit =>
  (event, { pid, terminal }) => {
    const open = journal();
    if (open === null) return failure('audit', 'the audit record cannot be opened', 'see apes health');
    return open({ event, sessionId: facts.id, name: facts.name, user: userName(), by: { pid, terminal } });
  };

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? ''); // The user database has no entry for this user.
  }
}

const MAX_TERMINAL_LENGTH = 128;

/** Reads the visitor from a request's params; a value that is missing or invalid becomes null. */
export function visitorOf(params: Readonly<Record<string, unknown>>): Visitor {
  const by = params['by'];
  const { pid, terminal } = typeof by === 'object' && by !== null ? (by as Record<string, unknown>) : {};
  return {
    pid: Number.isSafeInteger(pid) ? (pid as number) : null,
    terminal: typeof terminal === 'string' && terminal.length <= MAX_TERMINAL_LENGTH ? terminal : null,
  };
}
