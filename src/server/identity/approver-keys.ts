/** Finds the keys of one approver on the newest list of approvers, and checks that a seal was made with one of these keys. */
import { failed, type Result, success } from '../../core/result.ts';
import { CLOCK_DIFFERENCE_MS, isBreakGlassKey, keyEndMs } from '../../core/sealed/break-glass-key.ts';
import type { SealableDocument } from '../../core/sealed/sealed-text.ts';
import type { Approver, Seal, SealedApprovers } from '../../core/wire/sealed.ts';
import { verifySeal } from '../../platform/seal-signature.ts';
import type { StoreReader, Subject } from '../../store/store.ts';
import { type Refusal, refusal } from '../refusal.ts';
import { breakGlassKeyOf } from './break-glass.ts';

/** @property keys the keys of one approver on the list; at least one */
export interface OwnKeysOnList {
  readonly list: SealedApprovers;
  readonly keys: readonly Approver[];
}

/**
 * Returns the keys of this approver on the newest list of approvers. Fails if there is no list, or if the list has no key of this approver.
 */
export async function ownKeysOnList(rows: StoreReader, by: Subject): Promise<Result<OwnKeysOnList, Refusal>> {
  const list = await rows.lastApprovers();
  if (list === undefined)
    return failed(
      refusal('seal.unfit', 'there is no list of approvers yet; apes owner key create --here makes the first list'),
    );
  const own = await rows.passkeys.passkeysOf(by.id);
  const credentials = new Set(
    own.filter(({ copiedAtMs }) => copiedAtMs === null).map(({ credentialId }) => credentialId),
  );
  const { approvers } = list.document;
  const keys =
    by.role === 'break-glass'
      ? keysOfCode(approvers, await breakGlassKeyOf(rows, by), by.createdAtMs)
      : approvers.filter((approver) => !isBreakGlassKey(approver) && isOf(by, credentials, approver));
  return keys.length > 0
    ? success({ list, keys })
    : failed(
        refusal(
          'seal.unfit',
          'none of your keys is on the list of approvers; an approver on the list can add a key of yours',
        ),
      );
}

const isOf = ({ publicKey }: Subject, credentials: ReadonlySet<string>, approver: Approver): boolean =>
  approver.kind === 'ed25519' ? approver.publicKey === publicKey : credentials.has(approver.keyId);

/** @param openedMs when the person signed in with the break-glass code. A key that had expired at that moment is left out */
const keysOfCode = (approvers: readonly Approver[], publicKey: string | null, openedMs: number): readonly Approver[] =>
  approvers.filter((approver) => approver.publicKey === publicKey && openedMs < (keyEndMs(approver) ?? 0));

/** Returns null if one of these keys has signed exactly this document, or a batch that contains the document. */
export function sealRefusalOf(document: SealableDocument, seal: Seal, { list, keys }: OwnKeysOnList): Refusal | null {
  if (!keys.some(({ keyId }) => keyId === seal.keyId))
    return refusal('seal.unfit', 'this seal is not by a key of yours that is on the list of approvers');
  return verifySeal(document, seal, list.document).kind === 'sealed'
    ? null
    : refusal('seal.unfit', 'the signature does not fit the document');
}

/** The highest accepted age of a document. An approver can have a page open for a while before signing. */
export const OLDEST_SEAL_MS = 10 * 60_000;

/** Returns null if the document was made at most `OLDEST_SEAL_MS` ago, or at most `CLOCK_DIFFERENCE_MS` in the future. */
export function documentAgeRefusal(decidedAtMs: number, nowMs: number): Refusal | null {
  if (decidedAtMs < nowMs - OLDEST_SEAL_MS)
    return refusal('seal.unfit', 'this was signed too long ago; look again and decide again');
  return decidedAtMs > nowMs + CLOCK_DIFFERENCE_MS
    ? refusal(
        'seal.unfit',
        "the time of the signature is after the server's time; correct the clocks, and decide again",
      )
    : null;
}
