/** A list of approvers for people: the digest that two of them compare, and who is on it. */
import { limitsText, quorumText } from '../../core/people/limits-text.ts';
import { visibleLine } from '../../core/text/visible-text.ts';
import type { SealedApprovers } from '../../core/wire/sealed.ts';
import { documentDigest } from '../../platform/approver-key.ts';

/** `3f2a-91c0-…`: short enough to be read aloud, too long for two lists to have the same. */
export const comparedDigest = ({ document }: SealedApprovers): string =>
  (documentDigest(document).slice(0, 32).match(/.{4}/g) ?? []).join('-');

export function approversText(list: SealedApprovers): string {
  const rows = list.document.approvers.map(
    ({ name, kind, keyId }) =>
      `  ${visibleLine(name)}  (${kind === 'passkey' ? 'passkey' : 'key'} ${visibleLine(keyId)})\n`,
  );
  return `list ${list.document.sequence}, digest ${comparedDigest(list)}\n${rows.join('')}${peopleText(list)}`;
}

/** The rules for people by which hosts check approvals, besides the signatures. */
function peopleText({ document: { people } }: SealedApprovers): string {
  if (people === undefined) return '';
  const persons = people.persons.flatMap(({ id, limits }) =>
    limits === null ? [] : [`  ${id} ${visibleLine(limitsText(limits))}\n`],
  );
  return `${persons.join('')}  people it takes: ${quorumText(people.quorum)}\n`;
}

export const approversData = (list: SealedApprovers) => ({
  sequence: list.document.sequence,
  digest: comparedDigest(list),
  approvers: list.document.approvers.map(({ name, kind, keyId }) => ({ name, kind, keyId })),
  ...(list.document.people === undefined ? {} : { people: list.document.people }),
});
