/** `apes sessions list`: the sessions of this user on this host. */
import { systemClock } from '../../platform/clock.ts';
import { type ListedSession, listSessions } from '../../session/client/find-session.ts';
import { sessionDirectory } from '../../session/registry.ts';
import type { CliContext } from '../context.ts';
import { answering, type Ending, failing } from '../ending.ts';
import { endingWith } from '../opened.ts';
import { sessionTable } from './session-text.ts';

export const showSessions = (context: CliContext): Promise<Ending> =>
  endingWith(context, async ({ paths }) => {
    const listed = await listSessions(sessionDirectory(paths));
    if (!listed.ok) return failing(listed.failure);
    return answering(listed.value.map(sessionJson), sessionTable(listed.value, systemClock.nowMs(), context.paint));
  });

/** A session in `--json`: its registry entry without the socket, and its SessionView if the session's host answers. */
export const sessionJson = ({ entry, view, heldSinceMs }: ListedSession) => {
  const { socket: _, ...known } = entry;
  return { ...known, ...view, isAnswering: view !== null, heldSinceMs };
};
