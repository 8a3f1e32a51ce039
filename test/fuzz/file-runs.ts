/** Runs random lines of file commands in random trees, and compares what they did with their effects. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { parse } from 'unbash';
import { assessLine } from '../../src/core/effects/assess-line.ts';
import type { Resource } from '../../src/core/effects/permission.ts';
import { commandsIn } from '../../src/core/reading/commands-in.ts';
import { parseLine } from '../../src/core/reading/parse-line.ts';
import { isAtOrBelow } from '../../src/core/text/path.ts';
import { lookupsOf } from '../../src/gate/facts/look-up.ts';
import { allRules } from '../core/rule-effects.ts';
import { randomLine } from './file-lines.ts';
import { type Change, changesBetween, makeTree, readTree, type Tree } from './file-trees.ts';
import type { Random } from './random.ts';

const PATH = '/usr/local/bin:/usr/bin:/bin';

/** Returns the paths that the line requires; null if only its exact bytes can be approved. */
function requiredPaths(line: string, { base, cwd }: Tree): readonly Resource[] | null {
  const entries = new Map([
    ['HOME', join(base, 'home')],
    ['PATH', PATH],
  ]);
  const live = lookupsOf({ cwd, entries });
  const { requiredPermissions } = assessLine(commandsIn(parseLine(line, parse), parse), 'agrees', {
    cwd,
    rules: allRules,
    lookups: {
      ...live,
      // To look through the whole machine would take long.
      sensitiveBelow: (directory) => (isAtOrBelow(directory, base) ? live.sensitiveBelow(directory) : null),
      hasLinksOut: (directory, depth) => !isAtOrBelow(directory, base) || live.hasLinksOut(directory, depth),
    },
  });
  return (
    requiredPermissions?.flatMap(({ permission }) => permission.resources).filter(({ kind }) => kind === 'path') ?? null
  );
}

function contains(required: readonly Resource[], { path, how }: Change): boolean {
  const isAllowed = ({ access }: Resource): boolean =>
    how === 'read' || access === 'write' || (access === 'delete' && how === 'gone');
  return required.some(
    (each) => isAllowed(each) && (each.isExact ? each.value === path : isAtOrBelow(path, each.value)),
  );
}

/** Whether the line may write or delete anywhere, so that no change is a fault. */
const isUnbounded = (required: readonly Resource[]): boolean =>
  required.some(
    ({ access, value, isExact }) => (access === 'write' || access === 'delete') && value === '/' && !isExact,
  );

interface Case {
  readonly tree: Tree;
  readonly line: string;
  readonly required: readonly Resource[];
}

/** Runs each line in its tree, in a mount namespace in which only the trees can be written. */
function runAll(root: string, cases: readonly Case[]): void {
  const jail = join(root, 'jail');
  const script = `
    set -e
    mkdir -p ${jail}
    mount -t tmpfs none ${jail}
    cd ${jail}
    mkdir -p usr etc proc dev .${root}
    for each in usr etc; do mount --rbind /$each $each; mount -o remount,bind,ro $each; done
    for each in bin lib lib64 sbin; do if [ -L /$each ]; then ln -s "$(readlink /$each)" $each; fi; done
    mount --bind ${root} .${root}
    mount --rbind /dev dev
    mount -t proc proc proc
    exec chroot . /bin/bash -c '
      while IFS= read -r -d "" base && IFS= read -r -d "" cwd && IFS= read -r -d "" line; do
        cd "$cwd"
        HOME=$base/home PATH=${PATH} timeout 5 /bin/bash -c "$line" </dev/null >"$base/output" 2>/dev/null
      done
      exit 0'`;
  const { status, stderr } = spawnSync('unshare', ['-rmp', '--fork', '/bin/bash', '-c', script], {
    input: cases.map(({ tree, line }) => `${tree.base}\0${tree.cwd}\0${line}\0`).join(''),
    env: { PATH: `${PATH}:/usr/sbin:/sbin`, LC_ALL: 'C.UTF-8' },
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`unshare: status ${status}: ${stderr}`);
}

const MAX_ATTEMPTS = 4;

function drawCase(base: string, random: Random): Case | null {
  const tree = makeTree(base, random);
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const line = randomLine(random, tree);
    const required = requiredPaths(line, tree);
    if (required !== null) return { tree, line, required };
  }
  return null;
}

/**
 * @property faults  each a text with the line, the changes that its effects do not contain, and the tree
 * @property bounded how many lines changed or printed something, and may not write anywhere
 */
interface Tally {
  readonly faults: readonly string[];
  readonly bounded: number;
}

/** @param root an empty directory */
export function runLines(root: string, count: number, random: Random): Tally {
  // A path of a line may lead some levels above its tree.
  const drawn = Array.from({ length: count }, (_, at) => drawCase(join(root, String(at), '0/0/0'), random));
  const cases = drawn.flatMap((each) => (each === null ? [] : [{ ...each, before: readTree(each.tree) }]));
  runAll(root, cases);
  const faults: string[] = [];
  let bounded = 0;
  for (const { tree, line, required, before } of cases) {
    const changes = changesBetween(before, readTree(tree), tree);
    if (changes.length > 0 && !isUnbounded(required)) bounded++;
    const outside = changes.filter((change) => !contains(required, change));
    if (outside.length > 0) faults.push(describe(line, tree, outside, required));
  }
  return { faults, bounded };
}

const describe = (line: string, { base, shown }: Tree, changes: readonly Change[], required: readonly Resource[]) =>
  [
    line,
    changes.map(({ how, path }) => `${how} ${path.slice(base.length)}`).join(', '),
    `required: ${required.map(({ access, value, isExact }) => `${access} ${value.replace(base, '')}${isExact ? '' : '…'}`).join(', ')}`,
    `tree: ${shown}`,
  ].join('\n    ');
