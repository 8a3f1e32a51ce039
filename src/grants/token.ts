/**
 * Signs a challenge of the server with the key of a requester or an owner, and gets a short-lived token. The token is kept in a private
 * file that all processes share.
 */
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Failure } from '../core/failure.ts';
import { type Result, success } from '../core/result.ts';
import type { Clock } from '../platform/clock.ts';
import { errorCode, readPrivateFile, writePrivateFile } from '../platform/private-files.ts';
import { type Identity, loadIdentity } from './enrolment.ts';
import type { Server } from './http.ts';
import { hasNextKey } from './next-key.ts';
import { authenticate, type FreshToken } from './prove-key.ts';

/** A token is not used for a new call if it ends within this time. */
const MARGIN_MS = 30_000;

interface StoredToken {
  readonly subjectId: string;
  readonly serverUrl: string;
  readonly token: string;
  readonly expiresAtMs: number;
}

/**
 * Maps the path of each token file to its token. So a session or resident gate does not read the file for every call. The server refuses a
 * token that was revoked meanwhile.
 */
const remembered = new Map<string, StoredToken>();

const tokenPath = (stateDirectory: string, subjectId: string): string =>
  join(stateDirectory, `token-${subjectId}.json`);

/** Removes the kept token of this subject; null: the tokens of all subjects. Throws if a file cannot be removed. */
export function removeTokens(stateDirectory: string, subjectId: string | null): void {
  const paths =
    subjectId === null
      ? namesIn(stateDirectory)
          .filter((name) => /^token-.*\.json$/.test(name))
          .map((name) => join(stateDirectory, name))
      : [tokenPath(stateDirectory, subjectId)];
  for (const path of paths) {
    remembered.delete(path);
    rmSync(path, { force: true });
  }
}

function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  }
}

/**
 * @property stateDirectory where the token is kept, for all processes
 * @property keyDirectory   where the key is kept; absent for an owner key, which cannot be replaced
 */
export interface TokenParts {
  readonly server: Server;
  readonly identity: Identity;
  readonly stateDirectory: string;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly keyDirectory?: string;
}

/**
 * Returns a token for `identity`. Several processes can fetch a token at the same time: the server accepts all these tokens, and
 * each process replaces the whole file.
 * @param mustBeFresh true after the server has refused the kept token: fetches a new token
 */
export async function obtainToken(parts: TokenParts, mustBeFresh: boolean): Promise<Result<string, Failure>> {
  const { server, identity, stateDirectory } = parts;
  const nowMs = parts.clock.nowMs();
  const file = tokenPath(stateDirectory, identity.subjectId);
  if (!mustBeFresh) {
    const isUsable = (kept: StoredToken | null | undefined): kept is StoredToken =>
      kept?.subjectId === identity.subjectId &&
      kept.serverUrl === server.url &&
      kept.expiresAtMs - MARGIN_MS > nowMs &&
      kept.expiresAtMs - nowMs < 3_600_000; // no token lives for an hour; a longer time means that the clock was set back
    const inMemory = remembered.get(file);
    if (isUsable(inMemory)) return success(inMemory.token);
    const kept = readStored(file);
    if (isUsable(kept)) {
      remembered.set(file, kept);
      return success(kept.token);
    }
  }
  const fresh = await freshToken(parts);
  if (!fresh.ok) return fresh;
  const lifetimeMs = fresh.value.expiresAtMs - (fresh.value.serverTimeMs ?? nowMs);
  const kept: StoredToken = {
    subjectId: identity.subjectId,
    serverUrl: server.url,
    token: fresh.value.token,
    expiresAtMs: nowMs + lifetimeMs, // by this host's clock, which can differ from the server's clock
  };
  remembered.set(file, kept);
  writePrivateFile(file, JSON.stringify(kept)); // a failure to write is ignored: the next process fetches a token itself
  return success(fresh.value.token);
}

/**
 * Fetches a token with the key that is on the disk now.
 * - If the server asks for a new key, this host replaces its key at once. If the replacement fails, the host continues with its present
 *   key.
 * - If the server refuses the key and there is a next key, this host repeats the rotation with that next key. Possibly the server accepted
 *   the next key before, but the server's answer did not reach this host.
 */
async function freshToken(parts: TokenParts): Promise<Result<FreshToken, Failure>> {
  const { server, keyDirectory } = parts;
  const identity = identityNow(parts);
  const fresh = await authenticate(server, identity);
  if (keyDirectory === undefined) return fresh;
  const isRefused = !fresh.ok && fresh.failure.detail?.startsWith('auth.') === true;
  const isAsked = fresh.ok && fresh.value.rotate === true;
  if (isAsked || (isRefused && hasNextKey(keyDirectory))) {
    const { rotateHostKey } = await import('./rotate.ts');
    const rotated = await rotateHostKey({ server, identity, keyDirectory });
    if (rotated.ok && rotated.value.kind === 'rotated') return success(rotated.value.token);
  }
  const now = identityNow(parts); // another process has possibly replaced the key meanwhile
  return now.privateKey === identity.privateKey ? fresh : authenticate(server, now);
}

/**
 * Reads the key again, because another process can have replaced the key. Returns `identity` in two cases: the key is an owner key, or the
 * disk has no readable key of this requester for this server.
 */
function identityNow({ identity, keyDirectory }: TokenParts): Identity {
  const now = keyDirectory === undefined ? null : loadIdentity(keyDirectory, 'requester');
  const isSame =
    now?.ok === true &&
    now.value.subjectId === identity.subjectId &&
    now.value.serverPublicKey === identity.serverPublicKey;
  return isSame ? now.value : identity;
}

function readStored(file: string): StoredToken | null {
  const text = readPrivateFile(file);
  if (!text.ok || text.value === null) return null;
  try {
    const value = JSON.parse(text.value) as Partial<StoredToken>;
    return typeof value.token === 'string' && typeof value.expiresAtMs === 'number' ? (value as StoredToken) : null;
  } catch {
    return null;
  }
}
