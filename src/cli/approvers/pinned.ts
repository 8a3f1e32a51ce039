/** Shows the pin of this host, and pins a list. */
import { type Failure, failure } from '../../core/failure.ts';
import { failed, type Result, success } from '../../core/result.ts';
import { sealFailure } from '../../core/sealed/seal-fault.ts';
import type { SealedApprovers } from '../../core/wire/sealed.ts';
import { ownPinPath, type Pin, pinOf, pinText, readPin, SYSTEM_PIN } from '../../grants/approver-pin.ts';
import type { GrantClient } from '../../grants/client.ts';
import { fetchApproverLists, fetchNewer, fetchRevokedApprovers, heldApprovers } from '../../grants/held-approvers.ts';
import type { Installation } from '../../platform/installation.ts';
import { ensurePrivateDirectory, writePrivateFile } from '../../platform/private-files.ts';
import { readTextFile } from '../../run/source-text.ts';
import type { CliContext } from '../context.ts';
import { answering, type Ending, failing } from '../ending.ts';
import { endingWith, withInstallation } from '../opened.ts';
import type { PinOptions } from './approvers.ts';
import { approversData, approversText } from './list-text.ts';
import { writeSystemPin } from './system-pin.ts';

/**
 * Shows the server's newest list. Without a pin, only says that this host has no pin. If the server cannot be asked, shows the newest list
 * that this host has seen. Fails in three cases: the pin cannot be read, the server's lists do not follow from the pinned list, or this
 * host cannot keep the lists.
 */
export const listApprovers = (context: CliContext): Promise<Ending> =>
  endingWith(context, async (installation) => {
    const { paths, settings } = installation;
    const pin = readPin(paths.keys);
    if (!pin.ok) return failing(pin.failure);
    const isRequired = settings.approvals.sealed === 'required' || pin.value?.sealed === 'required';
    if (pin.value === null)
      return answering(
        { pin: null, required: isRequired },
        `no approvers are pinned on this host; pin them: apes approvers pin\n`,
      );
    const client = eitherClient(context, installation);
    const kept = heldApprovers(pin.value, paths.state);
    const newest = client.ok ? await fetchNewer(client.value, pin.value, kept) : client;
    if (!newest.ok && (newest.failure.code === 'protocol' || newest.failure.code === 'system'))
      return failing(newest.failure);
    const { newest: list } = newest.ok ? newest.value : kept;
    const revoked =
      newest.ok && client.ok ? await fetchRevokedApprovers(client.value, list.document.sequence) : new Set();
    const where = {
      path: pin.value.path,
      protected: pin.value.isProtected,
      sequence: pin.value.list.document.sequence,
    };
    const takes = isRequired ? 'sealed approvals only' : 'approvals with and without a seal';
    const unreached = newest.ok ? '' : '; a newer list could not be fetched from the server';
    const text = `${approversText(list, revoked)}pinned in ${where.path}; this host takes ${takes}${unreached}\n`;
    return answering({ pin: where, required: isRequired, ...approversData(list, revoked) }, text);
  });

/**
 * Pins a list of approvers.
 * - `system` names a file: pins the list in this file for all users. The caller must be root
 * - no `system`: pins the server's newest list for this installation. Fails if root has pinned a list. If a list is already pinned for this
 *   server, and `replace` is not given, signatures must lead from the pinned list to the new list
 */
export async function pinApprovers(context: CliContext, options: PinOptions): Promise<Ending> {
  const pinned = options.system === undefined ? await pinHere(context, options) : pinForAll(options.system, options);
  if (!pinned.ok) return failing(pinned.failure);
  const { path, sealed, list } = pinned.value;
  const takes = sealed === 'required' ? '; this host takes sealed approvals only' : '';
  return answering({ path, sealed, ...approversData(list) }, `pinned in ${path}${takes}\n${approversText(list)}`);
}

type Pinned = Pick<Pin, 'path' | 'sealed' | 'list'>;

const pinHere = (context: CliContext, options: PinOptions): Promise<Result<Pinned, Failure>> =>
  withInstallation(context, async (installation) => {
    const { keys } = installation.paths;
    const held = readPin(keys);
    // --replace also replaces a damaged pin.
    if (!held.ok && options.replace !== true) return held;
    const before = held.ok ? held.value : null;
    if (before?.isProtected === true)
      return failed(failure('refused', `the approvers are pinned in ${before.path}, by root`, 'change them as root'));
    const client = eitherClient(context, installation);
    if (!client.ok) return client;
    const server = client.value.identity.serverPublicKey;
    const list = await listToPin(client.value, options.replace === true || before?.server !== server ? null : before);
    if (!list.ok) return list;
    if (before?.server === server) {
      const known = heldApprovers(before, client.value.stateDirectory).newest.document.sequence;
      const shown = list.value.document.sequence;
      if (shown < known) return failed(olderList(shown, known, before.path));
    }
    const sealed = wantedSealing(options, before);
    return writeOwnPin(keys, { server, sealed, list: list.value });
  });

/** Refuses an older list: it can contain an approver who was removed later. */
const olderList = (shown: number, known: number, path: string): Failure =>
  failure(
    'refused',
    `the server sends list ${shown} of the approvers, but this host has already seen list ${known}`,
    `find out why; to trust the older list nevertheless, delete ${path} first`,
  );

/** Writes the pin to the directory with the keys of this installation. Replaces an earlier pin. */
export function writeOwnPin(keys: string, pin: Pick<Pin, 'server' | 'sealed' | 'list'>): Result<Pinned, Failure> {
  const path = ownPinPath(keys);
  const fault = ensurePrivateDirectory(keys) ?? writePrivateFile(path, pinText(pin));
  return fault === null ? success({ ...pin, path }) : failed(fault);
}

const wantedSealing = ({ required, optional }: PinOptions, before: Pick<Pin, 'sealed'> | null): Pin['sealed'] =>
  required === true ? 'required' : optional === true ? 'optional' : (before?.sealed ?? 'optional');

/**
 * Returns the server's newest list.
 * @param before signatures must lead from the list of this pin to the newest list; null: no check, a person must compare the list
 */
async function listToPin(client: GrantClient, before: Pin | null): Promise<Result<SealedApprovers, Failure>> {
  if (before !== null) {
    const newer = await fetchNewer(client, before, heldApprovers(before, client.stateDirectory));
    return newer.ok ? success(newer.value.newest) : newer;
  }
  let last: SealedApprovers | null = null;
  for (;;) {
    const lists = await fetchApproverLists(client, last?.document.sequence ?? 0);
    if (!lists.ok) return lists;
    const newest = lists.value.at(-1);
    if (newest === undefined) break;
    // A server could send one list again and again. The caller would then wait for ever.
    const isNewer = Number(newest?.document?.sequence) > (last?.document.sequence ?? 0);
    if (!isNewer) return failed(sealFailure('shape'));
    last = newest;
  }
  if (last === null) return failed(noList);
  const { server } = last.document;
  return pinOf(pinText({ server, sealed: 'optional', list: last })) !== null &&
    server === client.identity.serverPublicKey
    ? success(last)
    : failed(sealFailure('shape'));
}

export const noList = failure(
  'refused',
  'the server has no list of approvers yet',
  'make the first list: apes owner key create --here',
);

/** Opens the client of the requester; if that fails, the client of the owner. If both fail, returns the failure of the owner's client. */
export function eitherClient(context: CliContext, installation: Installation): Result<GrantClient, Failure> {
  const requester = context.openClient(installation, 'requester');
  return requester.ok ? requester : context.openClient(installation, 'owner');
}

/** Pins, as root, a list that a person has pinned and compared before. The requester cannot change such a pin. */
function pinForAll(file: string, options: PinOptions): Result<Pinned, Failure> {
  const read = readTextFile(file);
  if (!read.ok) return failed(failure('usage', read.failure.message, 'name a file that apes approvers pin wrote'));
  const pin = pinOf(read.value);
  if (pin === null)
    return failed(failure('usage', `${file} holds no list of approvers`, 'name a file that apes approvers pin wrote'));
  const whole = { server: pin.server, sealed: wantedSealing(options, pin), list: pin.list };
  const unwritten = writeSystemPin(whole, 'replace');
  return unwritten === null ? success({ ...whole, path: SYSTEM_PIN }) : failed(unwritten);
}
