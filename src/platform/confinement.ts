/** The level to which this host can confine a command, and the profile that our C programs apply to the command. */
import { execFile, execFileSync } from 'node:child_process';
import { lstatSync, realpathSync, statSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { type PlaceKind, replaceAbsentPlaces } from '../core/confinement/absent-places.ts';
import { baseEntriesFor } from '../core/confinement/base-profile.ts';
import type { Confinement, ConfinementLevel } from '../core/confinement/confinement.ts';
import { pinnedPlaces } from '../core/confinement/pinned-places.ts';
import { encodeProfile } from '../core/confinement/profile.ts';
import { type ReachedLevel, reachedText } from '../core/confinement/reached-level.ts';
import { type Failure, failure } from '../core/failure.ts';
import { failed, type Result, success } from '../core/result.ts';
import { dangerousPlace } from '../core/sensitive/dangerous-places.ts';
import { settingsOfHome } from './settings-of-home.ts';

let known: { readonly dist: string; readonly reached: ReachedLevel } | null = null;

/** Returns the level to which this host can confine a command. Asks the kernel once: the level does not change while this process lives. */
export function reachedLevel(dist: string): ReachedLevel {
  if (known?.dist !== dist) known = { dist, reached: probe(dist) };
  return known.reached;
}

const MAX_PROBE_MS = 5000;

function probe(dist: string): ReachedLevel {
  if (process.platform !== 'linux') return levelZero(`${process.platform} has no Landlock`);
  try {
    const file = join(dist, 'bin', 'confinement-level');
    const output = execFileSync(file, {
      env: {},
      encoding: 'utf8',
      timeout: MAX_PROBE_MS,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const [, level, abi, number] = /^([0-3]) (\d+) (\d+)\n$/.exec(output) ?? [];
    if (level === undefined) return levelZero('the probe bin/confinement-level gives no valid answer');
    const landlockAbi = Number(abi);
    return {
      level: Number(level) as ConfinementLevel,
      landlockAbi,
      missing: missingAtLevel(Number(level), landlockAbi, Number(number)),
    };
  } catch {
    return levelZero('the probe bin/confinement-level failed');
  }
}

const levelZero = (missing: string): ReachedLevel => ({ level: 0, landlockAbi: 0, missing });

function missingAtLevel(level: number, abi: number, errno: number): string | null {
  if (level === 3) return null;
  if (level === 2) return `no mount namespace (errno ${errno})`;
  if (level === 1) return 'control of TCP ports needs Linux 6.7';
  return abi === 0
    ? 'this kernel has no Landlock, or does not use it'
    : `Landlock ABI ${abi} is too old; Linux 6.2 is needed`;
}

/** Returns the level that a session of this bash reaches; 0 if bash cannot load builtins (it is static, or built without `enable -f`). */
export async function reachedInSession(bash: string, dist: string): Promise<ReachedLevel> {
  const reached = reachedLevel(dist);
  if (reached.level === 0) return reached;
  const loads = loading.get(bash) ?? loadsBuiltin(bash, dist);
  loading.set(bash, loads);
  if (await loads) return reached;
  return { ...reached, level: 0, missing: `${bash} cannot load confine.so` };
}

const loading = new Map<string, Promise<boolean>>();

function loadsBuiltin(bash: string, dist: string): Promise<boolean> {
  const text = 'enable -f "$1" __ape_confine && __ape_confine off';
  const argv = ['--norc', '--noprofile', '-c', text, 'bash', join(dist, 'bin', 'confine.so')];
  return new Promise((resolve) => {
    execFile(bash, argv, { env: {}, timeout: MAX_PROBE_MS }, (error) => resolve(error === null));
  });
}

/**
 * @property dist where our own programs are
 * @property file the first program that is executed; the profile must allow this program. null: a session, in which bash already runs
 * @property reads paths of files that the shell itself reads, such as its script
 * @property home the value of `HOME` for the command; undefined: not set
 * @property notice what a session prints when the status of the line is not 0; null for a one-shot, in which no process
 *                of ours remains that could print
 */
export interface ProfileSurroundings {
  readonly dist: string;
  readonly file: string | null;
  readonly reads: readonly string[];
  readonly home: string | undefined;
  readonly notice: string | null;
}

/**
 * Returns the profile as our C programs read it. Fails (72) if this host reaches a lower level than the approval demands, or if
 * `encodeProfile` fails.
 */
export function profileFor(
  confinement: Confinement,
  { dist, file, reads, home: homeVariable, notice }: ProfileSurroundings,
): Result<Buffer, Failure> {
  const reached = reachedLevel(dist);
  if (reached.level < confinement.level) return failed(levelTooLow(confinement.level, reached));
  const base = [
    ...baseEntriesFor(confinement.tools, homeDirectory()).filter(
      ([, path]) => !path.startsWith(`${homeDirectory()}/`) || !leadsToSecret(path),
    ),
    ...(file === null ? [] : [['execute', file] as const]),
    ...reads.map((path) => ['read', path] as const),
  ];
  const settings = homeVariable === homeDirectory() ? [] : settingsOfHome(confinement.tools, homeVariable);
  const held = { ...confinement, read: [...confinement.read, ...settings] };
  const settled = replaceAbsentPlaces(held, kindOfPlace);
  const text = encodeProfile(settled, base, notice, pinnedPlaces(settled, kindOfPlace));
  return text.ok ? success(Buffer.from(text.value)) : text;
}

/** Returns the kind of the file at `path`; does not follow a link at the end of `path`. `nothing`: missing, or below a regular file. */
export function kindOfPlace(path: string): PlaceKind {
  try {
    const status = lstatSync(path);
    return status.isDirectory() ? 'directory' : status.isFile() ? 'file' : 'unknown';
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : '';
    return code === 'ENOENT' || code === 'ENOTDIR' ? 'nothing' : 'unknown';
  }
}

const levelTooLow = (level: number, reached: ReachedLevel): Failure =>
  failure(
    'confinement',
    `cannot confine it: the approval demands level ${level}, and this host reaches ${reachedText(reached)}; nothing ran`,
    'ask for the exact line, which runs unconfined',
    'confinement.level',
  );

let home: string | null = null;

/** Reads the home directory from the user database, because `HOME` can have an arbitrary value. */
function homeDirectory(): string {
  home ??= userInfo().homedir;
  return home;
}

/**
 * Whether the real path is in a place with secrets: a symbolic link of the user must not give a confined command access to keys. False if
 * the real path cannot be found.
 */
function leadsToSecret(path: string): boolean {
  try {
    return dangerousPlace(realpathSync.native(path), true) !== null;
  } catch {
    return false;
  }
}

/**
 * Returns the `files` with a set-user-ID or set-group-ID bit. In a confined process the bit gives no rights (no_new_privs), so most of these
 * programs fail. Leaves out each file that cannot be looked at.
 */
export const setIdPrograms = (files: readonly string[]): readonly string[] => files.filter(hasSetIdBit);

function hasSetIdBit(file: string): boolean {
  try {
    const status = statSync(file, { throwIfNoEntry: false });
    return status?.isFile() === true && (status.mode & 0o6000) !== 0;
  } catch {
    return false;
  }
}
