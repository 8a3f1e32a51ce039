/** Makes the next list of approvers. A person then signs this list on a page, with a passkey that is on the newest list. */
import { isDeepStrictEqual } from 'node:util';
import { NO_RULES } from '../../core/people/may-decide.ts';
import { failed, type Result, success } from '../../core/result.ts';
import {
  approverWith,
  type ListChange,
  maySignLists,
  nextApprovers,
  personOfKey,
} from '../../core/sealed/approver-list.ts';
import { isBreakGlassKey } from '../../core/sealed/break-glass-key.ts';
import { sealedText } from '../../core/sealed/sealed-text.ts';
import type { Approver, ApproversDocument, ListToSeal, ListView, ListWish } from '../../core/wire/sealed.ts';
import { documentDigest } from '../../platform/approver-key.ts';
import type { Passkey } from '../../store/passkeys.ts';
import type { StoreReader, Subject } from '../../store/store.ts';
import { type Refusal, refusal } from '../refusal.ts';
import { read, type ServerParts } from '../server-ports.ts';
import { type OwnedPasskey, ownedPasskeys } from './owned-passkeys.ts';
import { passkeyPlace } from './passkey-place.ts';
import { usableAt } from './passkey-request.ts';
import { peopleRules } from './people-rules.ts';
import { requestToSeal } from './seal-by-passkey.ts';

/**
 * Returns the next list. Stores nothing: the page sends the signed list to `/v1/approver-lists`. Fails in these cases:
 * - There is no list yet.
 * - `wish` cannot be met.
 * - This person has no passkey that can sign the list at this address of the server.
 */
export function nextList(parts: ServerParts, by: Subject, wish: ListWish): Promise<Result<ListToSeal, Refusal>> {
  return read(parts, async (rows) => {
    const list = await rows.lastApprovers();
    if (list === undefined) return failed(refusal('approvers.unfit', 'there is no list of approvers yet'));
    const change = await changeOf(parts, rows, by, list.document, wish);
    if (!change.ok) return change;
    const { removed } = change.value;
    const document = nextApprovers(list.document, documentDigest(list.document), change.value, parts.clock.nowMs());
    const signers = (await signersOf(rows, by.id, list.document)).filter(
      ({ credentialId }) => credentialId !== removed,
    );
    const request = requestToSeal(parts, sealedText(document), signers);
    return request === null ? failed(refusal('seal.unfit', NO_SIGNER)) : success({ document, passkey: request });
  });
}

const NO_SIGNER =
  'you have no passkey on the list of approvers that can sign the next list on this page: sign the list on the server’s machine (apes owner devices remove, apes approvers add)';

async function changeOf(
  parts: Pick<ServerParts, 'publicUrl'>,
  rows: StoreReader,
  by: Subject,
  document: ApproversDocument,
  wish: ListWish,
): Promise<Result<ListChange, Refusal>> {
  if ('people' in wish) return peopleChange(rows, await devicesOfApprovers(rows));
  if ('withoutCode' in wish) return removalOfCode(document, wish.withoutCode);
  return 'without' in wish ? removal(rows, by, document, wish.without) : admission(parts, rows, document, wish.add);
}

function removalOfCode(document: ApproversDocument, keyId: string): Result<ListChange, Refusal> {
  const approver = approverWith(document, keyId);
  return approver !== null && isBreakGlassKey(approver)
    ? success({ removed: keyId })
    : failed(refusal('approvers.unfit', 'the list of approvers has no such key of a break-glass code'));
}

/** Removes a device of this person from the list. A person cannot remove devices of others. The removed device cannot sign the list. */
async function removal(
  rows: StoreReader,
  by: Subject,
  document: ApproversDocument,
  passkeyId: string,
): Promise<Result<ListChange, Refusal>> {
  const passkey = (await rows.passkeys.passkeysOf(by.id)).find(({ id }) => id === passkeyId);
  if (passkey === undefined)
    return failed(refusal('passkey.unknown', 'you have no such device, or the device was removed already'));
  return isListed(document, passkey)
    ? success({ removed: passkey.credentialId })
    : failed(refusal('approvers.unfit', 'this device is not on the list of approvers'));
}

async function admission(
  { publicUrl }: Pick<ServerParts, 'publicUrl'>,
  rows: StoreReader,
  document: ApproversDocument,
  passkeyId: string,
): Promise<Result<ListChange, Refusal>> {
  const found = (await devicesOfApprovers(rows)).find(({ passkey }) => passkey.id === passkeyId);
  if (found === undefined)
    return failed(refusal('passkey.unknown', 'no approver has such a device, or the device was removed already'));
  const { passkey, person } = found;
  const place = passkeyPlace(publicUrl());
  if (isListed(document, passkey))
    return failed(refusal('approvers.unfit', 'this device is on the list of approvers already'));
  if (place === null || usableAt(place, [passkey]).length === 0)
    return failed(refusal('approvers.unfit', 'this passkey may be a copy, or is for another address of the server'));
  return success({ added: approverOf(passkey, person, place.origin) });
}

const approverOf = ({ credentialId, publicKey, rpId }: Passkey, { id, name }: Subject, origin: string): Approver => ({
  kind: 'passkey',
  keyId: credentialId,
  name: name.slice(0, 200),
  publicKey: { ...publicKey },
  rpId,
  origins: [origin],
  person: id,
});

/** Returns the change that writes two things into the list: this server's rules for people, and the person of each passkey. */
async function peopleChange(rows: StoreReader, devices: readonly OwnedPasskey[]): Promise<Result<ListChange, Refusal>> {
  const people = await peopleRules(rows);
  if (!people.ok) return people;
  const persons = new Map(devices.map(({ passkey, person }) => [passkey.credentialId, person.id]));
  return success({ people: people.value, persons });
}

/** Returns the passkeys of approvers. Auditors have passkeys too, but seal nothing. */
const devicesOfApprovers = async (rows: StoreReader): Promise<readonly OwnedPasskey[]> =>
  (await ownedPasskeys(rows)).filter(({ person }) => person.role === 'approver');

const isListed = ({ approvers }: ApproversDocument, { credentialId }: Passkey): boolean =>
  approvers.some(({ keyId }) => keyId === credentialId);

/** Returns the passkeys of this person that are on the list, may sign lists, and are not blocked. */
async function signersOf(
  rows: StoreReader,
  personId: string,
  document: ApproversDocument,
): Promise<readonly Passkey[]> {
  return (await rows.passkeys.passkeysOf(personId)).filter(({ credentialId, copiedAtMs }) => {
    const approver = approverWith(document, credentialId);
    return approver !== null && copiedAtMs === null && maySignLists(document, approver);
  });
}

/**
 * Returns what the page *People* shows of the newest list; null: there is no list.
 * @param readerId the id of the person who sees the page
 */
export async function listView(
  { publicUrl }: Pick<ServerParts, 'publicUrl'>,
  rows: StoreReader,
  readerId: string,
): Promise<ListView | null> {
  const list = await rows.lastApprovers();
  if (list === undefined) return null;
  const { document } = list;
  const devices = await devicesOfApprovers(rows);
  const place = passkeyPlace(publicUrl());
  const signers = place === null ? [] : usableAt(place, await signersOf(rows, readerId, document));
  const addable = place === null ? [] : devices.filter(({ passkey }) => usableAt(place, [passkey]).length > 0);
  return {
    sequence: document.sequence,
    keys: document.approvers.map((approver) => ({
      name: approver.name,
      kind: approver.kind,
      isBreakGlass: isBreakGlassKey(approver),
    })),
    absent: addable
      .filter(({ passkey }) => !isListed(document, passkey))
      .map(({ passkey, person }) => ({ id: passkey.id, name: passkey.name, person: person.name })),
    hasRules: await hasRules(rows, document, devices),
    maySign: signers.length > 0,
  };
}

/** See `ListView.hasRules`. */
async function hasRules(
  rows: StoreReader,
  document: ApproversDocument,
  devices: readonly OwnedPasskey[],
): Promise<boolean> {
  const change = await peopleChange(rows, devices);
  if (!change.ok) return true; // the page must not ask people to sign rules that the server cannot read
  const { people, persons } = change.value;
  const isSame = document.approvers.every(
    (approver) => personOfKey(approver) === (persons?.get(approver.keyId) ?? personOfKey(approver)),
  );
  return isSame && isDeepStrictEqual(document.people ?? NO_RULES, people);
}
