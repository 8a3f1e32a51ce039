/**
 * `apes owner link` makes sign-in links. `apes owner key` makes and removes the owner key. Both change the database of this installation's
 * server.
 */
import { unlinkSync } from 'node:fs';
import { type Failure, failure } from '../../core/failure.ts';
import { type Result, success } from '../../core/result.ts';
import { approverWith, firstApprovers, maySignWithout, nextApprovers } from '../../core/sealed/approver-list.ts';
import type { SealedApprovers } from '../../core/wire/sealed.ts';
import { readPin } from '../../grants/approver-pin.ts';
import { type Identity, loadIdentity, removeIdentity, saveIdentity } from '../../grants/enrolment.ts';
import { documentDigest, keyApprover, keyIdOf, sealWithKey } from '../../platform/approver-key.ts';
import { systemClock } from '../../platform/clock.ts';
import type { Installation } from '../../platform/installation.ts';
import { newPrivateKey, publicKeyOf } from '../../platform/key-pair.ts';
import { ensurePrivateDirectory } from '../../platform/private-files.ts';
import { currentHost, currentUser } from '../../platform/surroundings.ts';
import { writeOwnPin } from '../approvers/pinned.ts';
import type { CliContext } from '../context.ts';
import { answering, type Ending, failing } from '../ending.ts';
import { endingWith } from '../opened.ts';
import { ownDatabase, ownServer, withLocalDatabase } from '../server/local-database.ts';
import type { ServerRecord } from '../server/local-server.ts';
import { checkOwnersServer } from './enrol-here.ts';
import { signInLink, signInText } from './sign-in.ts';

export async function link(context: CliContext): Promise<Ending> {
  return onOwnServer(context, async (_installation, record) => {
    const made = await withLocalDatabase(record, (store, administration) => signInLink(record, store, administration));
    if (!made.ok) return failing(made.failure);
    return answering({ signInUrl: made.value }, signInText(context, made.value));
  });
}

/**
 * Makes the owner key. Fails if this installation already has an owner key for this server; replaces an owner key for another server.
 * `isApprover` in the answer says whether the new key is on the list of approvers. A key that is not on the list can decide, but its seals
 * do not count.
 */
export async function createKey(context: CliContext): Promise<Ending> {
  return onOwnServer(context, async (installation, record) => {
    const { keys } = installation.paths;
    const known = loadIdentity(keys, 'owner');
    if (known.ok && known.value.serverPublicKey === record.publicKey)
      return failing(
        failure(
          'usage',
          `there is an owner key here already (${known.value.name})`,
          'apes owner key remove removes it',
        ),
      );
    const wide = ensurePrivateDirectory(keys);
    if (wide !== null) return failing(wide);
    const [host, user] = [currentHost(), currentUser()];
    const name = `owner key of ${user}@${host}`;
    const privateKey = newPrivateKey();
    const publicKey = publicKeyOf(privateKey) ?? '';
    const enrolled = await withLocalDatabase(record, (store, administration) =>
      administration.enrolApproverKey(store, { name, publicKey }),
    );
    if (!enrolled.ok) return failing(enrolled.failure);
    const server = { serverUrl: record.url, serverPublicKey: record.publicKey };
    const unsaved = saveIdentity(keys, 'owner', { ...server, subjectId: enrolled.value, name, host, user, privateKey });
    if (unsaved !== null) {
      await withLocalDatabase(record, (store, administration) =>
        administration.revokeSubject(store, enrolled.value, { nowMs: systemClock.nowMs() }),
      );
      return failing(unsaved);
    }
    context.err(
      `apes: warning: whatever runs as ${user} here can now approve what it asked for; run agents as another user, or remove the key: apes owner key remove\n`,
    );
    const path = `${keys}/owner.key`;
    const admitted = await admitKey(record, keys, name, privateKey, publicKey);
    if (!admitted.ok) return failing(admitted.failure);
    const sealing = admitted.value
      ? ''
      : `This key does not seal yet. Call on a host whose key is on the list of approvers: apes approvers add NAME --key ${publicKey}\n`;
    return answering(
      { approverId: enrolled.value, name, path, publicKey, isApprover: admitted.value },
      `made (${path}); apes grants inbox shows what waits\n${sealing}`,
    );
  });
}

/**
 * Makes a list of approvers with only this key in two cases: there is no list, or no key on the list can sign the next list. In other
 * cases, changes nothing: a key on the list has to admit this key. Pins the new list on this installation. The new pin replaces a pin for
 * another server, but not a pin of root or a pin for this server. Returns whether the key is on the list now.
 */
async function admitKey(
  record: ServerRecord,
  keys: string,
  name: string,
  privateKey: string,
  publicKey: string,
): Promise<Result<boolean, Failure>> {
  const server = record.publicKey;
  const { beginApprovers } = await import('../../server/identity/approver-administration.ts');
  const begun = await withLocalDatabase(record, (store) =>
    beginApprovers(store, server, (sequence) => {
      const approver = keyApprover(name, publicKey);
      const document = firstApprovers(server, sequence, approver, systemClock.nowMs());
      return { document, seal: sealWithKey(document, privateKey, publicKey) };
    }),
  );
  if (!begun.ok || begun.value === null) return begun.ok ? success(false) : begun;
  const held = readPin(keys);
  if (!held.ok) return held;
  const isPinned = held.value !== null && (held.value.server === server || held.value.isProtected);
  const pinned = isPinned ? null : writeOwnPin(keys, { server, sealed: 'optional', list: begun.value });
  return pinned === null || pinned.ok ? success(true) : pinned;
}

/**
 * Removes the owner key from the server (`revoke`). Then removes the pin that depends on the key (`removePinOfOnlyKey`). Last, removes the
 * key from the disk. If the key cannot be read, removes the key only from the disk. Succeeds also if there is no owner key.
 */
export const removeKey = (context: CliContext): Promise<Ending> =>
  endingWith(context, async (installation) => {
    const { keys } = installation.paths;
    const known = loadIdentity(keys, 'owner');
    if (!known.ok && known.failure.detail === 'no-owner-key')
      return answering({ wasThere: false }, 'there is no owner key here\n');
    const unrevoked = known.ok ? await revoke(installation, known.value) : null;
    if (unrevoked !== null) return failing(unrevoked);
    if (known.ok) removePinOfOnlyKey(keys, known.value);
    removeIdentity(keys, 'owner');
    return answering({ wasThere: true }, 'removed\n');
  });

/**
 * Removes the key from the list of approvers if another key can sign lists. Revokes the key in the database, so that a copy of the key's
 * file cannot decide. Does nothing if this installation never had a server. Returns null on success.
 */
async function revoke(installation: Installation, { subjectId, privateKey }: Identity): Promise<Failure | null> {
  const database = await ownDatabase(installation);
  if (!database.ok) return database.failure;
  if (database.value === null) return null;
  const { publishList } = await import('../../server/identity/approver-administration.ts');
  const publicKey = publicKeyOf(privateKey) ?? '';
  const revoked = await withLocalDatabase({ database: database.value }, async (store, administration) => {
    const left = await publishList(store, subjectId, (newest) => listWithout(newest, publicKey, privateKey));
    if (!left.ok) return left;
    return administration.revokeSubject(store, subjectId, { nowMs: systemClock.nowMs() });
  });
  return revoked.ok ? null : revoked.failure;
}

/**
 * Makes the next list without this key, and signs it with this key. Returns null if this key is not on the list, or if no other key may
 * sign lists.
 */
function listWithout({ document }: SealedApprovers, publicKey: string, privateKey: string): SealedApprovers | null {
  const removed = keyIdOf(publicKey);
  if (approverWith(document, removed) === null || !maySignWithout(document, removed)) return null;
  const next = nextApprovers(document, documentDigest(document), { removed }, systemClock.nowMs());
  return { document: next, seal: sealWithKey(next, privateKey, publicKey) };
}

/**
 * Removes the pin of this installation if sealed approvals are optional and the pinned list has no other key. With that pin, no key could
 * seal an approval for this host any more. A pin of root stays.
 */
function removePinOfOnlyKey(keys: string, { privateKey }: Identity): void {
  const held = readPin(keys);
  const pin = held.ok ? held.value : null;
  if (pin === null || pin.isProtected || pin.sealed === 'required') return;
  const { approvers } = pin.list.document;
  const isAlone = approvers.every(({ keyId }) => keyId === keyIdOf(publicKeyOf(privateKey) ?? ''));
  if (isAlone) unlinkSync(pin.path);
}

const onOwnServer = (
  context: CliContext,
  work: (installation: Installation, record: ServerRecord) => Promise<Ending>,
): Promise<Ending> =>
  endingWith(context, async (installation) => {
    const why = await checkOwnersServer(installation);
    if (why !== null) return failing(why);
    const record = await ownServer(installation);
    return record.ok ? work(installation, record.value) : failing(record.failure);
  });
