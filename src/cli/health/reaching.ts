/**
 * Two checks of `apes health`: the channels that notify approvers, and what a phone still needs to use the server.
 */
import { isIP } from 'node:net';
import type { Failure } from '../../core/failure.ts';
import { type Result, success } from '../../core/result.ts';
import type { Installation } from '../../platform/installation.ts';
import { isLoopback } from '../../server/bind.ts';
import type { ListedChannel } from '../../server/notifications/notification-administration.ts';
import { withLocalDatabase } from '../server/local-database.ts';
import { findLocalServer, type ServerRecord } from '../server/local-server.ts';
import { type CheckResult, ok, warn } from './check.ts';

/** @property passkeys the RP ids of the accepted passkeys */
interface Seen {
  readonly record: Pick<ServerRecord, 'publicUrl'>;
  readonly channels: readonly ListedChannel[];
  readonly passkeys: readonly string[];
}

/** Reads from the database what `channels` and `phone` need. Returns null if no server of this installation answers here. */
export async function readReachability({ paths, settings }: Installation): Promise<Result<Seen | null, Failure>> {
  const found = await findLocalServer(paths, Math.min(3000, settings.server.timeoutMs));
  if (!found.ok) return found;
  if (found.value.kind !== 'running') return success(null);
  const { record } = found.value;
  const { listChannels } = await import('../../server/notifications/notification-administration.ts');
  const { listDevices } = await import('../../server/identity/device-administration.ts');
  return withLocalDatabase(record, async (store): Promise<Result<Seen, Failure>> => {
    const channels = await listChannels(store);
    if (!channels.ok) return channels;
    const devices = await listDevices(store);
    if (!devices.ok) return devices;
    const accepted = devices.value.filter(({ copiedAtMs }) => copiedAtMs === null);
    return success({ record, channels: channels.value, passkeys: accepted.map(({ rpId }) => rpId) });
  });
}

const ELSEWHERE = 'not checked: no server of this installation answers here';

type Looked = Result<Seen | null, Failure>;

export function channels(seen: Looked): CheckResult {
  if (!seen.ok) return warn(`not known: ${seen.failure.message}`);
  if (seen.value === null) return ok(ELSEWHERE);
  const all = seen.value.channels;
  if (all.length === 0) return ok('none (the page Notifications of the server adds push, mail, ntfy and others)');
  const texts = all.map(
    ({ name, last, endedAtMs }) => `${name}: ${last?.text ?? (endedAtMs === null ? 'not used yet' : 'ended')}`,
  );
  const isBad = all.some(({ endedAtMs, last }) => endedAtMs !== null || last?.isOk === false);
  const advice = 'apes notifications test tries again; the page Notifications corrects or removes a channel';
  return isBad ? warn(texts.join('; '), advice) : ok(texts.join('; '));
}

/**
 * Names each thing that a phone still needs, and how to provide it. A missing thing is no fault: a server may be for this machine alone.
 */
export function phone(seen: Looked): CheckResult {
  if (!seen.ok) return warn(`not known: ${seen.failure.message}`);
  if (seen.value === null) return ok(ELSEWHERE);
  const { publicUrl } = seen.value.record;
  const { host, hostname, origin, pathname } = new URL(publicUrl);
  const isHereOnly = isForThisMachine(hostname);
  const pushes = pushesIn(seen.value);
  const reach = isHereOnly ? `${publicUrl} opens on this machine only` : `reaches ${host}`;
  const notified = pushes === 0 ? '' : `; ${pushes} ${pushes === 1 ? 'device is' : 'devices are'} notified`;
  const missing = missingFor(seen.value);
  const lacks = missing.length === 0 ? '' : `; a phone still needs ${missing.join('; ')}`;
  return { ...ok(`${reach}${notified}${lacks}`), ...(isHereOnly ? {} : { address: `${origin}${pathname}` }) };
}

/** Returns texts such as `https (…)` and `a name (…)`, in the order in which a person provides these things. */
function missingFor(seen: Seen): readonly string[] {
  const { protocol, hostname } = new URL(seen.record.publicUrl);
  const hasName = !isForThisMachine(hostname) && isIP(hostname.replace(/^\[|\]$/g, '')) === 0;
  return [
    ...(protocol === 'https:' ? [] : [`https (${NAMED}, behind a proxy: docs/reaching-it.md)`]),
    ...(hasName ? [] : [`a name, because a passkey and an app belong to a name (${NAMED})`]),
    ...(hasName && seen.passkeys.includes(hostname)
      ? []
      : [`a passkey (${SIGN_IN}, page Devices, Register this device)`]),
    ...(pushesIn(seen) > 0 ? [] : [`permission to notify (${SIGN_IN}, page Notifications, Notify this device)`]),
  ];
}

const NAMED = 'apes down; apes up --public-url https://NAME';
const SIGN_IN = 'apes owner link, opened on the phone';

const pushesIn = ({ channels: all }: Seen): number =>
  all.filter(({ kind, endedAtMs }) => kind === 'push' && endedAtMs === null).length;

const isForThisMachine = (hostname: string): boolean => isLoopback(hostname) || hostname.endsWith('.localhost');
