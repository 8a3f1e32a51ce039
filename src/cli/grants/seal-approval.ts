/** Seals the approval of `apes grants approve`. Signs a document only if it is exactly the approval that the person asked for here. */
import { type Failure, failure } from '../../core/failure.ts';
import { failed, type Result, success } from '../../core/result.ts';
import { decisionDocument } from '../../core/sealed/decision-document.ts';
import { isSameDocument } from '../../core/sealed/sealed-text.ts';
import type { ApproveBody } from '../../core/wire/decisions.ts';
import type { GrantView } from '../../core/wire/grant-view.ts';
import type { DecisionDocument, DecisionToSeal } from '../../core/wire/sealed.ts';
import { callWithToken, failureOfAnswer, type GrantClient } from '../../grants/client.ts';
import { keyIdOf, sealWithKey } from '../../platform/approver-key.ts';
import { publicKeyOf } from '../../platform/key-pair.ts';
import { fingerprintOf } from '../../platform/surroundings.ts';
import { lookBeforeSigning, type Signer } from './look-before-signing.ts';

/**
 * Returns the body with a seal. Returns the body without a seal if the server has no list of approvers, or if this key is not on the list:
 * only the server then vouches for the approval. Fails if the server's document is for another approval, or if the person has not seen
 * what the approval covers.
 */
export async function withSeal(
  signer: Signer,
  client: GrantClient,
  grant: GrantView,
  body: ApproveBody,
): Promise<Result<ApproveBody, Failure>> {
  const { privateKey } = client.identity;
  const publicKey = publicKeyOf(privateKey) ?? '';
  for (;;) {
    const fetched = await documentToSeal(client, grant, body);
    if (!fetched.ok) return fetched;
    if (!fetched.value?.keys.some(({ keyId }) => keyId === keyIdOf(publicKey))) return success(body);
    const { document } = fetched.value;
    if (!isWhatWasAsked(client, grant, body, document)) return failed(NOT_ASKED);
    const look = await lookBeforeSigning(signer, client, grant, document);
    if (look.kind === 'unseen') return failed(look.failure);
    // If the person was asked, the next round fetches the document again: the server refuses a document that is older than ten minutes.
    if (look.kind === 'seen')
      return success({ ...body, sealed: { document, seal: sealWithKey(document, privateKey, publicKey) } });
  }
}

/** Returns null if no list of approvers on the server has a key of this approver, or if the server is too old to have such lists. */
async function documentToSeal(
  client: GrantClient,
  grant: GrantView,
  body: ApproveBody,
): Promise<Result<DecisionToSeal | null, Failure>> {
  const path = `/v1/grants/${encodeURIComponent(grant.id)}/approval-document`;
  const answer = await callWithToken(client, { method: 'POST', path, body });
  if (!answer.ok) return answer;
  const { status } = answer.value;
  if (status === 200) return success(answer.value.body as DecisionToSeal);
  const refused = failureOfAnswer(client, answer.value);
  const isWithoutList = refused.detail === 'seal.unfit' || (status === 404 && refused.code === 'protocol');
  return isWithoutList ? success(null) : failed(refused);
}

const NOT_ASKED = failure(
  'protocol',
  'the server asks for a signature of another decision than the decision made here; nothing is signed',
  'do not approve before you know why the server does this',
  'seal.not-asked',
);

const MAX_SKEW_MS = 10 * 60_000;

/**
 * Whether the server's document equals our own. We make our own document from the request shown here and the options given here. From the
 * server's document we copy only the time, the number of the list of approvers and, with `--confined`, the confinement. Returns false if
 * the time of the server's document is more than ten minutes away from our clock.
 */
function isWhatWasAsked(
  { identity, clock }: GrantClient,
  grant: GrantView,
  { term, scope, confined }: ApproveBody,
  document: DecisionDocument,
): boolean {
  const { decidedAtMs, approversSequence, confinement } = document;
  if ('forMs' in term || Math.abs(decidedAtMs - clock.nowMs()) > MAX_SKEW_MS) return false;
  if (confined === true && confinement === null) return false;
  const expected = decisionDocument(
    { server: identity.serverPublicKey, decidedAtMs, approversSequence },
    { ...grant, fingerprint: fingerprintOf(grant.request) },
    { term, scope: scope ?? null, confinement: confined === true ? confinement : null },
  );
  return isSameDocument(expected, document);
}
