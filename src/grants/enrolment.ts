/**
 * Reads and writes the enrolment of this installation: its server, its requester, and the private key of the requester.
 * `apes up` and `apes login` make the enrolment. An owner key is kept in the same form.
 */

import { existsSync, lstatSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Failure, failure } from '../core/failure.ts';
import { failed, type Result, success } from '../core/result.ts';
import { checkPrivate, readPrivateFile, writePrivateFile } from '../platform/private-files.ts';

/**
 * @property serverPublicKey raw Ed25519 key, base64url. This key verifies permits over HTTP. Permits over a persistent connection are
 *                           signed with another key. Both sides agree on that key, and `serverPublicKey` verifies the agreement
 * @property subjectId       the id of the requester, or of the owner key
 * @property host            the host's name at the server; the server refuses a request for another host
 */
interface OwnEnrolment {
  readonly serverUrl: string;
  readonly serverPublicKey: string;
  readonly subjectId: string;
  readonly name: string;
  readonly host: string;
  readonly user: string;
}

/** @property privateKey PKCS #8 PEM */
export interface Identity extends OwnEnrolment {
  readonly privateKey: string;
}

const FIELDS = ['serverUrl', 'serverPublicKey', 'subjectId', 'name', 'host', 'user'] as const;
export type KeyRole = 'requester' | 'owner';

/** The path of the requester's next key. The file exists only while the key is being replaced. */
export const nextKeyPath = (keys: string): string => join(keys, 'requester.next.key');
export const enrolmentPath = (keys: string, role: KeyRole): string => join(keys, `${role}.json`);
export const keyPath = (keys: string, role: KeyRole): string => join(keys, `${role}.key`);

/** Returns the identity in the directory `keys`. If there is no usable identity, the failure (exit status 78) says why. */
export function loadIdentity(keys: string, role: KeyRole): Result<Identity, Failure> {
  if (!existsSync(enrolmentPath(keys, role))) return failed(notEnrolled(role));
  const wide = checkPrivate(keys, 'directory');
  if (wide !== null) return failed(wide);
  const key = readPrivateFile(keyPath(keys, role));
  const file = readPrivateFile(enrolmentPath(keys, role));
  if (!key.ok) return key;
  if (!file.ok) return file;
  if (key.value === null || file.value === null) return failed(notEnrolled(role));
  const enrolment = parseEnrolment(file.value);
  if (enrolment === null)
    return failed(
      failure(
        'configuration',
        `${enrolmentPath(keys, role)} is damaged`,
        'enrol again: apes up, or apes login URL',
        'damaged',
      ),
    );
  return success({ ...enrolment, privateKey: key.value });
}

function notEnrolled(role: KeyRole): Failure {
  return role === 'requester'
    ? failure(
        'configuration',
        'this host is not enrolled with a grant server',
        'run `apes up` for a server here, or `apes login URL`',
        'not-enrolled',
      )
    : failure(
        'configuration',
        'there is no owner key here',
        'decide in the browser, or make an owner key on your own device: apes owner key create --here',
        'no-owner-key',
      );
}

/** Parses an enrolment from JSON. Returns null if the text is not an enrolment. */
export function parseEnrolment(text: string): OwnEnrolment | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (typeof value !== 'object' || value === null) return null;
  const table = value as Record<string, unknown>;
  if (!FIELDS.every((field) => typeof table[field] === 'string' && table[field] !== '')) return null;
  return Object.fromEntries(FIELDS.map((field) => [field, table[field]])) as unknown as OwnEnrolment;
}

/** Writes the enrolment, but not the key. Another process may have replaced the key a moment ago. */
export function saveEnrolment(
  keys: string,
  role: KeyRole,
  { privateKey: _key, ...enrolment }: Identity,
): Failure | null {
  return writePrivateFile(enrolmentPath(keys, role), `${JSON.stringify(enrolment, null, 2)}\n`);
}

/** Writes the key before the enrolment. An enrolment without its key would make every command fail. */
export function saveIdentity(keys: string, role: KeyRole, identity: Identity): Failure | null {
  const unsaved = writePrivateFile(keyPath(keys, role), identity.privateKey) ?? saveEnrolment(keys, role, identity);
  if (unsaved === null && role === 'requester') rmSync(nextKeyPath(keys), { force: true }); // a next key belonged to the earlier identity
  return unsaved;
}

/** Whether at least one file of this identity exists. */
export const hasIdentityFiles = (keys: string, role: KeyRole): boolean => filesOf(keys, role).some(isPresent);

/** Removes the enrolment and its keys from the disk. */
export function removeIdentity(keys: string, role: KeyRole): void {
  for (const path of filesOf(keys, role)) rmSync(path, { force: true });
}

const filesOf = (keys: string, role: KeyRole): readonly string[] => [
  enrolmentPath(keys, role),
  keyPath(keys, role),
  ...(role === 'requester' ? [nextKeyPath(keys)] : []),
];

/** Also true for a symbolic link that leads nowhere. */
const isPresent = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined;
