/**
 * Makes root's pin for `apes shell install`: copies a user's pin to a file that only root can write. An existing file stays as it is. The
 * file counts for all accounts. So it is not written if another account has a different grant server or a different pin.
 */
import { lstatSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { type Failure, failure, failureText } from '../../core/failure.ts';
import { quoteWord } from '../../core/text/quote.ts';
import { visibleLine } from '../../core/text/visible-text.ts';
import { ownPinPath, type PinContent, pinOf, readSystemPin, SYSTEM_PIN } from '../../grants/approver-pin.ts';
import { keysAtLogin } from '../../platform/paths.ts';
import { comparedDigest } from '../approvers/list-text.ts';
import { writeSystemPin } from '../approvers/system-pin.ts';
import type { Account } from './account.ts';
import { isRoot } from './chosen-account.ts';
import { accountsDisturbedBy, isSamePin } from './other-pins.ts';
import type { OwnPin } from './trial-job.ts';

/**
 * @property outcome
 *   - `made`: root's pin was written now
 *   - `kept`: root's pin existed, for the user's grant server. The user has the same pin (`isSamePin`), or no pin for this server
 *   - `other`: root's pin existed. It is for another grant server, or differs from the user's pin
 *   - `beside`: root's pin was not written; the user's pin stays beside the user's keys
 *   - `none`: neither root nor the user has a pin for the user's grant server
 *   - `failed`: root's pin cannot be read or written
 * @property line    a line for people, without a line feed at the end
 * @property problem only if the outcome is `failed`
 */
export interface PinReport {
  readonly outcome: 'made' | 'kept' | 'other' | 'beside' | 'none' | 'failed';
  readonly line: string;
  readonly problem?: Failure;
}

/**
 * Writes no pin if root's pin exists, if the caller is not root, if the account is root, or if another
 * account has another server or pin.
 * @param own the pin beside the keys of the account, as the trial process (`trial-job.ts`) has read it
 */
export function setUpSystemPin({ name, uid, home }: Account, own: OwnPin, path: string = SYSTEM_PIN): PinReport {
  const there = readSystemPin(path);
  if (!there.ok) return failing(there.failure);
  const file = ownPinPath(keysAtLogin(home));
  const kept = own.text === null ? null : pinOf(own.text);
  // A pin for another server is left from an earlier enrolment. Such a pin does not count.
  const pin = kept?.server === own.server ? kept : null;
  if (there.value !== null) return existingPinReport({ name, file, server: own.server }, there.value, pin, path);
  if (pin === null) return { outcome: 'none', line: noPinText(name, own, kept) };
  const byHand = `as root: apes approvers pin --system ${quoteWord(file)}`;
  const beside = (why: string): PinReport => ({
    outcome: 'beside',
    line: `the approvers of ${name} stay pinned in ${visibleLine(file)}, ${why}`,
  });
  if (uid === 0) return beside('because root can write everywhere');
  if (!isRoot()) return beside(`where ${name} can write; ${byHand}`);
  const disturbed = accountsDisturbedBy(pin, name);
  if (disturbed.length > 0)
    return beside(
      `because ${path} counts for all users, and ${disturbed.map(visibleLine).join(', ')} ${disturbed.length === 1 ? 'has' : 'have'} another grant server or another pin; to pin these approvers for all users anyway, ${byHand}`,
    );
  return writePin(name, pin, path);
}

function writePin(name: string, pin: PinContent, path: string): PinReport {
  const unwritten = writeSystemPin(pin, 'first', path);
  if (unwritten !== null)
    return failing({ ...unwritten, advice: `look at ${dirname(path)}, and call this verb again` });
  const read = readSystemPin(path);
  const isForAll = (lstatSync(dirname(path)).mode & 0o005) === 0o005;
  if (read.ok && isForAll)
    return {
      outcome: 'made',
      line: `the approvers of ${name} are pinned for all users in ${path} now (${pinText(pin)}); compare the digest with apes approvers list where they approve`,
    };
  // If users could not read the pin, or others could change the pin, the gate would refuse everything.
  rmSync(path, { force: true });
  return failing(
    read.ok
      ? failure(
          'configuration',
          `users cannot read ${dirname(path)}`,
          `chmod 755 ${dirname(path)}, and call this verb again`,
        )
      : read.failure,
  );
}

function existingPinReport(
  { name, file, server }: { readonly name: string; readonly file: string; readonly server: string | null },
  there: PinContent,
  own: PinContent | null,
  path: string,
): PinReport {
  if (there.server !== server)
    return {
      outcome: 'other',
      line: `the approvers pinned in ${path} belong to another grant server than that of ${name}, so nothing runs for ${name}; as root you can replace this pin: apes approvers pin --system FILE`,
    };
  if (own === null || isSamePin(own, there))
    return { outcome: 'kept', line: `the approvers are pinned in ${path} already (${pinText(there)})` };
  return {
    outcome: 'other',
    line: `the pin in ${path} (${pinText(there)}) differs from the pin of ${name} in ${visibleLine(file)} (${pinText(own)}), and was not changed; compare the two; as root you can replace the pin in ${path}: apes approvers pin --system FILE`,
  };
}

const pinText = ({ list, sealed }: PinContent): string =>
  `list ${list.document.sequence}, digest ${comparedDigest(list)}, ${sealed === 'required' ? 'sealed approvals only' : 'approvals with and without a seal'}`;

function noPinText(name: string, { text, fault }: OwnPin, kept: PinContent | null): string {
  const why =
    fault !== null
      ? `the pin of ${name} cannot be read (${visibleLine(fault)})`
      : text !== null && kept === null
        ? `the pin of ${name} is damaged`
        : kept === null
          ? `${name} has no approvers pinned`
          : `the approvers that ${name} has pinned belong to another grant server`;
  return `${why}, so the server alone vouches for approvals; to pin approvers: sudo -u ${name} -H apes approvers pin, then apes shell install --user ${name} again`;
}

const failing = (problem: Failure): PinReport => ({ outcome: 'failed', line: failureText(problem), problem });

/**
 * Returns the line that `apes shell uninstall` prints if root's pin stays; null: there is no such pin. A pin that cannot be read also
 * stays.
 */
export function stayingPinText(path: string = SYSTEM_PIN): string | null {
  const there = readSystemPin(path);
  return there.ok && there.value === null
    ? null
    : `${path} stays: the approvers in it count for all users of this machine; to remove it, as root: rm ${path}`;
}
