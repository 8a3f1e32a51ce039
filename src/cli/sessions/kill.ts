/**
 * `apes sessions kill ID`: ends a session of this host. With an owner key on this host, the verb can also end a session of another host,
 * and all processes of a held session.
 */

import type { Failure } from '../../core/failure.ts';
import { findSession, openSession } from '../../session/client/find-session.ts';
import { heldSince } from '../../session/hold/kept-holds.ts';
import type { SessionEnding } from '../../session/host/live-session.ts';
import { sessionDirectory } from '../../session/registry.ts';
import type { CliContext } from '../context.ts';
import { answering, type Ending, failing } from '../ending.ts';
import { endingWith } from '../opened.ts';
import { actOnSession } from './act-on-running.ts';
import { visitor } from './session-screen.ts';
import { endingText } from './session-text.ts';

/** @param id the id or name of a session, or the beginning of an id or name */
export const killSession = (context: CliContext, id: string): Promise<Ending> =>
  endingWith(context, async ({ paths }) => {
    const directory = sessionDirectory(paths);
    const endedByHost = await endHeld(context, paths.run, directory, id);
    if (endedByHost !== null) return endedByHost;
    const client = await openSession(directory, id);
    if (!client.ok)
      return client.failure.detail === 'session.not-found'
        ? endElsewhere(context, id, client.failure)
        : failing(client.failure);
    const ended = await client.value.ask('kill', { by: visitor() });
    client.value.close();
    if (!ended.ok) return failing(ended.failure);
    const ending = ended.value as SessionEnding;
    const { entry } = client.value;
    return answering(
      { id: entry.id, name: entry.name, ...ending },
      `${entry.name ?? entry.id} ${endingText(ending)}\n`,
    );
  });

/** Ends a session of another host. Fails with `notHere` if this host has no owner key, or if no session matches there either. */
async function endElsewhere(context: CliContext, id: string, notHere: Failure): Promise<Ending> {
  const ended = await actOnSession(context, id, 'kill');
  const isUnknown =
    ended.kind === 'failure' &&
    (ended.failure.code === 'configuration' || ended.failure.detail === 'session.not-found');
  return isUnknown ? failing(notHere) : ended;
}

/**
 * Lets the host agent end a held session and all its processes, even processes that have left the session's terminal. Returns null if no
 * held session is found, or if the session cannot be ended (for example, because this host has no owner key).
 */
async function endHeld(
  context: CliContext,
  runDirectory: string,
  sessions: string,
  idOrName: string,
): Promise<Ending | null> {
  const entry = await findSession(sessions, idOrName);
  if (!entry.ok || heldSince(runDirectory, entry.value.id) === null) return null;
  const ended = await actOnSession(context, entry.value.id, 'kill');
  return ended.kind === 'failure' ? null : ended;
}
