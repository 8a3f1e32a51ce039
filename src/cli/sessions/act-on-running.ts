/** Holds, continues or ends one session, or the programs under one grant, on any host. Lists what runs. Uses the owner key. */
import type { Failure } from '../../core/failure.ts';
import { type Result, success } from '../../core/result.ts';
import type { RunningAct } from '../../core/running.ts';
import { visibleLine } from '../../core/text/visible-text.ts';
import type { Acted, RunningHost } from '../../core/wire/running.ts';
import { fetchGrant, type GrantClient } from '../../grants/client.ts';
import { withGrantId } from '../../grants/grant-id.ts';
import { actOnRunning, fetchRunning, findRunningSession } from '../../grants/running.ts';
import type { CliContext } from '../context.ts';
import { answering, type Ending } from '../ending.ts';
import { orFailing, withClient } from '../opened.ts';

const DONE: Readonly<Record<RunningAct, string>> = { hold: 'held', continue: 'goes on', kill: 'ended' };

/** @param idOrName the id of a session, a prefix of the id, or the session's name; fails if no session or several sessions match */
export const actOnSession = (context: CliContext, idOrName: string, act: RunningAct): Promise<Ending> =>
  asOwner(context, act, async (client) => {
    const found = await findRunningSession(client, idOrName);
    return found.ok ? actOnRunning(client, found.value.requesterId, found.value.id, act) : found;
  });

/** @param given the id of a grant, or a prefix of the id; fails if no grant or several grants match */
export const actOnGrant = (context: CliContext, given: string, act: RunningAct): Promise<Ending> =>
  asOwner(context, act, (client) =>
    withGrantId(client, given, async (id) => {
      const grant = await fetchGrant(client, id);
      return grant.ok ? actOnRunning(client, grant.value.requesterId, id, act) : grant;
    }),
  );

/** Lists what runs on each host that is connected to the server. For a host that has disconnected, lists what its last report said. */
export const showRunning = (context: CliContext): Promise<Ending> =>
  orFailing(
    withClient(context, 'owner', async (client) => {
      const hosts = await fetchRunning(client);
      return hosts.ok
        ? success(answering(hosts.value, hosts.value.map(hostText).join('') || 'no host is connected\n'))
        : hosts;
    }),
  );

const HOST_STATE: Readonly<Record<RunningHost['state'], string>> = {
  here: '',
  slow: ' (does not answer)',
  gone: ' (not connected)',
};

function hostText({ name, user, host, state, sessions, commands }: RunningHost): string {
  const line = (id: string, heldSinceMs: number | null, text: string) =>
    `  ${id}  ${heldSinceMs === null ? 'running' : 'held   '}  ${visibleLine(text)}\n`;
  const rows = [
    ...sessions.map((each) => line(each.id, each.heldSinceMs, each.name ?? each.program.join(' '))),
    ...commands.map((each) => line(each.grantId, each.heldSinceMs, each.text ?? '-')),
  ];
  return `${visibleLine(name)}, ${visibleLine(user)} on ${visibleLine(host)}${HOST_STATE[state]}\n${rows.join('') || '  nothing runs\n'}`;
}

const asOwner = (
  context: CliContext,
  act: RunningAct,
  work: (client: GrantClient) => Promise<Result<Acted, Failure>>,
): Promise<Ending> =>
  orFailing(
    withClient(context, 'owner', async (client) => {
      const acted = await work(client);
      return acted.ok ? success(answering(acted.value, actedText(act, acted.value))) : acted;
    }),
  );

function actedText(act: RunningAct, { processes, notHeld }: Acted): string {
  const others = notHeld.map(({ pid, name, why }) => `  not ${visibleLine(name)} (${pid}): ${visibleLine(why)}\n`);
  return `${DONE[act]}: ${processes} ${processes === 1 ? 'process' : 'processes'}\n${others.join('')}`;
}
