/**
 * `apes owner requesters`: lists the requesters of this installation's server, or asks one requester for a new key. Uses the server's
 * database.
 */

import { twinsOf } from '../../core/people/requester-twins.ts';
import { failed, success } from '../../core/result.ts';
import { visibleLine } from '../../core/text/visible-text.ts';
import { systemClock } from '../../platform/clock.ts';
import type { RequesterView } from '../../web/cards/requester-card.ts';
import type { CliContext } from '../context.ts';
import { answering, type Ending, failing } from '../ending.ts';
import { withOwnDatabase } from '../server/own-server.ts';
import { day } from './devices-here.ts';
import { ownPublicKey } from './enrol-here.ts';

/** Loads the code of the server only when a verb needs this code. */
const administration = () => import('../../server/identity/people-administration.ts');

export async function requestersList(context: CliContext): Promise<Ending> {
  const found = await withOwnDatabase(context, async (store, installation) => {
    const serverKey = await ownPublicKey(installation);
    return serverKey.ok ? (await administration()).readRequesters(store, serverKey.value ?? '') : serverKey;
  });
  if (!found.ok) return failing(found.failure);
  const requesters = found.value;
  return answering(
    { requesters },
    requesters.length === 0
      ? 'no host is enrolled yet\n'
      : requesters.map((each) => requesterText(each, requesters)).join(''),
  );
}

function requesterText(requester: RequesterView, all: readonly RequesterView[]): string {
  const { id, name, host, user, revokedAtMs, pause, keyCode, keySinceMs, keyAskedAtMs } = requester;
  const who = `${id}  ${visibleLine(name)} (${visibleLine(user)} on ${visibleLine(host)})`;
  if (revokedAtMs !== null) return `${who}, revoked ${day(revokedAtMs)}\n`;
  const since = keySinceMs === null ? '' : ` since ${day(keySinceMs)}`;
  const asked = keyAskedAtMs === null ? '' : ', asked for a new key';
  const twins = twinsOf(requester, all).flatMap((other) => (other.id === id ? [] : [other.id]));
  const alike = twins.length === 0 ? '' : `; of the same name, or host and user: ${twins.join(', ')}`;
  return `${who}, key ${keyCode}${since}${pause === null ? '' : ', paused'}${asked}${alike}\n`;
}

/** @param text the name or the whole id of a requester */
export async function requesterRotate(context: CliContext, text: string): Promise<Ending> {
  const asked = await withOwnDatabase(context, async (store) => {
    const { askRequesterForKey, requesterIds } = await administration();
    const ids = await requesterIds(store, [text]);
    if (!ids.ok) return ids;
    const [requesterId = ''] = ids.value;
    const done = await askRequesterForKey(store, requesterId, { nowMs: systemClock.nowMs() });
    return done.ok ? success({ requesterId }) : failed(done.failure);
  });
  if (!asked.ok) return failing(asked.failure);
  return answering(asked.value, `asked; the host of ${visibleLine(text)} makes a new key at its next connection\n`);
}
