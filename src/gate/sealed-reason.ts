/** Makes the reason why sealed grants allow a request to run. Uses the sealed documents, and no text of the server. */
import type { Confinement } from '../core/confinement/confinement.ts';
import { earliestTerm, isForCalls, isForCommands, isForPlan } from '../core/grant/grant.ts';
import { scopeTitle } from '../core/scope/scope-title.ts';
import { partOf } from '../core/sealed/document-fault.ts';
import type { PermitPayload } from '../core/wire/permit.ts';
import type { DecisionDocument, PolicyDocument } from '../core/wire/sealed.ts';

/** The members of a permit that are printed and recorded as the reason why something is allowed to run. */
export type UseReason = Pick<PermitPayload, 'term' | 'scope' | 'coveredBy' | 'confinement'>;

/**
 * @property documents   the verified documents of each grant or policy, in the order of the permit. A grant or policy has one document for
 *                       each person who sealed it. The first document gives the scope and the title
 * @property confinement the confinement that this host has computed; null: the request runs unconfined
 * @property fingerprint the fingerprint of the request that runs
 */
interface Sealed {
  readonly documents: readonly (readonly (DecisionDocument | PolicyDocument)[])[];
  readonly confinement: Confinement | null;
  readonly fingerprint: string;
}

/** Returns the reason. Its term is the earliest term of the documents (`earliestTerm`). */
export function sealedReason(payload: PermitPayload, { documents, confinement, fingerprint }: Sealed): UseReason {
  const terms = documents.flat().flatMap((document) => (document.typ === 'ape-policy/1' ? [] : [document.term]));
  const [first] = documents.flatMap(([document]) => document ?? []);
  const scope = first?.typ === 'ape-decision/1' && first.fingerprint !== fingerprint ? first.scope : null;
  const isByScope = payload.coveredBy !== undefined || (first?.typ === 'ape-decision/1' && isForCommands(first.scope));
  const held = confinement ?? (isByScope ? { level: 0 as const } : undefined);
  return {
    term: earliestTerm(terms),
    ...(isForCalls(scope) ? { scope } : {}),
    ...(payload.coveredBy === undefined
      ? {}
      : { coveredBy: payload.coveredBy.map((one, at) => ({ ...one, title: titleOf(documents[at]?.[0], one.part) })) }),
    ...(held === undefined ? {} : { confinement: held }),
  };
}

function titleOf(document: DecisionDocument | PolicyDocument | undefined, part: number | undefined): string {
  if (document === undefined) return '';
  if (document.typ === 'ape-policy/1') return scopeTitle(document.rule);
  const scope = isForPlan(document.scope) ? (partOf(document, part)?.scope ?? null) : document.scope;
  return scope === null ? 'exactly this' : scopeTitle(scope);
}
