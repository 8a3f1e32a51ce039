/**
 * Reads the pin: the list of approvers whose seals this host accepts. The requester cannot change a pin that root has put on the host.
 * Any other pin lies beside the requester's keys, and protects only against the server.
 */
import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Failure, failure } from '../core/failure.ts';
import { failed, type Result, success } from '../core/result.ts';
import { approversFault } from '../core/sealed/approver-list.ts';
import type { SealedApprovers } from '../core/wire/sealed.ts';
import { errorCode, readPrivateFile } from '../platform/private-files.ts';

/**
 * @property server the public key of the server that the pin is for
 * @property sealed `required`: on this host, only sealed approvals count; `optional`: approvals without a seal count too
 * @property list   the pinned list of approvers
 */
export interface PinContent {
  readonly server: string;
  readonly sealed: 'optional' | 'required';
  readonly list: SealedApprovers;
}

/** @property isProtected whether only root can change the pin */
export interface Pin extends PinContent {
  readonly path: string;
  readonly isProtected: boolean;
}

export const SYSTEM_PIN = '/etc/ape-shell/approvers';
/** @param keys the directory of the requester's keys */
export const ownPinPath = (keys: string): string => join(keys, 'approvers');

export const pinText = ({ server, sealed, list }: PinContent): string =>
  `${JSON.stringify({ server, sealed, list }, null, 2)}\n`;

/**
 * Returns root's pin if it exists, else the requester's own pin; null if neither exists. Fails if the pin cannot be read. Also fails if
 * users other than root can change the pin at `systemPath`.
 * @param keys the directory of the requester's keys
 */
export function readPin(keys: string, systemPath: string = SYSTEM_PIN): Result<Pin | null, Failure> {
  const system = readSystemPin(systemPath);
  if (!system.ok || system.value !== null) return system;
  const path = ownPinPath(keys);
  const own = readPrivateFile(path);
  if (!own.ok) return own;
  return own.value === null ? success(null) : parsePin(own.value, path, false);
}

/**
 * Returns root's pin; null if the file does not exist. Root's pin counts for all users of this machine. Fails if root's pin cannot be
 * read, or if users other than root can change the pin.
 */
export function readSystemPin(systemPath: string = SYSTEM_PIN): Result<Pin | null, Failure> {
  const system = readOwnedByRoot(systemPath);
  if (!system.ok) return system;
  return system.value === null ? success(null) : parsePin(system.value, systemPath, true);
}

/**
 * Parses the text of a pin. Returns null if the text is not a pin, if its list is faulty, or if the pin and its list name different
 * servers. Does not check the seals of the list.
 */
export function pinOf(text: string): PinContent | null {
  try {
    const value = JSON.parse(text) as Partial<PinContent> | null;
    const isPin =
      (value?.sealed === 'optional' || value?.sealed === 'required') &&
      value.list !== undefined &&
      approversFault(value.list.document) === null &&
      value.server === value.list.document.server;
    return isPin ? (value as PinContent) : null;
  } catch {
    return null;
  }
}

let lastParsed: { readonly text: string; readonly pin: PinContent } | null = null;

/** Caches the last parsed pin. A session reads the same text before every line. */
function parsePin(text: string, path: string, isProtected: boolean): Result<Pin, Failure> {
  const pin = lastParsed?.text === text ? lastParsed.pin : pinOf(text);
  if (pin === null)
    return failed(
      failure(
        'configuration',
        `${path} holds no list of approvers`,
        'pin the list again with apes approvers pin',
        'seal.pin-damaged',
      ),
    );
  lastParsed = { text, pin };
  return success({ ...pin, path, isProtected });
}

/** Returns the text of a file that only root can change; null if the file does not exist. */
function readOwnedByRoot(path: string): Result<string | null, Failure> {
  let descriptor: number;
  try {
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return success(null);
    const code = errorCode(error);
    const advice =
      code === 'ELOOP'
        ? 'it is a symbolic link: as root, put the file itself there'
        : `as root, chmod 644 ${path}, and chmod 755 ${dirname(path)}`;
    return failed(failure('configuration', `cannot read ${path} (${code})`, advice));
  }
  try {
    const isChangedByRootOnly = canOnlyRootWrite(fstatSync(descriptor)) && canOnlyRootWrite(lstatSync(dirname(path)));
    if (isChangedByRootOnly) return success(readFileSync(descriptor, 'utf8'));
    const advice = `as root, chown root and chmod go-w both ${path} and ${dirname(path)}`;
    return failed(failure('configuration', `users other than root can change ${path}`, advice, 'seal.pin-open'));
  } catch (error) {
    return failed(failure('configuration', `cannot read ${path} (${errorCode(error)})`));
  } finally {
    closeSync(descriptor);
  }
}

const canOnlyRootWrite = ({ uid, mode }: { readonly uid: number; readonly mode: number }): boolean =>
  uid === 0 && (mode & 0o022) === 0;
