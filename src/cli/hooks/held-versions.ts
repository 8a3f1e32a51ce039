/** Stores the result of `apes hooks check` for each harness on this host. The next check and `apes health` read these results. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Failure } from '../../core/failure.ts';
import type { Standing, TriedVersion, Tries } from '../../harness/harness-version.ts';
import type { HookPlan, Scope } from '../../harness/hook-file.ts';
import { ensurePrivateDirectory, readPrivateFile, writePrivateFile } from '../../platform/private-files.ts';

/**
 * @property standing the result of the last check
 * @property version  the version that the last check found; null: not known
 */
export interface KnownHarness extends Tries {
  readonly harness: string;
  readonly scope: Scope;
  readonly standing: Standing['kind'];
  readonly version: string | null;
}

const folderIn = (state: string): string => join(state, 'hooks-held');
const fileOf = (state: string, harness: string, scope: Scope): string =>
  join(folderIn(state), `${harness}-${scope}.json`);

/** Returns the digest of the shim and of the entries that the plan writes. Other entries in the same files do not change the digest. */
export function entriesDigest({ files, shim }: HookPlan): string {
  const texts = files.map((file) => {
    const own = file.apply(null);
    return [file.path, own.ok ? own.value : null];
  });
  return createHash('sha256')
    .update(JSON.stringify([texts, shim]))
    .digest('hex');
}

/**
 * Returns null if the record of this harness and scope is missing, unreadable or damaged.
 * @param state the state directory of this installation
 */
export const readKnown = (state: string, harness: string, scope: Scope): KnownHarness | null =>
  knownIn(fileOf(state, harness, scope));

/** Replaces the record of this harness and scope. Returns null if the record was written. */
export function keepKnown(state: string, known: KnownHarness): Failure | null {
  const unmade = ensurePrivateDirectory(state) ?? ensurePrivateDirectory(folderIn(state));
  return unmade ?? writePrivateFile(fileOf(state, known.harness, known.scope), `${JSON.stringify(known, null, 2)}\n`);
}

/** Returns the record of each checked harness and scope, in no fixed order. Unreadable and damaged records are left out. */
export const allKnown = (state: string): readonly KnownHarness[] =>
  existsSync(folderIn(state))
    ? readdirSync(folderIn(state))
        .filter((name) => name.endsWith('.json'))
        .flatMap((name) => knownIn(join(folderIn(state), name)) ?? [])
    : [];

/** Returns null if the file is missing, unreadable or damaged. */
function knownIn(path: string): KnownHarness | null {
  const text = readPrivateFile(path);
  if (!text.ok || text.value === null) return null;
  try {
    const value = JSON.parse(text.value) as KnownHarness;
    const { harness, standing, held, open = null } = value; // records of earlier versions have no `open`
    const isWhole = typeof harness === 'string' && typeof standing === 'string' && [held, open].every(isTried);
    return isWhole ? { ...value, open } : null;
  } catch {
    return null;
  }
}

const isTried = (tried: TriedVersion | null): boolean =>
  tried === null || [tried.version, tried.digest, tried.at].every((each) => typeof each === 'string');
