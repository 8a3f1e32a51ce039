/**
 * Finds further resources of a command that writes a whole tree, or follows the links in a tree. These resources are the targets of the
 * links and the dangerous names in the tree. A scope for the tree alone does not cover these resources.
 */
import type { Word } from '../reading/reading.ts';
import { dangerousPlace, placeWithin } from '../sensitive/dangerous-places.ts';
import { baseName, pathBelow } from '../text/path.ts';
import type { CommandContext } from './command-context.ts';
import { foundNamesOfWord } from './found-names.ts';
import { ANYWHERE } from './known-path.ts';
import { type Meaning, resourcesOf } from './meaning.ts';
import { namesOfWord, sourcesOf } from './own-links.ts';
import { ANY_DEPTH } from './path-below-start.ts';
import type { Resource } from './permission.ts';
import type { UnderstoodCall } from './understood-call.ts';

/**
 * Tools that choose the names that they write, or that run the code of the project. For these tools, `treeEffects` returns no writes
 * through links and no dangerous names.
 */
export const BUILDERS: ReadonlySet<string> = new Set(
  'cargo cmake go make ninja npm npx pip pnpm pytest rustc sort tsc turbo uv yarn'.split(' '),
);
/** Tools that change files anywhere in a tree. Such a tool may change files behind a link that leads out of the tree. */
const FORMATTERS: ReadonlySet<string> = new Set(
  'biome black eslint gofmt isort prettier rubocop ruff rustfmt'.split(' '),
);
/** Operations of other tools that change files in the same way as `FORMATTERS`. */
const FORMATTING: ReadonlySet<string> = new Set(['terraform fmt']);
/** Tools that read or run the files of a tree, and follow links in the tree. */
const FOLLOWERS: ReadonlySet<string> = new Set(['biome', 'phpunit', 'pytest', 'rspec', 'scp']);
/** Also true if the operation runs such a tool: `python -m pytest`. */
const isFollower = (tool: string, operation: string): boolean =>
  FOLLOWERS.has(tool) || FOLLOWERS.has(/ (?:-m|run|exec) (\S+)$/.exec(operation)?.[1] ?? '');
/** Tools that change every file of a tree, whatever its name. */
const CHANGE_ALL: ReadonlySet<string> = new Set(['chgrp', 'chmod', 'chown']);

/**
 * Returns further resources. For `git mv`, these are the dangerous names in the moved trees. In these four cases, the result has only
 * resources that the tool reads or runs through links:
 * - the command writes no whole tree
 * - the tool is git, and the command is not `git mv`
 * - the tool is in `BUILDERS`
 * - `context.sensitiveBelow` is absent
 */
export function treeEffects(call: UnderstoodCall): readonly Resource[] {
  const { tool, operation, meanings, context } = call;
  const whole = pathsIn(meanings.filter(({ isListed }) => isListed !== true)).filter(({ isExact }) => !isExact);
  const followed = isFollower(tool, operation)
    ? whole
        .filter(({ access }) => access === 'read' || access === 'execute')
        .flatMap((tree) => behindLinks(tree, ANY_DEPTH, context))
    : [];
  const trees = whole.filter(({ access }) => access === 'write');
  if (context.sensitiveBelow === undefined || trees.length === 0 || BUILDERS.has(tool)) return followed;
  const isSource = ({ access }: Resource) => access === 'read' || access === 'delete';
  if (operation === 'git mv')
    return whole.filter(({ access }) => access === 'delete').flatMap((tree) => dangersIn(tree, context));
  if (tool === 'git') return followed;
  const brought = pathsIn(meanings).filter(isSource);
  const written = trees.flatMap((tree) =>
    CHANGE_ALL.has(tool)
      ? [...dangersIn(tree, context), ...behindLinks(tree, ANY_DEPTH, context)]
      : FORMATTERS.has(tool) || FORMATTING.has(operation)
        ? behindLinks(tree, ANY_DEPTH, context)
        : writtenThroughLinks(call, tree, brought),
  );
  return [...followed, ...written, ...whole.filter(isSource).flatMap((tree) => dangersIn(tree, context))];
}

const pathsIn = (meanings: readonly Meaning[]): readonly Resource[] =>
  resourcesOf(meanings).filter(({ kind }) => kind === 'path');

const anywhere = (resource: Resource): Resource => ({ ...resource, ...ANYWHERE });

/** Compressors. They may remove the extension of a source's name (`.envrc.gz`). Compressors create new files, and write through no link. */
const UNPACKS: ReadonlySet<string> = new Set(['bunzip2', 'bzip2', 'gunzip', 'gzip', 'unxz', 'unzstd', 'xz', 'zstd']);
/** Tools that give each written file the name of a source. Tools in `UNPACKS` also create new files with other names. */
const NAMES_BY_SOURCE: ReadonlySet<string> = new Set([...UNPACKS, 'cp', 'ln', 'mv', 'yq']);

/** Tools that may write files in subdirectories. The paths of these files come from an archive, another host or an option. */
const DEEP: ReadonlySet<string> = new Set(['curl', 'helm', 'rsync', 'scp', 'tar', 'unzip']);
const writesDeep = ({ tool, options }: UnderstoodCall): boolean =>
  DEEP.has(tool) || (tool === 'wget' && options.includes('--recursive'));

/**
 * Returns the places that the command may write through links in the tree. The sources are the operands without the target, as written. `brought`
 * are the resolved sources: all paths that the command reads or deletes. The sources and the tool decide which links are considered:
 * - If a source can be several files or an unknown file, or if the tool may write in subdirectories (`writesDeep`): links at any depth.
 * - If all sources are known files, and the tool is in `NAMES_BY_SOURCE`: links with the name of a source. The result also contains the
 *   dangerous places with such a name. Both the name in the line and the resolved name of a source count: `cp l d` makes `d/l`, whatever
 *   the link `l` leads to.
 * - In all other cases, for example without a source: links directly in the tree.
 */
function writtenThroughLinks(call: UnderstoodCall, tree: Resource, brought: readonly Resource[]): readonly Resource[] {
  const { tool, context } = call;
  const sources = sourcesOf(call);
  if (writesDeep(call)) return behindLinks(tree, ANY_DEPTH, context);
  if (brought.some(({ isExact }) => !isExact))
    return [
      ...behindLinks(tree, ANY_DEPTH, context),
      ...(NAMES_BY_SOURCE.has(tool) ? dangerousCopies(tool, tree, sources, context) : []),
    ];
  const words = sources.map(namesOfWord);
  if (brought.length === 0 || !NAMES_BY_SOURCE.has(tool) || words.includes(null)) return behindLinks(tree, 1, context);
  const names = [...words.flatMap((each) => each ?? []), ...brought.map(({ value }) => baseName(value))];
  return writtenNames(tool, names).flatMap((name): readonly Resource[] => {
    const target = pathBelow(tree.value, name);
    const found = context.resolvePath(target, 'target');
    const named = isDangerous(target) ? [{ ...tree, value: target }] : [];
    return found === target ? named : [...named, { ...tree, value: found }];
  });
}

/** Returns the names that the tool may write for sources with these names. */
const writtenNames = (tool: string, names: readonly string[]): readonly string[] => [
  ...new Set(UNPACKS.has(tool) ? names.flatMap((name) => [name, name.replace(/[.\-_]\w+$/, '')]) : names),
];

const isDangerous = (path: string): boolean =>
  dangerousPlace(path, false) !== null || placeWithin(path, false) !== null;

/**
 * For sources with a glob or with the `{}` of find, returns the dangerous places in the tree where the tool may write a file named after a
 * source. Returns `ANYWHERE` if the names of a source are not known.
 */
function dangerousCopies(
  tool: string,
  tree: Resource,
  sources: readonly Word[],
  context: CommandContext,
): readonly Resource[] {
  return sources.flatMap((source): readonly Resource[] => {
    const names = namesOfWord(source) ?? foundNamesOfWord(source, context);
    if (names === null) return [anywhere(tree)];
    return writtenNames(tool, names)
      .map((name) => pathBelow(tree.value, name))
      .filter(isDangerous)
      .map((value) => ({ ...tree, value }));
  });
}

const behindLinks = (tree: Resource, depth: number, { hasLinksOut }: CommandContext): readonly Resource[] =>
  hasLinksOut?.(tree.value, depth) === true ? [anywhere(tree)] : [];

/** Returns the dangerous places below the tree. Returns `ANYWHERE` if the names below the tree are not known. */
function dangersIn(tree: Resource, { sensitiveBelow }: CommandContext): readonly Resource[] {
  const names = sensitiveBelow?.(tree.value) ?? null;
  if (names === null) return [anywhere(tree)];
  return names
    .filter((name) => dangerousPlace(`/${name}`, false) !== null)
    .map((name) => ({ ...tree, value: pathBelow(tree.value, name) }));
}
