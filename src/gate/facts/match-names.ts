/** Finds the names to which bash can expand a pattern, and the real path of each name. Opens no file. */
import { type Dirent, lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type MatchedName, normalizePath } from '../../core/effects/command-context.ts';
import { MAX_NAMES } from '../../core/effects/host-facts.ts';
import { type Component, hasGlob, mayMatch, type NamePattern, textOfComponent } from '../../core/text/name-pattern.ts';
import { errorCode } from '../../platform/private-files.ts';
import { decodeUtf8 } from '../../platform/utf8.ts';
import { processLinkOn } from './process-links.ts';
import { resolveItself, resolveTarget } from './real-path.ts';

/** The most directory entries that we read for one pattern, or below one directory. */
export const MAX_ENTRIES = 10_000;

/**
 * Returns the names that match the pattern, relative to the directory, in any order. Returns an empty list if no name matches.
 * Returns null in these cases:
 * - there are more names than MAX_NAMES, or more entries than MAX_ENTRIES
 * - a directory cannot be read, or a name in it is not UTF-8
 * - the pattern leads through a link that `processLinkOn` finds
 */
export function matchesOf(directory: string, pattern: NamePattern): readonly MatchedName[] | null {
  const isDirectory = pattern.at(-1)?.length === 0;
  const components = pattern.filter(({ length }) => length > 0);
  const names = namesAt(directory, components, { left: MAX_ENTRIES });
  if (names === null || names.length > MAX_NAMES) return null;
  return names.map((name) => {
    const path = join(directory, name);
    return {
      name,
      target: ifDifferent(path, resolveTarget(path)),
      // With a slash at the end, the name of a link means the target of the link.
      itself: ifDifferent(path, isDirectory ? resolveTarget(path) : resolveItself(path)),
    };
  });
}

const ifDifferent = (path: string, found: string): string | null => (normalizePath(path) === found ? null : found);

interface Budget {
  left: number;
}

function namesAt(directory: string, components: readonly Component[], budget: Budget): readonly string[] | null {
  const [component, ...more] = components;
  if (component === undefined) return [''];
  const here = hasGlob(component) ? matching(directory, component, budget) : existing(directory, component);
  if (here === null) return null;
  const found: string[] = [];
  for (const name of here) {
    // The process of the line and this process see different names in a directory such as /proc/self/fd.
    if (more.length > 0 && processLinkOn(join(directory, name)) !== null) return null;
    const below = namesAt(join(directory, name), more, budget);
    if (below === null || found.length > MAX_NAMES) return null;
    for (const each of below) found.push(each === '' ? name : `${name}/${each}`);
  }
  return found;
}

function existing(directory: string, component: Component): readonly string[] {
  const name = textOfComponent(component);
  try {
    lstatSync(join(directory, name));
    return [name];
  } catch {
    return [];
  }
}

/** The result can contain `.` and `..`: bash before 5.2 expands `.*` to these names too. */
function matching(directory: string, component: Component, budget: Budget): readonly string[] | null {
  const names = namesIn(directory, budget);
  return names === null ? null : ['.', '..', ...names].filter((name) => mayMatch(component, name));
}

function namesIn(directory: string, budget: Budget): readonly string[] | null {
  const entries = entriesIn(directory, budget);
  const names = entries?.map(({ name }) => decodeUtf8(name)) ?? [null];
  return names.every((name) => name !== null) ? names : null;
}

/**
 * Returns the entries of the directory, and subtracts their number from the budget. Returns an empty list if the directory does not exist.
 * Returns null if the directory cannot be read, or has more entries than the budget allows.
 */
export function entriesIn(directory: string, budget: Budget): readonly Dirent<Buffer>[] | null {
  try {
    const entries = readdirSync(directory, { withFileTypes: true, encoding: 'buffer' });
    budget.left -= entries.length;
    return budget.left < 0 ? null : entries;
  } catch (error) {
    return ['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '') ? [] : null;
  }
}
