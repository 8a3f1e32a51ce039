/**
 * What a command that writes a whole tree, or follows its links, reaches besides: what links in the tree lead to, and what hidden names it brings
 * along. Named as resources of their own, so that whatever covers the tree must cover them too.
 */
import { dangerousPlace } from '../sensitive/dangerous-places.ts';
import type { CommandContext } from './command-context.ts';
import { ANYWHERE } from './known-path.ts';
import type { Meaning } from './meaning.ts';
import { ANY_DEPTH } from './path-below-start.ts';
import type { Resource } from './permission.ts';

/** They choose the names that they write by themselves, or run what a project says: its links are one matter with them. */
export const BUILDERS: ReadonlySet<string> = new Set(
  'cargo cmake go make ninja npm npx pip pnpm pytest rustc sort tsc uv yarn'.split(' '),
);
/** They go through the tree and change files in it; a link that leads out of it is followed, or its target listed. */
const FORMATTERS: ReadonlySet<string> = new Set(
  'biome black eslint gofmt isort prettier rubocop ruff rustfmt'.split(' '),
);
/** They go through the tree and read, or run, also what links in it lead to. */
const FOLLOWERS: ReadonlySet<string> = new Set(['biome', 'phpunit', 'rspec']);
/** They change what lies in the tree already. */
const CHANGE_ALL: ReadonlySet<string> = new Set(['chmod', 'chown']);

export function treeEffects(tool: string, meanings: readonly Meaning[], context: CommandContext): readonly Resource[] {
  const whole = pathsIn(meanings.filter(({ isListed }) => isListed !== true)).filter(({ isExact }) => !isExact);
  const followed = FOLLOWERS.has(tool)
    ? whole
        .filter(({ access }) => access === 'read' || access === 'execute')
        .flatMap((each) => behindLinks(each, ANY_DEPTH, context))
    : [];
  const trees = whole.filter(({ access }) => access === 'write');
  if (context.hiddenBelow === undefined || trees.length === 0 || tool === 'git' || BUILDERS.has(tool)) return followed;
  const isBrought = ({ access }: Resource) => access === 'read' || access === 'delete';
  const brought = pathsIn(meanings).filter(isBrought);
  const written = trees.flatMap((tree) =>
    CHANGE_ALL.has(tool)
      ? [...dangersIn(tree, context), ...behindLinks(tree, ANY_DEPTH, context)]
      : FORMATTERS.has(tool)
        ? behindLinks(tree, ANY_DEPTH, context)
        : into(tree, brought, context),
  );
  return [...followed, ...written, ...whole.filter(isBrought).flatMap((each) => dangersIn(each, context))];
}

const pathsIn = (meanings: readonly Meaning[]): readonly Resource[] =>
  meanings.flatMap(({ resources }) => resources).filter(({ kind }) => kind === 'path');

const anywhere = (resource: Resource): Resource => ({ ...resource, ...ANYWHERE });

function into(tree: Resource, brought: readonly Resource[], context: CommandContext): readonly Resource[] {
  if (brought.length === 0 || brought.some(({ isExact }) => !isExact))
    return behindLinks(tree, brought.length === 0 ? 1 : ANY_DEPTH, context);
  return brought.flatMap(({ value }): readonly Resource[] => {
    const target = `${tree.value === '/' ? '' : tree.value}${value.slice(value.lastIndexOf('/'))}`;
    const found = context.resolvePath(target, 'target');
    return found === target ? [] : [{ ...tree, value: found }];
  });
}

const behindLinks = (tree: Resource, depth: number, { hasLinksOut }: CommandContext): readonly Resource[] =>
  hasLinksOut?.(tree.value, depth) === true ? [anywhere(tree)] : [];

/** Dangerous places below it, each by itself. */
function dangersIn(tree: Resource, { hiddenBelow }: CommandContext): readonly Resource[] {
  const names = hiddenBelow?.(tree.value) ?? null;
  if (names === null) return [anywhere(tree)];
  return names
    .filter((name) => dangerousPlace(`/${name}`, false) !== null)
    .map((name) => ({ ...tree, value: `${tree.value === '/' ? '' : tree.value}/${name}` }));
}
