/** Makes the patterns of offered scopes. The narrowest is for one command of the line. The widest is for all commands that only read. */
import type { RequiredPermission } from '../effects/assess-line.ts';
import type { Permission, Risk } from '../effects/permission.ts';
import { isAtOrBelow } from '../text/path.ts';
import { allOfKind, aroundResource, sameResource } from './areas.ts';
import type { CommandPattern, ResourcePattern } from './command-scope.ts';
import { isHarmlessVariable, isReadingPermission } from './reading-permission.ts';

const neededResources = ({ resources }: Permission) => resources.filter((each) => !isHarmlessVariable(each));
const pathsOf = ({ programs }: RequiredPermission): readonly string[] => [
  ...new Set(programs.flatMap(({ realPath }) => realPath ?? [])),
];
const changeableIn = (requiredPermissions: readonly RequiredPermission[]): readonly string[] => [
  ...new Set(
    requiredPermissions.flatMap(({ programs }) =>
      programs.flatMap(({ realPath, changeable }) => (realPath !== null && changeable === 'user' ? [realPath] : [])),
    ),
  ),
];

/** `proposeScopes` offers nothing for a critical line, so the risk is never `critical` here. */
const upTo = (risk: Risk): CommandPattern['highestRisk'] => (risk === 'critical' ? 'high' : risk);

/** Returns a pattern for the same operation, options and resources; null if one of the resources has no pattern that certainly fits. */
export function narrowPattern(required: RequiredPermission): CommandPattern | null {
  const { permission } = required;
  const resources = united(neededResources(permission).map(sameResource));
  return resources === null
    ? null
    : {
        operations: [permission.operation],
        options: permission.options,
        resources,
        highestRisk: upTo(permission.risk),
        programs: { listed: pathsOf(required), rootOwned: false },
      };
}

/**
 * Returns a pattern for the same operation, all options, and at most the same risk. Returns null if one of the resources has no pattern
 * that certainly fits.
 *
 * The resources of the pattern:
 * - for a command that only reads: what `readingPattern` returns for all reading commands of the line
 * - for another command: each resource, and what lies around the resource (`aroundResource`)
 * - in both cases, if the command reads a container, a service or the like: all resources of this kind (`allOfKind`). The exception is a
 *   command of high risk, which may read secrets: then only the container or service that the command reads
 * @param all     what all commands of the line need
 * @param project the directory below which all files are offered; null: no directory is offered as a whole
 * @param home    the user's home directory; null: not known
 */
export function operationPattern(
  required: RequiredPermission,
  all: readonly RequiredPermission[],
  project: string | null,
  home: string | null,
): CommandPattern | null {
  const { permission } = required;
  if (isReadingPermission(permission)) {
    const same = all.filter((each) => isReadingPermission(each.permission));
    const pattern = readingPattern(permission.tool, same, project, home);
    return pattern === null ? null : { ...pattern, operations: [permission.operation] };
  }
  const wholeKind = permission.risk === 'high' ? () => null : allOfKind;
  const resources = united(
    neededResources(permission).map((each) => wholeKind(each) ?? aroundResource(each, project, home)),
  );
  return resources === null
    ? null
    : {
        operations: [permission.operation],
        options: 'any',
        resources,
        highestRisk: upTo(permission.risk),
        programs: { listed: changeableIn([required]), rootOwned: true },
      };
}

/**
 * Returns a pattern for commands that only read. The pattern covers the project, and what lies around the resources that
 * `requiredPermissions` read. If `tool` is null or one of the commands is git, the pattern also covers all refs. Returns null if one of
 * the resources has no pattern that certainly fits. `project` and `home` are as for `operationPattern`.
 * @param tool the tool of the commands; null: the pattern is for all tools
 */
export function readingPattern(
  tool: string | null,
  requiredPermissions: readonly RequiredPermission[],
  project: string | null,
  home: string | null,
): CommandPattern | null {
  const reads = requiredPermissions.flatMap(({ permission }) =>
    isReadingPermission(permission) ? neededResources(permission) : [],
  );
  const inProject: ResourcePattern[] =
    project === null ? [] : [{ kind: 'path', access: ['read'], values: { match: 'below', value: project } }];
  const hasRefs = tool === null || requiredPermissions.some(({ permission }) => permission.tool === 'git');
  const refs: ResourcePattern[] = hasRefs ? [{ kind: 'ref', access: ['read'], values: { match: 'any' } }] : [];
  const resources = united([
    ...inProject,
    ...reads.map((each) => allOfKind(each) ?? aroundResource(each, project, home)),
    ...refs,
  ]);
  return resources === null
    ? null
    : {
        operations: { reading: true, tool },
        options: 'any',
        resources,
        highestRisk: 'low',
        programs: { listed: changeableIn(requiredPermissions), rootOwned: true },
      };
}

/**
 * Joins patterns of the same kind and values into one pattern, which has the accesses of all of them. Leaves out each pattern that lies
 * inside another pattern. Returns null if one of the patterns is null.
 */
function united(patterns: readonly (ResourcePattern | null)[]): readonly ResourcePattern[] | null {
  const found = new Map<string, ResourcePattern>();
  for (const pattern of patterns) {
    if (pattern === null) return null;
    const key = JSON.stringify([pattern.kind, pattern.values]);
    const access = [...new Set([...(found.get(key)?.access ?? []), ...pattern.access])].sort();
    found.set(key, { ...pattern, access });
  }
  const all = [...found.values()];
  return all.filter((one) => !all.some((other) => other !== one && isInside(one, other)));
}

const isInside = (inner: ResourcePattern, outer: ResourcePattern): boolean =>
  outer.kind === inner.kind &&
  inner.access.every((access) => outer.access.includes(access)) &&
  (outer.values.match === 'any' ||
    (outer.values.match === 'below' &&
      (inner.values.match === 'below' || inner.values.match === 'exact') &&
      isAtOrBelow(inner.values.value, outer.values.value)));

/**
 * Joins patterns that differ only in their operations. Joins patterns of reading operations (`reading`) only if the patterns are equal.
 * Returns `[null]` if one of the patterns is null.
 */
export function merged(patterns: readonly (CommandPattern | null)[]): readonly (CommandPattern | null)[] {
  const found = new Map<string, CommandPattern>();
  for (const pattern of patterns) {
    if (pattern === null) return [null];
    const { operations, ...rest } = pattern;
    const key = JSON.stringify('reading' in operations ? pattern : rest);
    const same = found.get(key);
    const both =
      same === undefined || 'reading' in same.operations || 'reading' in operations
        ? operations
        : [...new Set([...same.operations, ...operations])];
    found.set(key, { ...pattern, operations: both });
  }
  return [...found.values()];
}
