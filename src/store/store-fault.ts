/** Turns a fault of the database into a failure for people: locked, damaged, read-only, full, unreachable. */

import { type ConnectionFault, type ConnectionRemedy, connectionFault, REMEDIES } from '../core/connection-fault.ts';
import { type Failure, failure } from '../core/failure.ts';
import { isOutdatedPlan, POOL_BUSY } from './whole-connections.ts';

type Meaning = (name: string, text: string) => Failure;

const locked: Meaning = (name) =>
  failure(
    'unavailable',
    `the database ${name} is locked by another process`,
    'try again, or stop the other process',
    'store.locked',
  );
const damaged: Meaning = (name, text) =>
  failure(
    'configuration',
    `the database ${name} is damaged (${text})`,
    'restore it from a copy, or move it away to start with an empty database',
    'store.damaged',
  );
const readOnly: Meaning = (name) =>
  failure(
    'configuration',
    `the database ${name} cannot be written`,
    'check its permissions, its owner and its disk',
    'store.read_only',
  );
const unopened: Meaning = (name, text) =>
  failure(
    'configuration',
    `the database ${name} cannot be opened (${text})`,
    'check its path, permissions and owner',
    'store.unopened',
  );
const busy: Meaning = (name) =>
  failure('unavailable', `the database ${name} is overloaded`, 'try again in a moment', 'store.busy');
const full: Meaning = (name) =>
  failure('unavailable', `the disk of the database ${name} is full`, 'free some space; nothing was lost', 'store.full');
const unreadable: Meaning = (name, text) =>
  failure(
    'unavailable',
    `the disk of the database ${name} does not work (${text})`,
    'check the disk and its cables, or restore the database from a copy',
    'store.disk',
  );
const away: Meaning = (name, text) =>
  failure(
    'unavailable',
    `the database ${name} does not answer (${text})`,
    'check that it runs, then try again',
    'store.away',
  );
const notReachable = (name: string, text: string, { why, remedy }: ConnectionFault): Failure =>
  failure(
    'unavailable',
    `the database ${name} is not reachable: ${why} (${text})`,
    DATABASE_REMEDIES[remedy],
    'store.away',
  );
const DATABASE_REMEDIES: Readonly<Record<ConnectionRemedy, string>> = {
  ...REMEDIES,
  certificate: 'correct its certificate, or the sslmode of its address',
  scheme: 'check the port and the sslmode of its address',
  program: 'check that it runs, then try again',
};
const refused: Meaning = (name, text) =>
  failure(
    'configuration',
    `the database ${name} refuses the connection (${text})`,
    'check its address, user and password',
    'store.refused',
  );

/**
 * The failure for each beginning of an error code; the first match counts. The codes are SQLite's result codes, PostgreSQL's SQLSTATEs and
 * Node's errno names.
 */
const MEANINGS: readonly (readonly [string, Meaning])[] = [
  ['SQLITE_BUSY', locked],
  ['SQLITE_LOCKED', locked],
  ['SQLITE_CORRUPT', damaged],
  ['SQLITE_NOTADB', damaged],
  ['SQLITE_READONLY', readOnly],
  ['SQLITE_PERM', readOnly],
  ['SQLITE_FULL', full],
  // SQLite reports only a full disk as SQLITE_FULL. A write that fails because of a quota or a limit has one of the next two codes.
  ['SQLITE_IOERR_WRITE', full],
  ['SQLITE_IOERR_SHMSIZE', full],
  ['SQLITE_IOERR', unreadable],
  ['SQLITE_CANTOPEN', unopened],
  ['ENOSPC', full],
  ['EDQUOT', full],
  ['EACCES', unopened],
  ['EPERM', unopened],
  ['EROFS', readOnly],
  ['EISDIR', unopened],
  ['ENOTDIR', unopened],
  ['ENOENT', away],
  [POOL_BUSY, busy],
  ['08', away],
  ['57', away],
  ['53100', full],
  ['53', away],
  ['55P03', locked],
  ['25006', readOnly],
  ['42501', readOnly],
  ['28', refused],
  ['3D000', refused],
  ['XX001', damaged],
  ['XX002', damaged],
];

/** @param name the name of the store in messages: a path, or an address without a password */
export function storeFailure(error: unknown, name: string): Failure {
  const text = messageOf(error);
  const code = codeOf(error);
  const [, meaning] = MEANINGS.find(([beginning]) => code.startsWith(beginning)) ?? [];
  if (meaning !== undefined) return meaning(name, text);
  const fault = connectionFault(code);
  if (fault !== null) return notReachable(name, text, fault);
  // The package pg gives no code for a connection that broke or took too long. Errors of the PostgreSQL server have codes. Their texts can
  // be translated, so these texts are not searched.
  if (code === '' && /connection|timeout/i.test(text)) return away(name, text);
  return failure('software', `the database ${name} failed (${text})`, 'please report this', 'store.failed');
}

/**
 * Whether the whole transaction should be tried again. True in three cases: two servers conflicted, the file was locked for a moment, or
 * the connection had an outdated plan.
 */
export function isConflict(error: unknown): boolean {
  const code = codeOf(error);
  return code === '40001' || code === '40P01' || code.startsWith('SQLITE_BUSY') || isOutdatedPlan(error);
}

function codeOf(error: unknown): string {
  const code = error instanceof AggregateError ? codeOf(error.errors[0]) : (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : '';
}

function messageOf(error: unknown): string {
  const message = error instanceof Error ? error.message || codeOf(error) : String(error);
  return message.split('\n', 1)[0] ?? '';
}
