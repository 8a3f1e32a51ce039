/**
 * What one command of a line may change before another command of the line starts. After such a change, the lookups for the other command
 * are not reliable.
 */

import type { LineCommand } from '../reading/commands-in.ts';
import { isMoreThanName } from '../text/name-pattern.ts';
import { baseName, parentOf } from '../text/path.ts';
import { type Earlier, NO_EFFECT } from './command-context.ts';
import type { Lookups } from './host-facts.ts';
import type { Permission, Resource } from './permission.ts';
import { BUILDERS } from './tree-effects.ts';

/** Whether at least one lookup may be unreliable. */
export const hasEffect = (earlier: Earlier): boolean => Object.values(earlier).some((paths) => paths.length > 0);

export const combinedEffects = (all: readonly Earlier[]): Earlier => ({
  linked: all.flatMap(({ linked }) => linked),
  unlinked: all.flatMap(({ unlinked }) => unlinked),
  named: all.flatMap(({ named }) => named),
  moved: all.flatMap(({ moved }) => moved),
  repositories: all.flatMap(({ repositories }) => repositories),
  checkedOut: all.flatMap(({ checkedOut }) => checkedOut),
  changed: all.flatMap(({ changed }) => changed),
});

/** Returns what a command with this permission may change. */
export function earlierEffectsOf({ tool, operation, options, resources }: Permission, lookups: Lookups): Earlier {
  const paths = resources.filter(({ kind }) => kind === 'path');
  const written = paths.filter(({ access }) => access === 'write');
  const trees = written.filter(({ isExact }) => !isExact).map(({ value }) => value);
  const runs = paths.some(({ access }) => access === 'execute') && tool !== 'git';
  const odd = written.filter(({ value }) => isMoreThanName(baseName(value))).map(({ value }) => parentOf(value));
  const mayLink = makesLinks(tool, operation, options, paths, lookups);
  return {
    linked: mayLink ? trees : [],
    unlinked: paths.filter((path) => mayUnlink(tool, path, lookups)).map(({ value }) => value),
    named: runs ? ['/'] : [...trees, ...odd],
    moved: movesTrees(tool, operation)
      ? paths.filter(({ access, isExact }) => access === 'delete' && !isExact).map(({ value }) => value)
      : [],
    repositories: tool === 'git' ? [] : [...(BUILDERS.has(tool) ? [] : trees), ...written.flatMap(repositoriesMadeBy)],
    checkedOut: tool === 'git' ? trees : [],
    changed: [
      ...(runs ? [{ path: '/', isTree: true }] : []),
      ...paths
        .filter(({ access }) => access === 'write' || access === 'delete')
        .map(({ value, isExact }) => ({ path: value, isTree: !isExact })),
    ],
  };
}

/**
 * What the command may change for its own later operands. mv moves its sources one after the other. If a source contains the working
 * directory, the working directory moves too. The relative path of a later source may then lead anywhere.
 */
export const effectOnItself = ({ moved }: Earlier): Earlier => ({ ...NO_EFFECT, moved });

/** Tools that delete files or whole trees, and do not move a tree to another place. */
const DELETING: ReadonlySet<string> = new Set(['find', 'rm', 'rmdir']);

const movesTrees = (tool: string, operation: string): boolean =>
  tool === 'git' ? operation === 'git mv' : !(DELETING.has(tool) || BUILDERS.has(tool) || FILES_ONLY.has(tool));

/** The options with which cp copies links as links, or makes links. */
const LINKING = new Set(['--archive', '--link', '--no-dereference', '--recursive', '--symbolic-link', '-d']);
/** Tools that write files, and never make a link. */
const FILES_ONLY: ReadonlySet<string> = new Set(
  'bzip2 chmod chown curl dd gzip mkdir sed shell sort split tee touch xz zip zstd'.split(' '),
);

/** Tools of `FILES_ONLY` that put a new file in place of a link. */
const REPLACING: ReadonlySet<string> = new Set(['bzip2', 'gzip', 'sed', 'xz', 'zip', 'zstd']);

/**
 * Whether the command may make symbolic links in the trees that it writes. The answer is false for the build tools in `BUILDERS`, and true
 * for a tool that is not known here.
 */
function makesLinks(
  tool: string,
  operation: string,
  options: readonly string[],
  paths: readonly Resource[],
  lookups: Lookups,
): boolean {
  if (tool === 'cp') return options.some((option) => LINKING.has(option));
  if (tool === 'git') return operation !== 'git init';
  if (tool !== 'mv') return !BUILDERS.has(tool) && !FILES_ONLY.has(tool);
  return paths.some(
    ({ access, value }) =>
      access === 'delete' && (lookups.resolvePath(value, 'target') !== value || lookups.hasLinksOut(value, 64)),
  );
}

/**
 * Whether the command may remove or replace a link at an exact path, or a link below a path that is not exact. If a command writes
 * through a link, the resource has the path of the link's target. So a resource whose exact path is a link means that the command removes
 * or replaces the link itself.
 */
function mayUnlink(tool: string, { access, value, isExact }: Resource, lookups: Lookups): boolean {
  if (access !== 'delete' && access !== 'write') return false;
  if (isExact) return lookups.resolvePath(value, 'target') !== value;
  return access === 'delete' || REPLACING.has(tool) || !(BUILDERS.has(tool) || FILES_ONLY.has(tool));
}

/**
 * Returns the directories that a write to this path may turn into bare repositories. Git recognizes a bare repository by `HEAD`,
 * `objects`, `refs` or `commondir`.
 */
function repositoriesMadeBy({ value }: Resource): readonly string[] {
  const parts = value.split('/');
  return parts.flatMap((part, at) =>
    /^(?:HEAD|objects|refs|commondir)$/i.test(part) ? [parts.slice(0, at).join('/') || '/'] : [],
  );
}

/**
 * Whether command `other` may take effect before command `at` starts. Both numbers are indices in `commands`. True in these cases:
 * - `other` is in front of `at`
 * - `at` may run several times; `other` may then be `at` itself
 * - the shell does not wait for `at`, so `other` may run before `at` has started
 * - `other` and `at` are different commands that may run at the same time
 */
export function mayComeBefore(commands: readonly LineCommand[], other: number, at: number): boolean {
  const [otherCommand, command] = [commands[other], commands[at]];
  if (otherCommand === undefined || command === undefined) return false;
  if (other <= at) return other < at || isRepeated(command);
  return isRepeated(command) || isLeftRunning(command) || (isBeside(command) && isBeside(otherCommand));
}

const isRepeated = ({ command, through }: LineCommand): boolean =>
  command.within.includes('loop') || through.some(({ settings }) => settings.some(({ kind }) => kind === 'repeated'));
const isBeside = ({ command }: LineCommand): boolean => command.within.some((nesting) => BESIDE.has(nesting));
const BESIDE: ReadonlySet<string> = new Set(['pipeline', 'background', 'substitution', 'process substitution']);

/** Whether the shell does not wait for the command. The rest of the line may then run first. */
const isLeftRunning = ({ command }: LineCommand): boolean =>
  command.within.some((nesting) => nesting === 'background' || nesting === 'process substitution');
