/** Approves the requests of one group, each `once` and without a scope. One signature confirms or seals all these approvals. */
import { mayApproveTogether } from '../../core/grant/approve-together.ts';
import { type Grant, stateAt } from '../../core/grant/grant.ts';
import { failed, type Result, success } from '../../core/result.ts';
import { batchText } from '../../core/sealed/batch.ts';
import type { ApproveBatchBody, BatchAnswer, ShownGrants } from '../../core/wire/decisions.ts';
import type { BatchToSeal, DecisionDocument } from '../../core/wire/sealed.ts';
import { documentDigest } from '../../platform/approver-key.ts';
import { listedGrant } from '../../store/listed-request.ts';
import type { StoreReader, Subject } from '../../store/store.ts';
import { ownKeysOnList } from '../identity/approver-keys.ts';
import type { Caller } from '../identity/authentication.ts';
import { requestToSeal } from '../identity/seal-by-passkey.ts';
import { type Refusal, refusal } from '../refusal.ts';
import { read, type ServerParts } from '../server-ports.ts';
import { documentToSeal, ownPasskeys } from './approval-to-seal.ts';
import { confirmBatch } from './confirm-approval.ts';
import { changeGrant } from './grant-changes.ts';
import type { GrantCommand } from './grant-command.ts';
import { briefsOf } from './shown-card.ts';
import { visibleGrant } from './visible-grant.ts';

const NOT_ONE_GROUP = refusal(
  'batch.unfit',
  'these requests are not of one group that can be approved together; decide each request alone',
);
const NO_BATCH = refusal(
  'batch.one_by_one',
  'these approvals cannot be sealed with one signature; decide each request alone',
);
const NOT_THESE = refusal('batch.unfit', 'the signature is for other requests; decide each request alone');

type Shown = ShownGrants[number];
type Approve = Extract<GrantCommand, { readonly kind: 'approve' }>;

const onceExactly = (version: number, isByTap: boolean): Approve => ({
  kind: 'approve',
  version,
  term: { kind: 'once' },
  scope: null,
  isConfined: false,
  match: null,
  isByTap,
});

/**
 * Makes a document for each approval that is possible now, in the order of `shown`. Also makes the request for one signature over all
 * documents. If a grant gets no document, the caller must not pass this grant to `approveBatch`. Changes nothing. Fails in these cases:
 * - The requests are not one group.
 * - A host does not accept one signature over several documents.
 * - There are too few or too many documents for a batch.
 * - This approver has no passkey that is on the list of approvers and can sign at this address.
 */
export function batchToSeal(
  parts: ServerParts,
  { subject: by, via }: Caller,
  shown: ShownGrants,
): Promise<Result<BatchToSeal, Refusal>> {
  return read(parts, async (rows) => {
    const own = await ownKeysOnList(rows, by);
    if (!own.ok) return own;
    const passkeys = await ownPasskeys(rows, by, own.value);
    const waiting = await waitingOf(parts, rows, by, shown);
    if (!waiting.ok) return waiting;
    const documents: DecisionDocument[] = [];
    for (const { grant, version } of waiting.value) {
      if (grant.batches !== true) return failed(NO_BATCH); // its host would refuse the seal
      const command = onceExactly(version, via === 'session');
      const document = await documentToSeal(parts, rows, by, { grant, command, own: own.value });
      if (document.ok) documents.push(document.value);
    }
    const batch = documents.map(documentDigest);
    const text = batchText(batch);
    if (text === null) return failed(NO_BATCH);
    const passkey = requestToSeal(parts, text, passkeys);
    return passkey === null ? failed(NO_PASSKEY) : success({ documents, batch, passkey });
  });
}

const NO_PASSKEY = refusal('seal.unfit', 'none of your passkeys on the list of approvers can sign here');

/**
 * Approves each request that can be approved. A request that was decided meanwhile does not prevent the other approvals. Fails, and
 * approves nothing, in these cases:
 * - The requests are not one group.
 * - A needed signature is missing.
 * - The signature is not for exactly these requests.
 */
export async function approveBatch(
  parts: ServerParts,
  caller: Caller,
  body: ApproveBatchBody,
): Promise<Result<BatchAnswer, Refusal>> {
  const { grants, sealed } = body;
  const { subject, via } = caller;
  if (sealed !== undefined && !areFor(grants, sealed.documents)) return failed(NOT_THESE);
  const group = await read(parts, (rows) => waitingOf(parts, rows, subject, grants));
  if (!group.ok) return group;
  const refused = await confirmBatch(parts, caller, body);
  if (refused !== null) return failed(refused);
  const answer: { approved: string[]; refused: BatchAnswer['refused'][number][] } = { approved: [], refused: [] };
  for (const [at, { id, version }] of grants.entries()) {
    const command = { ...onceExactly(version, via === 'session'), ...sealAt(sealed, at) };
    const changed = await changeGrant(parts, subject, id, command);
    if (changed.ok) answer.approved.push(id);
    else answer.refused.push({ id, code: changed.failure.code, message: changed.failure.message });
  }
  return success(answer);
}

function sealAt(sealed: ApproveBatchBody['sealed'], at: number): Pick<Approve, 'sealed'> {
  const document = sealed?.documents[at];
  return sealed === undefined || document === undefined ? {} : { sealed: { document, seal: sealed.seal } };
}

const areFor = (grants: ShownGrants, documents: readonly DecisionDocument[]): boolean =>
  documents.length === grants.length && grants.every(({ id }, at) => documents[at]?.grantId === id);

/**
 * Returns the grants that still wait and that `by` may see. The result can be empty. Fails if `mayApproveTogether` returns false for these
 * grants, or if `shown` has a grant twice.
 */
async function waitingOf(
  parts: ServerParts,
  rows: StoreReader,
  by: Subject,
  shown: ShownGrants,
): Promise<Result<readonly (Shown & { readonly grant: Grant })[], Refusal>> {
  if (new Set(shown.map(({ id }) => id)).size !== shown.length) return failed(NOT_ONE_GROUP);
  const nowMs = parts.clock.nowMs();
  const waiting: (Shown & { readonly grant: Grant })[] = [];
  for (const each of shown) {
    const grant = await visibleGrant(rows, each.id, by);
    if (grant.ok && stateAt(grant.value, nowMs) === 'pending') waiting.push({ ...each, grant: grant.value });
  }
  const briefs = await briefsOf(
    parts,
    rows,
    waiting.map(({ grant }) => listedGrant(grant)),
    by,
  );
  return waiting.length === 0 || mayApproveTogether(briefs) ? success(waiting) : failed(NOT_ONE_GROUP);
}
