/**
 * The settings files that tools read where `HOME` is not the home directory in the user database. The base profile
 * names places of the latter, for `HOME` may say anything; the value is bound, so of it what surely is a tool's file is
 * read as well.
 */
import { realpathSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { baseEntriesFor } from '../core/confinement/base-profile.ts';
import { dangerousPlace } from '../core/sensitive/dangerous-places.ts';

/** @param home of the environment; files only, by their own name: no link of the user's leads to another one */
export function settingsOfHome(tools: readonly string[], home: string | undefined): readonly string[] {
  if (home === undefined || !home.startsWith('/')) return [];
  const named = baseEntriesFor(tools, '/~').flatMap(([kind, path]) =>
    kind === 'read' && path.startsWith('/~/') ? [relative('/~', path)] : [],
  );
  return named.flatMap((name) => fileBelow(home, name) ?? []);
}

function fileBelow(home: string, name: string): string | null {
  try {
    const real = realpathSync(join(home, name));
    const isOwnName = real === join(realpathSync(home), name);
    return isOwnName && statSync(real).isFile() && dangerousPlace(real, true) === null ? real : null;
  } catch {
    return null;
  }
}
