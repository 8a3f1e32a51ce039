/** Makes the next list of approvers, signs it with the owner key of this device, and sends it to the server. */
import { type Failure, failure } from '../../core/failure.ts';
import { failed, type Result, success } from '../../core/result.ts';
import {
  approverWith,
  type ListChange as Change,
  maySignWithout,
  nextApprovers,
} from '../../core/sealed/approver-list.ts';
import { isBreakGlassKey } from '../../core/sealed/break-glass-key.ts';
import { visibleLine } from '../../core/text/visible-text.ts';
import type { Approver, SealedApprovers } from '../../core/wire/sealed.ts';
import { readPin } from '../../grants/approver-pin.ts';
import { callWithToken, failureOfAnswer, type GrantClient } from '../../grants/client.ts';
import { fetchNewer, heldApprovers } from '../../grants/held-approvers.ts';
import { documentDigest, keyApprover, keyIdOf, sealWithKey } from '../../platform/approver-key.ts';
import { systemClock } from '../../platform/clock.ts';
import { publicKeyOf } from '../../platform/key-pair.ts';
import type { CliContext } from '../context.ts';
import { answering, type Ending, failing } from '../ending.ts';
import { withClient } from '../opened.ts';
import { withLocalDatabase } from '../server/local-database.ts';
import type { ServerRecord } from '../server/local-server.ts';
import { withOwnServer } from '../server/own-server.ts';
import type { AddOptions } from './approvers.ts';
import { approversData, approversText } from './list-text.ts';

export async function addApprover(context: CliContext, name: string, { key, device }: AddOptions): Promise<Ending> {
  if ((key === undefined) === (device === undefined))
    return failing(failure('usage', 'exactly one key is needed', 'give --key or --device'));
  if (device !== undefined) {
    const passkey = await withOwnServer(context, (record) => deviceApprover(record, name, device));
    return passkey.ok ? changeList(context, () => passkey) : failing(passkey.failure);
  }
  const added = keyApprover(name, key ?? '');
  return changeList(context, ({ document }) => {
    const listed = approverWith(document, added.keyId);
    return listed !== null && isBreakGlassKey(listed)
      ? failed(failure('usage', 'this key belongs to a break-glass code', 'add another key'))
      : success({ added });
  });
}

/**
 * Makes an approver from a passkey in the database of the server on this machine.
 * @param id the id that `apes owner devices list` shows
 */
async function deviceApprover(record: ServerRecord, name: string, id: string): Promise<Result<Change, Failure>> {
  const { listDevices, originOfPasskeys } = await import('../../server/identity/device-administration.ts');
  const devices = await withLocalDatabase(record, (store) => listDevices(store));
  if (!devices.ok) return devices;
  const found = devices.value.find((each) => each.id === id);
  if (found === undefined)
    return failed(failure('usage', `there is no device ${visibleLine(id)}`, 'apes owner devices list shows them'));
  if (found.copiedAtMs !== null)
    return failed(
      failure('refused', 'this passkey may be a copy, and is not accepted any more', 'register the device again'),
    );
  const origin = originOfPasskeys(record.publicUrl, found.rpId);
  if (origin === null)
    return failed(
      failure(
        'usage',
        `this passkey is for ${found.rpId}, and the server is at ${record.publicUrl}`,
        'register the device there',
      ),
    );
  const { credentialId: keyId, publicKey, rpId } = found;
  return success({
    added: {
      kind: 'passkey',
      keyId,
      name: name.slice(0, 200),
      publicKey: { ...publicKey },
      rpId,
      origins: [origin],
      person: found.personId,
    },
  });
}

/** @param name the name of the approver, or the id of its key */
export const removeApprover = (context: CliContext, name: string): Promise<Ending> =>
  changeList(context, without(name));

/** Makes the next list without this key. Returns the list that the server has accepted. */
export const dropApprover = (context: CliContext, keyId: string): Promise<Result<SealedApprovers, Failure>> =>
  nextList(context, without(keyId));

/** Makes the next list with this approver added. Returns the list that the server has accepted. */
export const admitApprover = (context: CliContext, added: Approver): Promise<Result<SealedApprovers, Failure>> =>
  nextList(context, () => success({ added }));

/**
 * The change that removes one approver.
 * @param name as in `removeApprover`
 */
const without =
  (name: string) =>
  ({ document }: SealedApprovers): Result<Change, Failure> => {
    const named = document.approvers.filter((each) => each.name === name || each.keyId === name);
    const [found] = named;
    if (found === undefined)
      return failed(failure('usage', `there is no approver ${name}`, 'see `apes approvers list`'));
    if (named.length > 1)
      return failed(
        failure('usage', `${named.length} approvers are called ${name}`, 'write the id of the key instead'),
      );
    return !maySignWithout(document, found.keyId)
      ? failed(
          failure('usage', 'this is the last approver who may sign lists', 'add another one first: apes approvers add'),
        )
      : success({ removed: found.keyId });
  };

/**
 * Puts the rules for people, and the person of each passkey, into the next list. Reads the rules and the persons from the database of the
 * server on this machine.
 */
export async function sealPeople(context: CliContext): Promise<Ending> {
  const rules = await withOwnServer(context, peopleHere);
  return rules.ok ? changeList(context, () => rules) : failing(rules.failure);
}

async function peopleHere(record: ServerRecord): Promise<Result<Change, Failure>> {
  const { listDevices } = await import('../../server/identity/device-administration.ts');
  const { readPeopleRules } = await import('../../server/identity/people-administration.ts');
  return withLocalDatabase(record, async (store): Promise<Result<Change, Failure>> => {
    const people = await readPeopleRules(store);
    if (!people.ok) return people;
    const devices = await listDevices(store);
    if (!devices.ok) return devices;
    const persons = new Map(devices.value.map(({ credentialId, personId }) => [credentialId, personId]));
    return success({ people: people.value, persons });
  });
}

async function changeList(
  context: CliContext,
  wanted: (newest: SealedApprovers) => Result<Change, Failure>,
): Promise<Ending> {
  const next = await nextList(context, wanted);
  return next.ok ? answering(approversData(next.value), approversText(next.value)) : failing(next.failure);
}

/**
 * Makes, signs and sends the next list. The next list follows the list that is pinned on this host, or a later list that approvers have
 * signed. The server therefore cannot obtain a signature for a list that the server made up.
 */
const nextList = (
  context: CliContext,
  wanted: (newest: SealedApprovers) => Result<Change, Failure>,
): Promise<Result<SealedApprovers, Failure>> =>
  withClient(context, 'owner', async (client, { paths }) => {
    const newest = await newestHere(client, paths.keys);
    if (!newest.ok) return newest;
    const change = wanted(newest.value);
    if (!change.ok) return change;
    const signed = signNext(client, newest.value, change.value);
    if (!signed.ok) return signed;
    const body = { ...signed.value };
    const answer = await callWithToken(client, { method: 'POST', path: '/v1/approver-lists', body });
    if (!answer.ok) return answer;
    return answer.value.status === 200 ? signed : failed(failureOfAnswer(client, answer.value));
  });

async function newestHere(client: GrantClient, keys: string): Promise<Result<SealedApprovers, Failure>> {
  const pin = readPin(keys);
  if (!pin.ok) return pin;
  if (pin.value === null || pin.value.server !== client.identity.serverPublicKey)
    return failed(
      failure(
        'refused',
        'no approvers of this server are pinned here',
        'pin the list (apes approvers pin), and let a person compare its digest',
      ),
    );
  const newer = await fetchNewer(client, pin.value, heldApprovers(pin.value, client.stateDirectory));
  return newer.ok ? success(newer.value.newest) : newer;
}

function signNext(client: GrantClient, newest: SealedApprovers, change: Change): Result<SealedApprovers, Failure> {
  const { privateKey } = client.identity;
  const publicKey = publicKeyOf(privateKey) ?? '';
  if (approverWith(newest.document, keyIdOf(publicKey)) === null)
    return failed(
      failure(
        'refused',
        'the owner key here is not on the list of approvers',
        'sign with a key on this list: apes approvers list',
      ),
    );
  const document = nextApprovers(newest.document, documentDigest(newest.document), change, systemClock.nowMs());
  return success({ document, seal: sealWithKey(document, privateKey, publicKey) });
}
