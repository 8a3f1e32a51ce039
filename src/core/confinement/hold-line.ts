/** Computes the confinement of a whole line: what all its commands need together. */

import { beginsWithDirectory } from '../files/file-operation.ts';
import { dangerousPlacesIn } from '../sensitive/dangerous-places.ts';
import { absentPlaces } from './absent-places.ts';
import type { Confinement, ConfinementLevel } from './confinement.ts';
import type { Hold } from './hold-required.ts';
import { outermost } from './outermost.ts';
import { unitedPorts } from './ports.ts';

/** The parts of `.git` that decide which programs run. They stay read-only even for a git command that writes into `.git`. */
const DECIDING_PARTS = ['config', 'config.worktree', 'hooks', 'info', 'modules'];

export function confinementOf(holds: readonly Hold[], level: Exclude<ConfinementLevel, 0>): Confinement {
  const all = (part: 'read' | 'trees' | 'files' | 'claims' | 'execute' | 'repositories' | 'tools'): readonly string[] =>
    holds.flatMap((hold) => hold[part]);
  const repositories = new Set(all('repositories'));
  const records = [...repositories].map((top) => `${top}/.git`);
  const trees = outermost([...all('trees'), ...records]);
  const write = outermost([...trees, ...all('files')]);
  const absent = absentPlaces(write, [
    ...holds.flatMap((hold) => hold.absent),
    ...records.map((path) => ({ path, below: null, isNeeded: false })), // if there is no repository, git itself reports that
  ]);
  return {
    level,
    read: outermost([...all('read'), ...write]),
    write,
    execute: outermost(all('execute')),
    connect: unitedPorts(holds.map(({ connect }) => connect)),
    readOnly: readOnlyIn(trees, repositories, all('claims')),
    ...(absent.length === 0 ? {} : { absent }),
    tools: [...new Set(all('tools'))].sort(),
  };
}

function readOnlyIn(
  trees: readonly string[],
  repositories: ReadonlySet<string>,
  claimed: readonly string[],
): readonly string[] {
  const places = trees.flatMap((tree) => (tree.endsWith('/.git') ? [] : dangerousPlacesIn(tree)));
  const protectedPlaces = places.filter(
    (place) => !repositories.has(place.replace(/\/\.git$/, '')) || !place.endsWith('/.git'),
  );
  const parts = [...repositories].flatMap((top) => DECIDING_PARTS.map((name) => `${top}/.git/${name}`));
  return [...new Set([...protectedPlaces, ...parts])]
    .filter((place) => !claimed.some((claim) => beginsWithDirectory(claim, place)))
    .sort();
}
