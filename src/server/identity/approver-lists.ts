/** Keeps the chain of lists of approvers on the server. Refuses a bad list early, although hosts check every list again. */
import { type Fault, fault } from '../../core/fault.ts';
import { plainEvent } from '../../core/grant/audit-event.ts';
import { failed, type Result, success } from '../../core/result.ts';
import { approversFault, approverWith, maySignLists, successorFault } from '../../core/sealed/approver-list.ts';
import type { Approver, SealedApprovers } from '../../core/wire/sealed.ts';
import { documentDigest, keyIdOf } from '../../platform/approver-key.ts';
import { verifySeal } from '../../platform/seal-signature.ts';
import type { StoreReader, StoreWriter } from '../../store/store.ts';
import { type Refusal, refusal } from '../refusal.ts';
import { endSealedBy } from './end-sealed.ts';

/**
 * @property server  the public key of the server
 * @property actorId the subject that publishes the list; null: the command line on the server's machine
 */
interface Publication {
  readonly server: string;
  readonly actorId: string | null;
  readonly nowMs: number;
}

/**
 * Stores a new list. Refuses a list that is malformed, cannot follow the newest stored list, or is signed by a key that may not sign
 * lists. If the new list removes a key, the same transaction ends the approvals and policies that this key sealed.
 */
export async function publishApprovers(
  rows: StoreWriter,
  sealed: SealedApprovers,
  { server, actorId, nowMs }: Publication,
): Promise<Result<SealedApprovers, Refusal>> {
  await rows.lockRequest('approvers', '');
  const current = await rows.lastApprovers();
  const fault = (await listFault(rows, current, sealed, server)) ?? sealFaultOf(current, sealed);
  if (fault !== null) return failed(refusal('approvers.unfit', fault.message));
  await rows.insertApprovers(sealed);
  const { sequence, approvers } = sealed.document;
  const before = current?.document.approvers ?? [];
  const removed = before.filter(({ keyId }) => approverWith(sealed.document, keyId) === null);
  const facts = { sequence, approvers: namesOf(approvers), removed: namesOf(removed), sealKey: sealed.seal.keyId };
  rows.record(plainEvent('approvers.changed', actorId, nowMs, facts));
  for (const { keyId } of removed) await endSealedBy(rows, keyId, actorId, nowMs);
  return success(sealed);
}

const namesOf = (approvers: readonly Approver[]): string =>
  approvers
    .map(({ name }) => name)
    .join(', ')
    .slice(0, 2_000);

async function listFault(
  rows: StoreReader,
  current: SealedApprovers | undefined,
  { document }: SealedApprovers,
  server: string,
): Promise<Fault | null> {
  if (approversFault(document) !== null) return fault('the list of approvers has an unknown shape');
  if (document.server !== server) return fault('this is a list of another server');
  const misnamed = document.approvers.some(
    (approver) => approver.kind === 'ed25519' && approver.keyId !== keyIdOf(approver.publicKey),
  );
  if (misnamed) return fault('the id of a key on the list is not the digest of this key');
  if (document.previous === null) return beginningFault(rows, current, document.sequence);
  if (current === undefined) return fault('there is no list before this list');
  return successorFault(current.document, documentDigest(current.document), document) === null
    ? null
    : fault('this list does not follow the newest list; read the newest list and sign again');
}

/**
 * Returns null if a list with this sequence may begin a chain. A chain may begin in two cases: no list is stored, or no key of the newest
 * list may sign the next list. Without a stored list, the sequence has to be 1. With a stored list, it has to be the sequence of the newest
 * list plus 1.
 */
async function beginningFault(
  rows: StoreReader,
  current: SealedApprovers | undefined,
  sequence: number,
): Promise<Fault | null> {
  if (current !== undefined && (await hasSignerForNext(rows, current)))
    return fault('there is a list of approvers already; an approver on that list has to sign the next list');
  const first = (current?.document.sequence ?? 0) + 1;
  return sequence === first ? null : fault(`the first list here has the sequence ${first}`);
}

/**
 * Whether a key on this list may sign the next list. Every passkey that may sign lists counts. An Ed25519 key counts only if it belongs
 * to an approver who is not revoked.
 */
export async function hasSignerForNext(rows: StoreReader, { document }: SealedApprovers): Promise<boolean> {
  for (const approver of document.approvers.filter((approver) => maySignLists(document, approver))) {
    if (approver.kind === 'passkey') return true;
    const subject = await rows.subjectByPublicKey(approver.publicKey);
    if (subject?.role === 'approver' && subject.revokedAtMs === null) return true;
  }
  return false;
}

/**
 * Returns the ids of the keys that are on the newest list, but that the server does not accept any more. Hosts still accept the seals of
 * these keys.
 */
export async function revokedApprovers(rows: StoreReader): Promise<readonly string[]> {
  const approvers = (await rows.lastApprovers())?.document.approvers ?? [];
  if (approvers.length === 0) return [];
  const refused = await rows.refusedKeys({
    publicKeys: approvers.flatMap((each) => (each.kind === 'passkey' ? [] : [each.publicKey])),
    credentials: approvers.flatMap((each) => (each.kind === 'passkey' ? [each.keyId] : [])),
  });
  const [publicKeys, credentials] = [new Set(refused.publicKeys), new Set(refused.credentials)];
  return approvers
    .filter((each) => (each.kind === 'passkey' ? credentials.has(each.keyId) : publicKeys.has(each.publicKey)))
    .map(({ keyId }) => keyId);
}

/**
 * Returns null if an approver who may sign lists (`maySignLists`) has signed this list. The approver has to be on the previous list. An
 * approver on the first list of a chain signs this first list.
 */
function sealFaultOf(current: SealedApprovers | undefined, { document, seal }: SealedApprovers): Fault | null {
  const signers = document.previous === null || current === undefined ? document : current.document;
  const verdict = verifySeal(document, seal, signers);
  if (verdict.kind !== 'sealed') return fault('the list is not signed by an approver who may sign it');
  return maySignLists(signers, verdict.by) ? null : fault('an approver with limits cannot sign a list of approvers');
}
