/**
 * Further resources of a command that writes a whole tree or follows the links in it: the targets of those links, and the dangerous names
 * in the tree. They are separate resources, so that a scope must cover them besides the tree.
 */
import { dangerousPlace } from '../sensitive/dangerous-places.ts';
import type { CommandContext } from './command-context.ts';
import { ANYWHERE } from './known-path.ts';
import type { Meaning } from './meaning.ts';
import { ANY_DEPTH } from './path-below-start.ts';
import type { Resource } from './permission.ts';

/**
 * Tools that write names of their own choice, or that run the code of the project. For such a tool, links and dangerous names in
 * the trees that it writes are not looked up.
 */
export const BUILDERS: ReadonlySet<string> = new Set(
  'cargo cmake go make ninja npm npx pip pnpm pytest rustc sort tsc turbo uv yarn'.split(' '),
);
/** Tools that change files anywhere in a tree. They follow a link that leads out of the tree, or list the target of that link. */
const FORMATTERS: ReadonlySet<string> = new Set(
  'biome black eslint gofmt isort prettier rubocop ruff rustfmt'.split(' '),
);
/** Tools that read a tree or run the code in it, and follow the links in it. */
const FOLLOWERS: ReadonlySet<string> = new Set(['biome', 'phpunit', 'pytest', 'rspec']);
const isFollower = (tool: string, operation: string): boolean =>
  FOLLOWERS.has(tool) || FOLLOWERS.has(/ (?:-m|run|exec) (\S+)$/.exec(operation)?.[1] ?? '');
/** Tools that change every file of a tree, whatever its name. */
const CHANGE_ALL: ReadonlySet<string> = new Set(['chmod', 'chown']);

/**
 * If `context.sensitiveBelow` is absent, returns only what the tool reads or runs through links.
 * @param operation the operation of the tool, which may run another tool: `python -m pytest`
 */
export function treeEffects(
  tool: string,
  operation: string,
  meanings: readonly Meaning[],
  context: CommandContext,
): readonly Resource[] {
  const whole = pathsIn(meanings.filter(({ isListed }) => isListed !== true)).filter(({ isExact }) => !isExact);
  const followed = isFollower(tool, operation)
    ? whole
        .filter(({ access }) => access === 'read' || access === 'execute')
        .flatMap((tree) => behindLinks(tree, ANY_DEPTH, context))
    : [];
  const trees = whole.filter(({ access }) => access === 'write');
  if (context.sensitiveBelow === undefined || trees.length === 0 || tool === 'git' || BUILDERS.has(tool))
    return followed;
  const isSource = ({ access }: Resource) => access === 'read' || access === 'delete';
  const sources = pathsIn(meanings).filter(isSource);
  const written = trees.flatMap((tree) =>
    CHANGE_ALL.has(tool)
      ? [...dangersIn(tree, context), ...behindLinks(tree, ANY_DEPTH, context)]
      : FORMATTERS.has(tool)
        ? behindLinks(tree, ANY_DEPTH, context)
        : writtenThroughLinks(tree, sources, context),
  );
  return [...followed, ...written, ...whole.filter(isSource).flatMap((tree) => dangersIn(tree, context))];
}

const pathsIn = (meanings: readonly Meaning[]): readonly Resource[] =>
  meanings.flatMap(({ resources }) => resources).filter(({ kind }) => kind === 'path');

const anywhere = (resource: Resource): Resource => ({ ...resource, ...ANYWHERE });

/**
 * Returns the places that the command may write through links in the tree. The sources are the paths that the command reads or deletes. If
 * each source is one known file, only links with the name of a source count. Without sources, only links directly in the tree count. In all
 * other cases, links at any depth count.
 */
function writtenThroughLinks(
  tree: Resource,
  sources: readonly Resource[],
  context: CommandContext,
): readonly Resource[] {
  if (sources.length === 0 || sources.some(({ isExact }) => !isExact))
    return behindLinks(tree, sources.length === 0 ? 1 : ANY_DEPTH, context);
  return sources.flatMap(({ value }): readonly Resource[] => {
    const target = `${tree.value === '/' ? '' : tree.value}${value.slice(value.lastIndexOf('/'))}`;
    const found = context.resolvePath(target, 'target');
    return found === target ? [] : [{ ...tree, value: found }];
  });
}

const behindLinks = (tree: Resource, depth: number, { hasLinksOut }: CommandContext): readonly Resource[] =>
  hasLinksOut?.(tree.value, depth) === true ? [anywhere(tree)] : [];

/** The dangerous places below the tree, each as a resource; any path if the names below the tree are not known. */
function dangersIn(tree: Resource, { sensitiveBelow }: CommandContext): readonly Resource[] {
  const names = sensitiveBelow?.(tree.value) ?? null;
  if (names === null) return [anywhere(tree)];
  return names
    .filter((name) => dangerousPlace(`/${name}`, false) !== null)
    .map((name) => ({ ...tree, value: `${tree.value === '/' ? '' : tree.value}/${name}` }));
}
