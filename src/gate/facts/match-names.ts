/** Finds the names on the disk that bash may put in place of a pattern, and where each of them leads. Opens no file. */
import { type Dirent, lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type MatchedName, normalizePath } from '../../core/effects/command-context.ts';
import { MAX_NAMES } from '../../core/effects/host-facts.ts';
import { type Component, hasGlob, mayMatch, type NamePattern, textOfComponent } from '../../core/text/name-pattern.ts';
import { errorCode } from '../../platform/private-files.ts';
import { decodeUtf8 } from '../../platform/utf8.ts';
import { processLinkOn } from './process-links.ts';
import { resolveItself, resolveTarget } from './real-path.ts';

/** How many directory entries are looked at for one question. */
export const MAX_ENTRIES = 10_000;

/** Returns null if there are more names than may be sent, a directory cannot be read, or a name is not UTF-8. */
export function matchesOf(directory: string, pattern: NamePattern): readonly MatchedName[] | null {
  const isDirectory = pattern.at(-1)?.length === 0;
  const components = pattern.filter(({ length }) => length > 0);
  const names = namesAt(directory, components, { left: MAX_ENTRIES });
  if (names === null || names.length > MAX_NAMES) return null;
  return names.map((name) => {
    const path = join(directory, name);
    return {
      name,
      target: unless(path, resolveTarget(path)),
      // A link with a slash after its name means its target.
      itself: unless(path, isDirectory ? resolveTarget(path) : resolveItself(path)),
    };
  });
}

const unless = (path: string, found: string): string | null => (normalizePath(path) === found ? null : found);

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
    // Below a link of a process, the line would find other names than this process does.
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

/** Also returns `.` and `..`, because shells before bash 5.2 match them with `.*`. */
function matching(directory: string, component: Component, budget: Budget): readonly string[] | null {
  const names = namesIn(directory, budget);
  return names === null ? null : ['.', '..', ...names].filter((name) => mayMatch(component, name));
}

function namesIn(directory: string, budget: Budget): readonly string[] | null {
  const entries = entriesIn(directory, budget);
  const names = entries?.map(({ name }) => decodeUtf8(name)) ?? [null];
  return names.every((name) => name !== null) ? names : null;
}

/** Returns no entries if there is no such directory; null if it cannot be read, or the budget is spent. */
export function entriesIn(directory: string, budget: Budget): readonly Dirent<Buffer>[] | null {
  try {
    const entries = readdirSync(directory, { withFileTypes: true, encoding: 'buffer' });
    budget.left -= entries.length;
    return budget.left < 0 ? null : entries;
  } catch (error) {
    return ['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '') ? [] : null;
  }
}
