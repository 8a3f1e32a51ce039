/** Checks a sealed approval: the signed document must equal the document that the server makes for this approval. */
import { type Grant, hasNeededSeal } from '../../core/grant/grant.ts';
import { endingBy } from '../../core/people/add-approval.ts';
import { approverWith } from '../../core/sealed/approver-list.ts';
import { BREAK_GLASS_MS } from '../../core/sealed/break-glass-key.ts';
import { decisionDocument } from '../../core/sealed/decision-document.ts';
import { isSameDocument } from '../../core/sealed/sealed-text.ts';
import type { DecisionDocument } from '../../core/wire/sealed.ts';
import type { StoreReader, StoreWriter, Subject } from '../../store/store.ts';
import { documentAgeRefusal, ownKeysOnList, sealRefusalOf } from '../identity/approver-keys.ts';
import { breakGlassEndMs } from '../identity/break-glass.ts';
import { type Refusal, refusal } from '../refusal.ts';
import type { ServerParts } from '../server-ports.ts';
import type { GrantCommand } from './grant-command.ts';

/**
 * Makes the document of an approval; null if `grant` is not approved. If a person approves with a break-glass code, the approval in the
 * document ends at most 15 minutes after the sign-in with this code. Hosts refuse such an approval if it ends more than 15 minutes after
 * the decision.
 * @param grant the grant as it is after the approval
 */
export function documentOf(
  { serverKey }: Pick<ServerParts, 'serverKey'>,
  by: Subject,
  grant: Grant,
  decidedAtMs: number,
  approversSequence: number,
): DecisionDocument | null {
  const untilMs = breakGlassEndMs(by);
  // If the clock went back, the sign-in can be later than the decision.
  const endMs = untilMs === null ? null : Math.min(untilMs, decidedAtMs + BREAK_GLASS_MS);
  const { term, scope, confinement } = endingBy(grant, endMs);
  if (term === null) return null;
  const facts = { server: serverKey.publicKey, decidedAtMs, approversSequence };
  const document = decisionDocument(facts, grant, { term, scope, confinement });
  const { expiresAtMs } = document;
  return endMs === null || expiresAtMs === null ? document : { ...document, expiresAtMs: Math.min(expiresAtMs, endMs) };
}

/**
 * Adds the sealer's name to a sealed approval. The name comes from the newest list of approvers. Drops a name that the caller sent. Returns
 * a command without a sealed approval unchanged.
 */
export async function withSealerName(rows: StoreReader, command: GrantCommand): Promise<GrantCommand> {
  if (command.kind !== 'approve' || command.sealed === undefined) return command;
  // Seals of other people (`also`) are dropped too: this server has its own record of those seals.
  const { document, seal } = command.sealed;
  const list = await rows.lastApprovers();
  const name = list === undefined ? undefined : approverWith(list.document, seal.keyId)?.name;
  return { ...command, sealed: { document, seal, ...(name === undefined ? {} : { by: name }) } };
}

/** Returns a refusal if the host demands a seal, and the approval has no seal. */
export const unsealedRefusal = (grant: Grant, approval: { readonly sealed?: unknown }): Refusal | null =>
  hasNeededSeal(approval, grant.sealedOnly === true) ? null : refusal('seal.needed', SEAL_NEEDED, grant);

const SEAL_NEEDED =
  'the host of this request runs only what is approved with a passkey or an owner key. Register a passkey on the page Devices and have it admitted as an approver, or approve with `apes grants approve`';

/**
 * Checks the seal of an approval. Returns null if there is no seal, or if a key of this approver recently signed exactly this approval.
 * @param next the grant as it is after the approval
 */
export async function sealRefusal(
  parts: ServerParts,
  rows: StoreWriter,
  by: Subject,
  next: Grant,
  nowMs: number,
): Promise<Refusal | null> {
  const { sealed } = next;
  if (sealed === undefined) return null;
  const own = await ownKeysOnList(rows, by);
  if (!own.ok) return own.failure;
  const { decidedAtMs } = sealed.document;
  const late = documentAgeRefusal(decidedAtMs, nowMs);
  if (late !== null) return late;
  const expected = documentOf(parts, by, next, decidedAtMs, own.value.list.document.sequence);
  if (expected === null || !isSameDocument(expected, sealed.document))
    return refusal(
      'seal.unfit',
      'the signed document is not for this approval; look at the request again and decide again',
    );
  return sealRefusalOf(expected, sealed.seal, own.value);
}
