/** Locks. A lock is a file that contains the process id of its holder. The lock of a killed process is stale: `takeLock` removes it. */
import { linkSync, readFileSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
import { type Failure, failure } from '../core/failure.ts';
import { systemClock } from './clock.ts';
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
 * The locks that this process holds. A lock that is not in this set but contains our process id is stale. A killed process had the same id
 * before, for example in a container that was started again. All bundles of this module in one process share the set.
 */
const shared = globalThis as { [OWN]?: Set<string> };
shared[OWN] ??= new Set();
const own = shared[OWN];

/** The removal of a stale lock takes microseconds. So a `.break` file that is older than 10 s was left by a killed process. */
const BREAKER_LIFETIME_MS = 10_000;

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
 * process could remove the new lock of the first process.
 */
function breakStale(path: string, draft: string, isAlive: (pid: number) => boolean): void {
  const breaker = `${path}.break`;
  if (!link(draft, breaker)) {
    if (ageMs(breaker) > BREAKER_LIFETIME_MS) remove(breaker);
    return;
  }
  try {
    // A missing lock is not stale: another process has removed it, and may take it at this moment.
    if (statSync(path, { throwIfNoEntry: false }) !== undefined && lockHolder(path, isAlive) === null) remove(path);
  } finally {
    remove(breaker);
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

function ageMs(path: string): number {
  try {
    return systemClock.nowMs() - statSync(path).mtimeMs;
  } catch {
    return 0;
  }
}

function remove(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // Another process has removed the file, or this user may not remove it.
  }
}
