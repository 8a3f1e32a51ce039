/**
 * The pin: the list of approvers whose seals this host accepts. A pin that root has put on the host cannot be changed by
 * the requester. Any other pin lies beside the requester's keys, and protects only against the server.
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
 * @property sealed `required`: nothing runs on this host that was approved without a seal
 */
interface PinContent {
  readonly server: string;
  readonly sealed: 'optional' | 'required';
  readonly list: SealedApprovers;
}

/** @property isProtected whether only root can change it */
export interface Pin extends PinContent {
  readonly path: string;
  readonly isProtected: boolean;
}

export const SYSTEM_PIN = '/etc/ape-shell/approvers';
export const ownPinPath = (keys: string): string => join(keys, 'approvers');

export const pinText = ({ server, sealed, list }: PinContent): string =>
  `${JSON.stringify({ server, sealed, list }, null, 2)}\n`;

/**
 * The pin of this host, that of root first; null where there is none. A pin that cannot be trusted or read is an error, and
 * never ignored.
 */
export function readPin(keys: string, systemPath: string = SYSTEM_PIN): Result<Pin | null, Failure> {
  const system = readOwnedByRoot(systemPath);
  if (!system.ok) return system;
  if (system.value !== null) return parsePin(system.value, systemPath, true);
  const path = ownPinPath(keys);
  const own = readPrivateFile(path);
  if (!own.ok) return own;
  return own.value === null ? success(null) : parsePin(own.value, path, false);
}

/** Null for a text that is no pin. */
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

let known: { readonly text: string; readonly pin: PinContent } | null = null;

/** The last pin is kept, for a session reads the same text before every line. */
function parsePin(text: string, path: string, isProtected: boolean): Result<Pin, Failure> {
  const pin = known?.text === text ? known.pin : pinOf(text);
  if (pin === null)
    return failed(failure('configuration', `${path} holds no list of approvers`, 'pin it again', 'seal.pin-damaged'));
  known = { text, pin };
  return success({ ...pin, path, isProtected });
}

function readOwnedByRoot(path: string): Result<string | null, Failure> {
  let descriptor: number;
  try {
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return success(null);
    return failed(failure('configuration', `cannot read ${path} (${errorCode(error)})`, 'chmod 644 it'));
  }
  try {
    const isOurs = isRootAlone(fstatSync(descriptor)) && isRootAlone(lstatSync(dirname(path)));
    if (isOurs) return success(readFileSync(descriptor, 'utf8'));
    const advice = `chown root, and chmod go-w, on it and on ${dirname(path)}`;
    return failed(failure('configuration', `${path} can be changed by others than root`, advice, 'seal.pin-open'));
  } catch (error) {
    return failed(failure('configuration', `cannot read ${path} (${errorCode(error)})`));
  } finally {
    closeSync(descriptor);
  }
}

const isRootAlone = ({ uid, mode }: { readonly uid: number; readonly mode: number }): boolean =>
  uid === 0 && (mode & 0o022) === 0;
