/** Assesses lines as a server does, without a disk: with the rule files of src/rules, and programs in their usual places. */

import { parse } from 'unbash';
import type { ConfinementLevel } from '../../src/core/confinement/confinement.ts';
import { type Assessment, assessLine, type RequiredPermission } from '../../src/core/effects/assess-line.ts';
import type { Lookups } from '../../src/core/effects/host-facts.ts';
import type { EnvironmentEntry, ExecutionRequest } from '../../src/core/grant/request.ts';
import { isBuiltinName } from '../../src/core/reading/builtins.ts';
import { commandsIn } from '../../src/core/reading/commands-in.ts';
import { parseLine } from '../../src/core/reading/parse-line.ts';
import { isKeyword, type Resolution } from '../../src/core/reading/resolution.ts';
import type { CommandPattern, CommandScope, ResourcePattern } from '../../src/core/scope/command-scope.ts';
import { type ScopeFacts, scopeFactsOf } from '../../src/core/scope/conditions.ts';
import { coverLine } from '../../src/core/scope/cover-line.ts';
import { hasGlob, mayMatch, textOfComponent } from '../../src/core/text/name-pattern.ts';
import { isAtOrBelow } from '../../src/core/text/path.ts';
import { allRules } from './rule-effects.ts';

/** Monday, 2026-06-15 12:00 UTC. */
export const NOON = Date.UTC(2026, 5, 15, 12);
export const HOME = '/home/u';
export const APP = '/home/u/app';

/**
 * @property links   from a path to the target of the link
 * @property missing directories that do not exist
 * @property hasHooks whether git would run hooks; `record` means hooks that run at each change of the index or of a ref
 * @property addsRepository whether `git add` would add a repository that git does not follow yet
 * @property inner   the top of a repository inside the project's repository
 * @property project the folder in which each tool finds its project; absent: the tool finds no project
 * @property names   what a name resolves to, if not to its usual program
 */
export interface World {
  readonly cwd: string;
  readonly host: string;
  readonly user: string;
  readonly environment: readonly EnvironmentEntry[];
  readonly links: Readonly<Record<string, string>>;
  readonly missing?: readonly string[];
  readonly names: Readonly<Record<string, Resolution>>;
  readonly hasHooks?: boolean | 'record';
  readonly addsRepository?: boolean;
  readonly inner?: string;
  readonly project?: string;
}

export const world: World = {
  cwd: APP,
  host: 'web',
  user: 'u',
  environment: [
    { name: 'HOME', value: HOME },
    { name: 'PATH', value: '/usr/local/bin:/usr/bin:/bin' },
  ],
  links: {},
  names: {},
};

export const programAt = (realPath: string, changeable: 'root' | 'user' = 'root'): Resolution => ({
  kind: 'file',
  path: realPath,
  realPath,
  ownerUid: changeable === 'root' ? 0 : 1000,
  writable: changeable === 'root' ? [] : [{ path: realPath, by: 'user' }],
});

/** Follows links as a file system does: a link is followed before the `..` after it. */
function followed(path: string, links: World['links']): string {
  let at = '';
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    at = part === '..' ? at.slice(0, Math.max(0, at.lastIndexOf('/'))) : `${at}/${part}`;
    const target = Object.hasOwn(links, at) ? links[at] : undefined;
    if (target !== undefined) at = followed(target, links);
  }
  return at === '' ? '/' : at;
}

/** Resolves a path without following a link at its end. */
function itself(path: string, links: World['links']): string {
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (name === '' || name === '.' || name === '..') return followed(path, links);
  const directory = followed(path.slice(0, path.lastIndexOf('/')), links);
  return `${directory === '/' ? '' : directory}/${name}`;
}

export const lookupsIn = ({
  cwd,
  links,
  missing = [],
  names,
  hasHooks = false,
  addsRepository = false,
  inner,
  project,
}: World): Lookups => ({
  home: HOME,
  hasSearchedCd: false,
  hasLinksOut: (directory) =>
    Object.entries(links).some(([link, target]) => link.startsWith(directory) && !target.startsWith(directory)),
  isBareRepository: () => false,
  sensitiveBelow: () => [],
  matchesOf: (directory, pattern) => {
    const [component] = pattern;
    if (component !== undefined && !hasGlob(component)) {
      const name = textOfComponent(component);
      return missing.includes(`${directory}/${name}`) ? [] : [{ name, target: null, itself: null }];
    }
    return Object.entries(links).flatMap(([link, target]) => {
      const name = link.slice(link.lastIndexOf('/') + 1);
      const isHere = link.slice(0, link.lastIndexOf('/')) === directory;
      if (!isHere || component === undefined || !mayMatch(component, name)) return [];
      return [{ name, target: followed(target, links), itself: null }];
    });
  },
  projectOf: (path) => (project !== undefined && isAtOrBelow(path, project) ? project : null),
  recordsOf: () => [],
  hasHooks: (_, which) => (which === 'any' ? hasHooks !== false : hasHooks === 'record'),
  addsRepository: () => addsRepository,
  repositoryOf: (directory) =>
    inner !== undefined && isAtOrBelow(directory, inner)
      ? inner
      : (/^(\/home\/u\/(?:projects\/)?[^/]+)(?:\/|$)/.exec(directory)?.[1] ?? null),
  resolvePath: (path, end) => (end === 'target' ? followed(path, links) : itself(path, links)),
  resolveName: (name, source, lookup) => {
    const own = names[name];
    if (own !== undefined) return own;
    if (lookup === 'bash' && isKeyword(source)) return { kind: 'keyword' };
    if (lookup !== 'file' && isBuiltinName(name)) return { kind: 'builtin' };
    if (name.includes('/')) return programAt(followed(name.startsWith('/') ? name : `${cwd}/${name}`, links));
    return programAt(`/usr/bin/${name}`);
  },
});

/** A cache, because most of the time of these tests would go into reading the same lines again. */
const known = new WeakMap<World, Map<string, Assessment>>();

export function assess(text: string, place: World = world): Assessment {
  const texts = known.get(place) ?? new Map<string, Assessment>();
  known.set(place, texts);
  const found = texts.get(text) ?? assessAnew(text, place);
  texts.set(text, found);
  return found;
}

export const assessAnew = (text: string, place: World = world): Assessment =>
  assessLine(commandsIn(parseLine(text, parse), parse), 'agrees', {
    cwd: place.cwd,
    rules: allRules,
    lookups: lookupsIn(place),
  });

/** @throws if the line is opaque */
export function requiredPermissionsOf(text: string, place: World = world): readonly RequiredPermission[] {
  const { requiredPermissions, opaque } = assess(text, place);
  if (requiredPermissions === null)
    throw new Error(`opaque: ${text}: ${opaque.map(({ reason }) => reason).join(', ')}`);
  return requiredPermissions;
}

export const requestOf = (text: string, place: World = world): ExecutionRequest => ({
  kind: 'command',
  text,
  argv: [text],
  cwd: place.cwd,
  host: place.host,
  user: place.user,
  environment: place.environment,
});

export const factsIn = (place: World = world, nowMs = NOON, confinementLevel: ConfinementLevel = 0): ScopeFacts =>
  scopeFactsOf(requestOf('', place), nowMs, followed(place.cwd, place.links), confinementLevel);

export const READ_APP: ResourcePattern = {
  kind: 'path',
  access: ['read'],
  values: { match: 'below', value: APP },
};

export const pattern = (over: Partial<CommandPattern> = {}): CommandPattern => ({
  operations: ['git log'],
  options: 'any',
  resources: [READ_APP],
  highestRisk: 'low',
  programs: { listed: [], rootOwned: true },
  ...over,
});

export const scope = (
  patterns: readonly CommandPattern[] = [pattern()],
  conditions: Partial<CommandScope['conditions']> = {},
  mostUses: number | null = null,
): CommandScope => ({
  kind: 'commands',
  patterns,
  conditions: {
    host: 'web',
    user: 'u',
    cwdBelow: null,
    hours: null,
    environment: world.environment,
    confinement: 0,
    ...conditions,
  },
  mostUses,
});

/** Whether the scope alone covers the line. It never covers an opaque line. */
export function covers(one: CommandScope, text: string, place: World = world, nowMs = NOON): boolean {
  const { requiredPermissions } = assess(text, place);
  if (requiredPermissions === null) return false;
  return coverLine(requiredPermissions, [{ grantId: 'g_1', scope: one }], factsIn(place, nowMs)).kind === 'covered';
}
