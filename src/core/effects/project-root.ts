/**
 * Finds the project of a tool that looks for its files upward from a folder. A rule file names such a project `@project NAME…`.
 * For each NAME, the tool takes a folder at or above the start:
 * - `NAME`: the nearest folder that has this file. For a folder in place of a file, NAME ends in a slash (`node_modules/`)
 * - `NAME:TEXT`: the highest folder that has this file with TEXT in it, such as the root of a workspace
 * - `NAME:`: the highest folder that has this file, because the tool reads this file in each folder upward
 *
 * `A|B` in place of NAME means one of these files. Each NAME chooses one folder. The project is the highest of the chosen folders. If no
 * NAME chooses a folder, the project is the start.
 * `NAME` alone is right only if every version of the tool stops at this file, whatever text is in it. If some versions look for A only,
 * write two names, `A B`. With `A|B`, a near folder that has only B would be the project, although these versions look for A further up.
 * Our search for the nearest folder does not end at a link, an empty file, or a folder in place of a file.
 * A name that begins with a dot does not count in the home directory: there, such a file is a setting of the user. With `./` in front
 * (`./.venv`), the name counts there too.
 * `@project/REST NAME…` means REST below the project. `@projects NAME…` means the projects of the working directory and of each operand
 * outside of this directory.
 */

import { isAtOrBelow, parentOf, pathBelow } from '../text/path.ts';
import { type CommandContext, normalizePath } from './command-context.ts';
import { ANYWHERE, goesThroughReplacedLink, type KnownPath, pathOfText } from './known-path.ts';
import type { Resource } from './permission.ts';

/**
 * One NAME of a project.
 * @property files the names, of which the folder has at least one
 * @property text  null: only the nearest folder counts
 */
export interface ProjectName {
  readonly files: readonly ProjectFile[];
  readonly text: string | null;
}

/**
 * @property file      without a slash at its end
 * @property isFolder  whether only a folder with this name ends the search
 * @property isSetting whether the file is a setting of the user if it is in the home directory
 */
interface ProjectFile {
  readonly file: string;
  readonly isFolder: boolean;
  readonly isSetting: boolean;
}

/**
 * @property below       what follows the project in the path, with a slash in front of it; empty: the project itself
 * @property hasOperands whether the projects of the operands count too
 */
interface ProjectPlace {
  readonly names: string;
  readonly below: string;
  readonly hasOperands: boolean;
}

/** Reads a value such as `@project Cargo.toml`. Returns null if the value names no project. */
function readPlace(value: string): ProjectPlace | null {
  const [, several, below = '', names] = /^@project(s?)(\/\S+)? (\S.*)$/.exec(value) ?? [];
  return names === undefined ? null : { names, below, hasOperands: several === 's' };
}

export const splitProjectNames = (names: string): readonly ProjectName[] =>
  names.split(' ').map((name) => {
    const [files = '', ...text] = name.split(':');
    return { files: files.split('|').map(projectFile), text: text.length === 0 ? null : text.join(':') };
  });

const projectFile = (name: string): ProjectFile => ({
  file: name.replace(/^\.\//, '').replace(/\/$/, ''),
  isFolder: name.endsWith('/'),
  isSetting: name.startsWith('.') && !name.startsWith('./'),
});

/**
 * Returns the project of the working directory; for `@project/REST`, returns the path `REST` below this project. Returns `ANYWHERE` if the
 * working directory is not known before the line runs. Returns null if the value names no project.
 */
export function projectPath(value: string, context: CommandContext): KnownPath | null {
  const place = readPlace(value);
  if (place === null) return null;
  if (context.cwd === null || goesThroughReplacedLink(context.cwd, context)) return ANYWHERE;
  const project = projectAt(context.resolvePath(context.cwd, 'target'), place.names, context);
  return pathOfText(project + place.below, context, 'target');
}

/**
 * Returns further real paths that the value means:
 * - If the shell has reached the working directory through a link: the project upward from the path with the link. Go and some shell
 *   scripts look there, because the shell keeps this path in PWD.
 * - For `@projects`: the projects of the operands outside of the working directory.
 */
export function furtherProjects(
  value: string,
  operands: readonly Resource[],
  context: CommandContext,
): readonly string[] {
  const place = readPlace(value);
  if (place === null || context.cwd === null) return [];
  const own = context.resolvePath(context.cwd, 'target');
  const named = normalizePath(context.cwd);
  const outside = place.hasOperands
    ? operands.filter((operand) => operand.kind === 'path' && !isAtOrBelow(operand.value, own))
    : [];
  const starts = [...(named === own ? [] : [named]), ...outside.map((operand) => operand.value)];
  const found = starts.map((start) =>
    context.resolvePath(projectAt(start, place.names, context) + place.below, 'target'),
  );
  return [...new Set(found)].filter((project) => project !== own);
}

/**
 * Returns the project of a path. If an earlier command of the line may make or remove one of the files, returns the highest folder that
 * the tool may find.
 * @param start a plain path
 */
function projectAt(start: string, names: string, context: CommandContext): string {
  let found = context.projectOf?.(start, names) ?? start;
  while (foldersFrom(start).some((folder) => isAtOrBelow(folder, found) && mayChange(folder, names, context))) {
    const next = found === '/' ? null : (context.projectOf?.(parentOf(found), names) ?? null);
    if (next === null) break;
    found = next;
  }
  return foldersFrom(found).findLast((folder) => mayChange(folder, names, context)) ?? found;
}

/** Returns the folder and those above it, the highest last. */
export function foldersFrom(folder: string): readonly string[] {
  const folders = [folder];
  for (let at = folder; at !== '/'; ) {
    at = parentOf(at);
    folders.push(at);
  }
  return folders;
}

/**
 * Whether an earlier command of the line may make or remove one of the files in the folder. Ignores the path `/`, which means that a
 * command may write anywhere. If such a command runs code of a project, its permission also names the paths that the code may write, and
 * these paths count. A command with the path `/` that runs no code of a project needs no check here, because no scope covers it.
 */
function mayChange(folder: string, names: string, { earlier }: CommandContext): boolean {
  const changed = (earlier?.changed ?? []).filter(({ path }) => path !== '/');
  if (changed.length === 0) return false;
  const files = splitProjectNames(names).flatMap((name) => name.files);
  return files.some(({ file }) => changed.some(({ path }) => isAtOrBelow(pathBelow(folder, file), path)));
}
