/** Locks. A lock is a file that contains the process id of its holder. The lock of a killed process is stale: `takeLock` removes it. */
import { randomBytes } from 'node:crypto';
import { linkSync, readdirSync, readFileSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { type Failure, failure } from '../core/failure.ts';
import { isOurProcess } from './own-process.ts';
import { errorCode } from './private-files.ts';

/**
 * `held` has two causes: a living process (perhaps this process) holds the lock, or a stale lock could not be removed yet. `pid` is the id
 * in the lock; 0 if the id is not known.
 */
export type LockOutcome =
  | { readonly kind: 'taken'; readonly release: () => void }
  | { readonly kind: 'held'; readonly pid: number }
  | { readonly kind: 'failed'; readonly failure: Failure };

const OWN = Symbol.for('ape-shell.own-locks');
/**
 * The locks that this process holds. A lock that is not in this set but contains our process id is stale: an earlier process with the same
 * id wrote it and was killed, for example before a container was started again. All bundles of this module in one process share the set.
 */
const shared = globalThis as { [OWN]?: Set<string> };
shared[OWN] ??= new Set();
const own = shared[OWN];

/**
 * Takes the lock, or returns the process id of its holder. Fails if the file cannot be written. link(2) makes the file together with its
 * content. So no process reads an incomplete file. `release` does not remove a lock of another process.
 * @param isAlive whether the process with this id still holds the lock
 */
export function takeLock(path: string, isAlive: (pid: number) => boolean = isOurProcess): LockOutcome {
  const draft = `${path}.${process.pid}`;
  try {
    writeFileSync(draft, `${process.pid}\n`, { mode: 0o600 });
    for (let attempt = 0; attempt < 3; attempt++) {
      if (link(draft, path)) {
        own.add(path);
        return { kind: 'taken', release: () => release(path) };
      }
      const holder = lockHolder(path, isAlive);
      if (holder !== null) return { kind: 'held', pid: holder };
      breakStale(path, draft, isAlive);
    }
    return { kind: 'held', pid: holderOf(path) ?? 0 };
  } catch (error) {
    return {
      kind: 'failed',
      failure: failure('system', `cannot write ${path} (${errorCode(error)})`, 'make room or correct the permissions'),
    };
  } finally {
    remove(draft);
  }
}

/** Returns the id of the living process that holds the lock; null if the file names no living process, is missing or cannot be read. */
export function lockHolder(path: string, isAlive: (pid: number) => boolean = isOurProcess): number | null {
  const holder = holderOf(path);
  if (holder === null || (holder === process.pid && !own.has(path))) return null;
  return isAlive(holder) ? holder : null;
}

function link(draft: string, path: string): boolean {
  try {
    linkSync(draft, path);
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  }
}

/**
 * Removes a stale lock. The `.break` file makes sure that only one process at a time removes the lock. Without the `.break` file, a second
 * process could remove the new lock of the first process. No process removes the `.break` file of another living process: even a stopped
 * process can go on later.
 */
function breakStale(path: string, draft: string, isAlive: (pid: number) => boolean): void {
  const breaker = `${path}.break`;
  if (!link(draft, breaker)) {
    if (isLeftOver(holderOf(breaker))) removeLeftOver(breaker, draft);
    return;
  }
  try {
    // A missing lock is not stale: another process has removed it, and may take it at this moment.
    if (statSync(path, { throwIfNoEntry: false }) !== undefined && lockHolder(path, isAlive) === null) remove(path);
  } finally {
    remove(breaker);
  }
}

/**
 * Removes the `.break` file of a killed process. Each process first makes a claim, which is a file with a name of its own, and then looks for
 * other claims. If it finds the claim of a living process, it removes nothing. So only one process at a time removes the `.break` file, and
 * it never removes the new `.break` file of another process. A name is never used again, so each process may remove an old claim.
 */
function removeLeftOver(breaker: string, draft: string): void {
  const claim = `${breaker}.${process.pid}.${randomBytes(8).toString('hex')}`;
  linkSync(draft, claim);
  try {
    for (const name of readdirSync(dirname(breaker))) {
      const other = `${dirname(breaker)}/${name}`;
      if (!name.startsWith(`${basename(breaker)}.`) || name === basename(claim)) continue;
      if (!isLeftOver(Number(name.split('.').at(-2)))) return;
      remove(other);
    }
    if (isLeftOver(holderOf(breaker))) remove(breaker);
  } finally {
    remove(claim);
  }
}

/**
 * Whether the process that wrote this id into a file has ended. If the id is that of this process, an earlier process with the same id
 * wrote the file: this process itself makes only one claim and one `.break` file at a time.
 */
function isLeftOver(pid: number | null): boolean {
  if (pid === null || pid === process.pid) return true;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return errorCode(error) === 'ESRCH';
  }
}

function release(path: string): void {
  if (own.delete(path) && holderOf(path) === process.pid) remove(path);
}

function holderOf(path: string): number | null {
  try {
    const pid = Number(readFileSync(path, 'utf8'));
    return Number.isInteger(pid) && pid > 0 ? pid : null;
  } catch {
    return null;
  }
}

function remove(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // Another process has removed the file, or this user may not remove it.
  }
}
