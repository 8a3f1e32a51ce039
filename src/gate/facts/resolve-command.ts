/**
 * Finds the alias, keyword, function, builtin or file that a command name means now. The search follows bash's own order, on the real
 * file system.
 */
import { accessSync, constants, lstatSync, realpathSync, type Stats, statSync } from 'node:fs';
import { dirname, isAbsolute } from 'node:path';
import { isBuiltinName } from '../../core/reading/builtins.ts';
import { isKeyword, type Resolution, type Surroundings, type Writable } from '../../core/reading/resolution.ts';
import type { Lookup } from '../../core/reading/unwrapping.ts';
import { joinedPath, walkPath } from '../../platform/path-walk.ts';

/**
 * @param name   the word without its quoting
 * @param source the word as written in the line
 */
export function resolveCommand(name: string, source: string, lookup: Lookup, around: Surroundings): Resolution {
  const isShell = lookup === 'bash' || lookup === 'sh';
  const { entries } = around;
  const alias = entries.get(`alias ${name}`);
  // bash does not expand a quoted alias. The alias counts all the same: a standing grant must not cover the name of an alias.
  if (isShell && alias !== undefined) return { kind: 'alias', text: alias };
  if (isShell && isKeyword(source)) return { kind: 'keyword' };
  const text = entries.get(`function ${name}`) ?? entries.get(`BASH_FUNC_${name}%%`);
  if (isShell && text !== undefined) return { kind: 'function', text };
  const isBuiltin = lookup !== 'file' && isBuiltinName(name) && entries.get(`disabled ${name}`) === undefined;
  if (isBuiltin) return { kind: 'builtin' };
  if (lookup === 'builtin') return { kind: 'not found', reason: 'is no builtin of this shell' };
  const hashed = isShell && !name.includes('/') ? entries.get(`hash ${name}`) : undefined;
  // After `hash -p`, bash can run another file than the program that PATH finds. A rule file describes only the program that PATH finds.
  if (hashed !== undefined)
    return { kind: 'unsure', reason: `is ${hashed} in this shell, by its hash table, and not what PATH finds` };
  return findFile(name, around);
}

function findFile(name: string, { cwd, entries }: Surroundings): Resolution {
  if (name === '') return { kind: 'not found', reason: 'has no name' };
  if (name.includes('/')) return fileAt(joinedPath(cwd, name), name);
  const path = entries.get('PATH');
  if (path === undefined) return { kind: 'unsure', reason: 'PATH is not known' };
  let isHidden = false;
  let open: string | null = null;
  for (const folder of path.split(':')) {
    const file = joinedPath(joinedPath(cwd, folder), name);
    const found = look(file);
    if (found === 'other') isHidden = true;
    if (found !== 'program') {
      // bash searches this relative directory before the later directories of PATH. A new program in this directory would run first.
      if (!isAbsolute(folder))
        return {
          kind: 'unsure',
          reason: `PATH also searches ${folder === '' ? 'the working directory' : folder}`,
        };
      if (isOpenToAll(folder)) open ??= folder;
      continue;
    }
    if (!isAbsolute(folder))
      return { kind: 'unsure', reason: 'PATH finds the program in a directory that depends on the working directory' };
    if (open !== null)
      return { kind: 'unsure', reason: `PATH also searches ${open}, in which every user can make a program` };
    return fileAt(file, file);
  }
  return { kind: 'not found', reason: isHidden ? 'is a directory, or is not executable' : 'is nowhere in PATH' };
}

/** Whether every user can make a new file in the directory. The sticky bit does not prevent this. */
function isOpenToAll(directory: string): boolean {
  try {
    const stats = statSync(directory, { throwIfNoEntry: false });
    return stats?.isDirectory() === true && (stats.mode & 0o002) !== 0;
  } catch {
    return false;
  }
}

/** `other`: a directory, or a file that bash would not run. */
function look(file: string): 'program' | 'other' | 'nothing' {
  try {
    const found = statSync(file, { throwIfNoEntry: false });
    if (found === undefined) return 'nothing';
    if (!found.isFile()) return 'other';
    accessSync(file, constants.X_OK);
    return 'program';
  } catch {
    return 'other';
  }
}

function fileAt(file: string, path: string): Resolution {
  const found = look(file);
  if (found === 'nothing') return { kind: 'not found', reason: 'does not exist' };
  if (found === 'other') return { kind: 'not found', reason: 'is a directory, or is not executable' };
  try {
    const realPath = realpathSync.native(file);
    return { kind: 'file', path, realPath, ownerUid: statSync(realPath).uid, writable: writableOnTheWay(file) };
  } catch (error) {
    return {
      kind: 'unsure',
      reason: `cannot be looked at (${error instanceof Error ? error.message : String(error)})`,
    };
  }
}

/**
 * Returns what a user other than root can change: the file itself, and the directories that the kernel searches on the way to the file,
 * also through symbolic links.
 */
function writableOnTheWay(file: string): readonly Writable[] {
  const found = new Map<string, Writable>();
  const note = (path: string): void => {
    const by = writerOf(path, statSync(path));
    if (by !== null) found.set(path, { path, by });
  };
  const walk = walkPath(file, (path) => {
    const parent = dirname(path);
    note(parent);
    const stats = lstatSync(path);
    // In a sticky directory, the owner of a link can replace the link. Elsewhere, only a user who can write the directory can do so, and
    // `note` has noted this user.
    if (stats.isSymbolicLink() && (statSync(parent).mode & STICKY) !== 0) {
      const by = ownerBesidesRoot(stats);
      if (by !== null) found.set(path, { path, by });
    }
    return false;
  });
  if (walk.kind !== 'end') throw new Error('too many links');
  note(walk.path);
  return [...found.values()];
}

const STICKY = 0o1000;

/**
 * Returns who can change the file or directory besides root; null: only root can change it. Write permission for our own primary group does
 * not count as `others`. In a sticky directory, only the directory's owner can replace another user's entry. The caller checks each entry.
 */
function writerOf(path: string, stats: Stats): 'user' | 'others' | null {
  const uid = process.getuid?.() ?? -1;
  const isSticky = stats.isDirectory() && (stats.mode & STICKY) !== 0;
  const isOpen = (stats.mode & 0o002) !== 0 && !isSticky;
  const isGroups = (stats.mode & 0o020) !== 0 && stats.gid !== 0 && stats.gid !== process.getgid?.();
  if (isOpen || isGroups) return 'others';
  return ownerBesidesRoot(stats) ?? (uid !== 0 && mayWrite(path) && !isSticky ? 'user' : null);
}

/** Returns null if root is the owner. */
function ownerBesidesRoot({ uid }: Stats): 'user' | 'others' | null {
  if (uid === 0) return null;
  return uid === process.getuid?.() ? 'user' : 'others';
}

function mayWrite(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
