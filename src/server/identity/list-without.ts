/** Makes the next list of approvers, without one device. Another passkey of the same person on that list signs it on a page. */
import { failed, type Result, success } from '../../core/result.ts';
import { nextApprovers } from '../../core/sealed/approver-list.ts';
import type { ListToSeal } from '../../core/wire/sealed.ts';
import { documentDigest } from '../../platform/approver-key.ts';
import type { Passkey } from '../../store/passkeys.ts';
import type { StoreReader, Subject } from '../../store/store.ts';
import { type Refusal, refusal } from '../refusal.ts';
import { read, type ServerParts } from '../server-ports.ts';
import { requestToSeal } from './seal-by-passkey.ts';

/** Changes nothing: the page sends the signed document to `/v1/approver-lists`. The removed device itself never signs. */
export function listWithout(parts: ServerParts, by: Subject, passkeyId: string): Promise<Result<ListToSeal, Refusal>> {
  return read(parts, async (rows) => {
    const passkey = (await rows.passkeys.passkeysOf(by.id)).find(({ id }) => id === passkeyId);
    if (passkey === undefined)
      return failed(refusal('passkey.unknown', 'there is no such device, or it was removed already'));
    const list = await rows.lastApprovers();
    const isOn = list?.document.approvers.some(({ keyId }) => keyId === passkey.credentialId) === true;
    if (list === undefined || !isOn)
      return failed(refusal('approvers.unfit', 'this device is not on the list of approvers'));
    const { credentialId: removed } = passkey;
    const document = nextApprovers(list.document, documentDigest(list.document), { removed }, parts.clock.nowMs());
    const signers = (await signersOf(rows, by.id)).filter(({ id }) => id !== passkeyId);
    const request = requestToSeal(parts, document, signers);
    if (request === null) return failed(refusal('seal.unfit', NO_SIGNER));
    return success({ document, passkey: request });
  });
}

const NO_SIGNER =
  'no other passkey of yours, for this address, is on the list of approvers: sign the next list on the server’s machine (apes owner devices remove)';

/** The passkeys of this person that are on the newest list and not put aside. */
async function signersOf(rows: StoreReader, personId: string): Promise<readonly Passkey[]> {
  const list = await rows.lastApprovers();
  const listed = new Set(list?.document.approvers.map(({ keyId }) => keyId));
  const own = await rows.passkeys.passkeysOf(personId);
  return own.filter(({ credentialId, copiedAtMs }) => listed.has(credentialId) && copiedAtMs === null);
}
