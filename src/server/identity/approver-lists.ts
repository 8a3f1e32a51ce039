/** The chain of lists of approvers on the server. It refuses a bad list early; hosts check every list again. */
import { plainEvent } from '../../core/grant/audit-event.ts';
import { failed, type Result, success } from '../../core/result.ts';
import { approversFault, approverWith, maySignLists, successorFault } from '../../core/sealed/approver-list.ts';
import type { Approver, SealedApprovers } from '../../core/wire/sealed.ts';
import { documentDigest, keyIdOf } from '../../platform/approver-key.ts';
import { verifySeal } from '../../platform/seal-signature.ts';
import type { StoreReader, StoreWriter } from '../../store/store.ts';
import { type Refusal, refusal } from '../refusal.ts';
import { endSealedBy } from './end-sealed.ts';

/** @property server the public key of the server */
interface Publication {
  readonly server: string;
  readonly actorId: string | null;
  readonly nowMs: number;
}

/** Stores the new list, and ends what keys have sealed that are no longer on it, in one transaction. */
export async function publishApprovers(
  rows: StoreWriter,
  sealed: SealedApprovers,
  { server, actorId, nowMs }: Publication,
): Promise<Result<SealedApprovers, Refusal>> {
  await rows.lockRequest('approvers', '');
  const held = await rows.lastApprovers();
  const fault = (await listFault(rows, held, sealed, server)) ?? sealFaultOf(held, sealed);
  if (fault !== null) return failed(refusal('approvers.unfit', fault));
  await rows.insertApprovers(sealed);
  const { sequence, approvers } = sealed.document;
  const before = held?.document.approvers ?? [];
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
  held: SealedApprovers | undefined,
  { document }: SealedApprovers,
  server: string,
): Promise<string | null> {
  if (approversFault(document) !== null) return 'the list of approvers has an unknown shape';
  if (document.server !== server) return 'this is a list of another server';
  const misnamed = document.approvers.some((each) => each.kind === 'ed25519' && each.keyId !== keyIdOf(each.publicKey));
  if (misnamed) return 'the id of a key on the list is not its digest';
  if (document.previous === null) return beginningFault(rows, held, document.sequence);
  if (held === undefined) return 'there is no list before this one';
  return successorFault(held.document, documentDigest(held.document), document) === null
    ? null
    : 'this list does not follow the newest one; read the newest one and sign again';
}

/** Returns null if a chain may begin: there is none, or no person is left who could sign the next list. */
async function beginningFault(
  rows: StoreReader,
  held: SealedApprovers | undefined,
  sequence: number,
): Promise<string | null> {
  if (held !== undefined && (await mayStillSign(rows, held)))
    return 'there is a list of approvers already; an approver on it signs the next one';
  const first = (held?.document.sequence ?? 0) + 1;
  return sequence === first ? null : `the first list here has the sequence ${first}`;
}

/** Whether a person who could sign the next list is still known here. */
export async function mayStillSign(rows: StoreReader, { document }: SealedApprovers): Promise<boolean> {
  for (const approver of document.approvers.filter((each) => maySignLists(document, each))) {
    if (approver.kind === 'passkey') return true;
    const subject = await rows.subjectByPublicKey(approver.publicKey);
    if (subject?.role === 'approver' && subject.revokedAtMs === null) return true;
  }
  return false;
}

/** Returns null if a person on the list before has signed the list; the first list of a chain is signed by a person on it. */
function sealFaultOf(held: SealedApprovers | undefined, { document, seal }: SealedApprovers): string | null {
  const signers = document.previous === null || held === undefined ? document : held.document;
  const verdict = verifySeal(document, seal, signers);
  if (verdict.kind !== 'sealed') return 'the list is not signed by an approver of the list before';
  return maySignLists(signers, verdict.by) ? null : 'an approver with limits cannot sign a list of approvers';
}
