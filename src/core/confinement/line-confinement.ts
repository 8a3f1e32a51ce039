/** Unites the needs of all commands of a line into one confinement. */

import { dangerousPlacesIn } from '../sensitive/dangerous-places.ts';
import { beginsWithDirectory } from '../text/path.ts';
import { absentPlaces } from './absent-places.ts';
import type { CommandNeeds } from './command-needs.ts';
import type { Confinement, ConfinementLevel } from './confinement.ts';
import { outermost } from './outermost.ts';
import { unitedPorts } from './ports.ts';

/**
 * The parts of `.git` that decide which programs run. A git command may write the rest of the `.git` that it uses, but these parts stay
 * read-only. Exception: a command of the line claims the part, or a path in the part (`git config` claims `.git/config`).
 */
export const DECIDING_PARTS = ['config', 'config.worktree', 'hooks', 'info', 'modules'];

/** @param needs what each command of the line needs */
export function confinementOfLine(needs: readonly CommandNeeds[], level: Exclude<ConfinementLevel, 0>): Confinement {
  const all = (part: 'read' | 'trees' | 'files' | 'claims' | 'execute' | 'repositories' | 'tools'): readonly string[] =>
    needs.flatMap((command) => command[part]);
  const gitDirectories = [...new Set(all('repositories'))].map((top) => `${top}/.git`);
  const trees = outermost([...all('trees'), ...gitDirectories]);
  const write = outermost([...trees, ...all('files')]);
  const absent = absentPlaces(write, [
    ...needs.flatMap((command) => command.absent),
    ...gitDirectories.map((path) => ({ path, below: null, isNeeded: false })), // if there is no repository, git itself reports that
  ]);
  return {
    level,
    read: outermost([...all('read'), ...write]),
    write,
    execute: outermost(all('execute')),
    connect: unitedPorts(needs.map(({ connect }) => connect)),
    readOnly: readOnlyIn(trees, gitDirectories, all('claims')),
    ...(absent.length === 0 ? {} : { absent }),
    tools: [...new Set(all('tools'))].sort(),
  };
}

/** Returns the read-only places in the trees. A place is left out if a command of the line claims the place or a path in it. */
function readOnlyIn(
  trees: readonly string[],
  gitDirectories: readonly string[],
  claims: readonly string[],
): readonly string[] {
  const places = trees.flatMap((tree) => (tree.endsWith('/.git') ? [] : dangerousPlacesIn(tree)));
  const protectedPlaces = places.filter((place) => !gitDirectories.includes(place));
  const parts = gitDirectories.flatMap((directory) => DECIDING_PARTS.map((name) => `${directory}/${name}`));
  return [...new Set([...protectedPlaces, ...parts])]
    .filter((place) => !claims.some((claim) => beginsWithDirectory(claim, place)))
    .sort();
}
