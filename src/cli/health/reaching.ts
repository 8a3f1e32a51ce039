/**
 * The checks of `apes health` about notifications: the channels of approvers, and whether a phone can reach the server.
 */
import { isIP } from 'node:net';
import type { Failure } from '../../core/failure.ts';
import { type Result, success } from '../../core/result.ts';
import type { Installation } from '../../platform/installation.ts';
import type { ListedChannel } from '../../server/notifications/notification-administration.ts';
import { withLocalDatabase } from '../server/local-database.ts';
import { findLocalServer, type ServerRecord } from '../server/local-server.ts';
import { ok, type Told, warn } from './check.ts';

interface Seen {
  readonly record: ServerRecord;
  readonly channels: readonly ListedChannel[];
}

/** Reads the database once for both checks. Returns null if no server of this installation runs here. */
export async function lookAtReach({ paths, settings }: Installation): Promise<Result<Seen | null, Failure>> {
  const found = await findLocalServer(paths, Math.min(3000, settings.server.timeoutMs));
  if (!found.ok) return found;
  if (found.value.kind !== 'running') return success(null);
  const { record } = found.value;
  const { listChannels } = await import('../../server/notifications/notification-administration.ts');
  const channels = await withLocalDatabase(record, listChannels);
  return channels.ok ? success({ record, channels: channels.value }) : channels;
}

const ELSEWHERE = 'not looked at: no server of this installation runs here';

type Looked = Result<Seen | null, Failure>;

export function channels(seen: Looked): Told {
  if (!seen.ok) return warn(`not known: ${seen.failure.message}`);
  if (seen.value === null) return ok(ELSEWHERE);
  const all = seen.value.channels;
  if (all.length === 0) return ok('none (the page Notifications of the server adds push, mail, ntfy and others)');
  const told = all.map(
    ({ name, last, endedAtMs }) => `${name}: ${last?.text ?? (endedAtMs === null ? 'not used yet' : 'ended')}`,
  );
  const isBad = all.some(({ endedAtMs, last }) => endedAtMs !== null || last?.isOk === false);
  const advice = 'apes notifications test tries again; the page Notifications corrects or removes a channel';
  return isBad ? warn(told.join('; '), advice) : ok(told.join('; '));
}

/** Whether a phone can reach the server. A server for this machine alone is no fault. */
export function phone(seen: Looked): Told {
  if (!seen.ok) return warn(`not known: ${seen.failure.message}`);
  if (seen.value === null) return ok(ELSEWHERE);
  const { record, channels: all } = seen.value;
  const { protocol, hostname, host } = new URL(record.publicUrl);
  if (protocol !== 'https:')
    return ok(
      `opens ${record.publicUrl} on this machine only; a phone needs https and a name: apes up --public-url https://NAME, behind a proxy (docs/reaching-it.md)`,
    );
  if (isIP(hostname.replace(/^\[|\]$/g, '')) !== 0)
    return ok(`reaches ${host}, which is an address: passkeys and notifications of an app need a name`);
  const pushes = all.filter(({ kind, endedAtMs }) => kind === 'push' && endedAtMs === null).length;
  if (pushes > 0) return ok(`reaches ${host}; ${pushes} ${pushes === 1 ? 'device is' : 'devices are'} notified`);
  return ok(
    `reaches ${host}, but no device is notified: sign in there (apes owner link), page Notifications, Notify this device`,
  );
}
