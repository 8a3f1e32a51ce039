/**
 * Finds the accounts of this machine for which root's pin would be wrong. If root has a pin, each account uses root's pin, and ignores the
 * pin beside its own keys.
 */
import { closeSync, constants, fstatSync, openSync, readFileSync, statSync } from 'node:fs';
import { ownPinPath, type PinContent, pinOf } from '../../grants/approver-pin.ts';
import { enrolmentPath, parseEnrolment } from '../../grants/enrolment.ts';
import { documentDigest } from '../../platform/approver-key.ts';
import { keysAtLogin } from '../../platform/paths.ts';
import { type Account, accountsWithHome } from './account.ts';

/**
 * Returns the names of the disturbed accounts other than `except`, sorted. An enrolled account is disturbed if its server is not
 * the server of `pin`, or if its own pin for this server is different (`isSamePin`). An unreadable enrolment or pin counts as missing.
 */
export const accountsDisturbedBy = (pin: PinContent, except: string): readonly string[] =>
  accountsWithHome()
    .filter(({ name, home }) => name !== except && home.startsWith('/') && isDisturbed(home, pin))
    .map(({ name }) => name)
    .toSorted();

function isDisturbed(home: Account['home'], pin: PinContent): boolean {
  const keys = keysAtLogin(home);
  const enrolment = parseEnrolment(readOwn(enrolmentPath(keys, 'requester'), home) ?? '');
  if (enrolment === null) return false;
  if (enrolment.serverPublicKey !== pin.server) return true;
  const own = pinOf(readOwn(ownPinPath(keys), home) ?? '');
  // A pin for another server does not count for the server of the enrolment.
  return own !== null && own.server === pin.server && !isSamePin(own, pin);
}

/**
 * Whether both pins have the same list. If `own` requires seals, `other` has to require seals too. The servers of the pins are not
 * compared.
 */
export const isSamePin = (own: PinContent, other: PinContent): boolean =>
  documentDigest(own.list.document) === documentDigest(other.list.document) &&
  (own.sealed === 'optional' || other.sealed === 'required');

const MAX_BYTES = 1024 * 1024;

/**
 * Reads a file in a user's home, as root, without blocking. Returns null if the path is no regular file, if the owner of the home does not
 * own the file, or if the file is too large or cannot be read.
 */
function readOwn(path: string, home: string): string | null {
  let descriptor: number;
  try {
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch {
    return null;
  }
  try {
    const stat = fstatSync(descriptor);
    const isTheirs = stat.isFile() && stat.size <= MAX_BYTES && stat.uid === statSync(home).uid;
    return isTheirs ? readFileSync(descriptor, 'utf8') : null;
  } catch {
    return null;
  } finally {
    closeSync(descriptor);
  }
}
