/** Makes the text of a list of approvers: the digest, the approvers and the rules for people. Two people compare the digest. */
import { limitsText, quorumText } from '../../core/people/limits-text.ts';
import { isBreakGlassKey, keyEndMs } from '../../core/sealed/break-glass-key.ts';
import { visibleLine } from '../../core/text/visible-text.ts';
import type { Approver, SealedApprovers } from '../../core/wire/sealed.ts';
import { documentDigest } from '../../platform/approver-key.ts';

/**
 * Returns the first 128 bits of the digest as `3f2a-91c0-…`. People can read this text aloud. In practice, no two lists have the same text.
 */
export const comparedDigest = ({ document }: SealedApprovers): string =>
  (documentDigest(document).slice(0, 32).match(/.{4}/g) ?? []).join('-');

/** @param revoked the ids of the keys that the server does not accept any more */
export function approversText(list: SealedApprovers, revoked: ReadonlySet<unknown> = new Set()): string {
  const rows = list.document.approvers.map((approver) => {
    const note = revoked.has(approver.keyId) ? '; revoked on the server, remove it: apes approvers remove' : '';
    return `  ${visibleLine(approver.name)}  (${kindOf(approver)} ${visibleLine(approver.keyId)}${endOf(approver)}${note})\n`;
  });
  return `list ${list.document.sequence}, digest ${comparedDigest(list)}\n${rows.join('')}${peopleText(list)}`;
}

const kindOf = (approver: Approver): string =>
  approver.kind === 'passkey' ? 'passkey' : isBreakGlassKey(approver) ? 'break-glass key' : 'key';
/** The end of a break-glass key, as text after the id; empty for any other approver. */
const endOf = (approver: Approver): string => {
  const endMs = keyEndMs(approver);
  return endMs === null ? '' : `, until ${new Date(endMs).toISOString().slice(0, 10)}`;
};

/** Makes the text of the rules for people. Hosts check approvals by these rules, and by the signatures. */
function peopleText({ document: { people } }: SealedApprovers): string {
  if (people === undefined) return '';
  const persons = people.persons.flatMap(({ id, limits }) =>
    limits === null ? [] : [`  ${id} ${visibleLine(limitsText(limits))}\n`],
  );
  return `${persons.join('')}  approvals needed, by risk: ${quorumText(people.quorum)}\n`;
}

export const approversData = (list: SealedApprovers, revoked: ReadonlySet<unknown> = new Set()) => ({
  sequence: list.document.sequence,
  digest: comparedDigest(list),
  approvers: list.document.approvers.map((approver) => {
    const { name, kind, keyId } = approver;
    return {
      name,
      kind,
      keyId,
      ...(revoked.has(keyId) ? { revoked: true } : {}),
      ...(isBreakGlassKey(approver) ? { breakGlass: true, expiresAtMs: keyEndMs(approver) } : {}),
    };
  }),
  ...(list.document.people === undefined ? {} : { people: list.document.people }),
});
