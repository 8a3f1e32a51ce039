/**
 * Decides whether the scope of a standing grant covers one required permission. Every property must fit. A property that is in doubt
 * does not fit.
 */

import { type CommandNeeds, needsOfCommand } from '../confinement/command-needs.ts';
import type { ConfinementLevel } from '../confinement/confinement.ts';
import type { RequiredPermission } from '../effects/assess-line.ts';
import type { Resource } from '../effects/permission.ts';
import type { Program } from '../effects/program.ts';
import { dangerOfResource, dangerOfTree } from '../sensitive/dangerous-resource.ts';
import type { CommandScope } from './command-scope.ts';
import { type CompiledPattern, type CompiledScope, compileScope, rankOf, resourceKey } from './compiled-scope.ts';
import { differingVariables, type MissedCondition, missedCondition, type ScopeFacts } from './conditions.ts';
import { isHarmlessVariable, isReadingPermission } from './reading-permission.ts';

/** Why a pattern does not fit. `missText` puts the reason into words. */
type PatternMiss =
  | { readonly kind: 'operation'; readonly pattern: CompiledPattern }
  | { readonly kind: 'risk'; readonly pattern: CompiledPattern }
  | { readonly kind: 'options'; readonly pattern: CompiledPattern; readonly option: string }
  | { readonly kind: 'program'; readonly pattern: CompiledPattern; readonly program: Program }
  | { readonly kind: 'resource'; readonly pattern: CompiledPattern; readonly resource: Resource }
  /** The kernel cannot confine the command. `reason` ends a sentence that begins "the command …". */
  | { readonly kind: 'unconfinable'; readonly pattern: CompiledPattern; readonly reason: string };

/** Why a scope does not cover a required permission. */
export type Miss =
  | PatternMiss
  | { readonly kind: 'malformed' }
  /** `variables`: with the condition `environment`, the names of the variables that differ; else empty. */
  | { readonly kind: 'condition'; readonly condition: MissedCondition; readonly variables: readonly string[] }
  | { readonly kind: 'critical' }
  /** The command runs code, and another command of the line is allowed more than this command. */
  | { readonly kind: 'code-beside' }
  | { readonly kind: 'danger'; readonly resource: Resource; readonly danger: string };

export const coversRequired = (scope: CommandScope, required: RequiredPermission, facts: ScopeFacts): boolean =>
  missOf(scope, required, facts) === null;

/** Returns null if the scope covers the permission, else what is missing. If no pattern fits, returns the nearest miss (`nearness`). */
export function missOf(scope: CommandScope, required: RequiredPermission, facts: ScopeFacts): Miss | null {
  const compiled = compileScope(scope);
  return compiled === null ? { kind: 'malformed' } : missOfCompiled(compiled, required, facts);
}

/** Does the same as `missOf`, for a compiled scope. */
export function missOfCompiled(compiled: CompiledScope, required: RequiredPermission, facts: ScopeFacts): Miss | null {
  const condition = missedCondition(compiled.scope.conditions, compiled.environment, facts);
  return condition === null
    ? missOfPatterns(compiled, required, facts.confinementLevel)
    : conditionMiss(condition, compiled, facts);
}

export const conditionMiss = (condition: MissedCondition, { environment }: CompiledScope, facts: ScopeFacts): Miss => ({
  kind: 'condition',
  condition,
  variables: condition === 'environment' ? differingVariables(environment, facts.environment) : [],
});

/** Does the same as `missOf`, but checks no conditions. At a level above 0 the kernel must also be able to confine the command. */
export function missOfPatterns(
  { patterns, homes }: CompiledScope,
  required: RequiredPermission,
  level: ConfinementLevel,
): Miss | null {
  const traits = traitsOf(required);
  if (traits.isImplied) return null;
  if (traits.rank < 0 || required.permission.risk === 'critical') return { kind: 'critical' };
  let nearest: PatternMiss | null = null;
  for (const pattern of patterns) {
    let miss = missOfPattern(pattern, required, traits);
    if (miss === null) {
      const danger = traits.danger ?? dangerIn(required.permission.resources, homes);
      const needs = danger !== null || level === 0 ? null : needsOfCommand(required, pattern.needsSetting);
      if (needs?.ok !== false) return danger;
      miss = { kind: 'unconfinable', pattern, reason: needs.failure.message };
    }
    if (nearest === null || nearness(miss) > nearness(nearest)) nearest = miss;
  }
  return nearest ?? { kind: 'malformed' };
}

/**
 * Returns what the kernel must let the command do. Uses the first fitting pattern with which the kernel can confine the command. Unlike
 * `missOf`, checks no conditions, no critical risk and no dangerous resources.
 * @returns null if no fitting pattern lets the kernel confine the command, or if the command is implied
 */
export function needsIfCovered({ patterns }: CompiledScope, required: RequiredPermission): CommandNeeds | null {
  const traits = traitsOf(required);
  for (const pattern of traits.isImplied ? [] : patterns) {
    if (missOfPattern(pattern, required, traits) !== null) continue;
    const needs = needsOfCommand(required, pattern.needsSetting);
    if (needs.ok) return needs.value;
  }
  return null;
}

/** Facts about a required permission that do not depend on the scope. `traitsOf` derives them only once. */
interface Traits {
  readonly isImplied: boolean;
  readonly isReading: boolean;
  readonly rank: number;
  /** The resources that a pattern must fit. */
  readonly resources: readonly Resource[];
  /** The miss if the command writes a tree and possibly puts a dangerous file there; else null. */
  readonly danger: Miss | null;
}

/** Puts variables first. A miss names the first resource that does not fit. For `$TOKEN`, the miss must name the variable, not a path. */
const variablesFirst = (resources: readonly Resource[]): readonly Resource[] => [
  ...resources.filter(({ kind }) => kind === 'variable'),
  ...resources.filter(({ kind }) => kind !== 'variable'),
];

/** Traits by the identity of the required permission. No code changes a required permission in place, so its traits stay true. */
const cache = new WeakMap<RequiredPermission, Traits>();

function traitsOf(required: RequiredPermission): Traits {
  const found = cache.get(required);
  if (found !== undefined) return found;
  const { permission } = required;
  const tree = dangerOfTree(permission);
  const traits = {
    isImplied: isImplied(required),
    isReading: isReadingPermission(permission) && !changesShell(required),
    rank: rankOf(permission.risk),
    resources: variablesFirst(permission.resources.filter((resource) => !isHarmlessVariable(resource))),
    danger: tree === null ? null : dangerMiss(tree),
  };
  cache.set(required, traits);
  return traits;
}

const dangerMiss = ([resource, danger]: readonly [Resource, string]): Miss => ({ kind: 'danger', resource, danger });

/** How nearly a scope covers the permission. A greater number means that less is missing. */
export const nearness = ({ kind }: Miss): number => NEARNESS.indexOf(kind);

const NEARNESS: readonly Miss['kind'][] = [
  'malformed',
  'operation',
  'condition',
  'risk',
  'critical',
  'options',
  'program',
  'resource',
  'unconfinable',
  'danger',
  'code-beside',
];

function dangerIn(resources: readonly Resource[], homes: readonly string[]): Miss | null {
  for (const resource of resources) {
    const danger = dangerOfResource(resource, homes);
    if (danger !== null) return { kind: 'danger', resource, danger };
  }
  return null;
}

function missOfPattern(
  pattern: CompiledPattern,
  { permission, programs }: RequiredPermission,
  traits: Traits,
): PatternMiss | null {
  const { operations, tool, options, matchers } = pattern;
  const fitsOperation =
    operations === null
      ? (tool === null || tool === permission.tool) && traits.isReading
      : operations.has(permission.operation);
  if (!fitsOperation) return { kind: 'operation', pattern };
  if (traits.rank > pattern.highestRank) return { kind: 'risk', pattern };
  if (options !== 'any')
    for (const option of permission.options) if (!options.has(option)) return { kind: 'options', pattern, option };
  for (const program of programs) if (!mayRun(pattern, program)) return { kind: 'program', pattern, program };
  for (const resource of traits.resources)
    if (matchers.get(resourceKey(resource))?.some((match) => match(resource)) !== true)
      return { kind: 'resource', pattern, resource };
  return null;
}

const mayRun = ({ listed, allowsRootOwned: rootOwned }: CompiledPattern, { realPath, changeable }: Program): boolean =>
  realPath === null || listed.has(realPath) || (rootOwned && changeable === 'root');

/**
 * Builtins that change nothing outside of the shell. For example, `cd` changes the working directory of the shell. The assessment of the
 * other commands of the line includes this change.
 */
const IMPLIED: ReadonlySet<string> = new Set(
  ': true false echo printf pwd test [ [[ cd exit return break continue wait times type command set'.split(' '),
);

/** Whether the command is `umask`, `shift` or the like: it touches nothing itself, but it changes the shell for later commands. */
const changesShell = ({ permission, programs }: RequiredPermission): boolean =>
  permission.operation === 'shell' && !programs.every(({ name }) => IMPLIED.has(name));

/**
 * Whether the command is `cd`, `echo`, `true` or the like, and uses neither files nor variables. Every standing grant covers such a
 * command if the conditions of the grant are fulfilled. So a grant for `git log` covers `cd src && git log`. The resources of the other
 * commands show to which directory `cd` leads.
 */
export const isImplied = ({ permission, programs }: RequiredPermission): boolean =>
  permission.operation === 'shell' &&
  permission.tool === 'shell' &&
  permission.risk === 'low' &&
  permission.resources.length === 0 &&
  permission.options.length === 0 &&
  programs.every(({ name, realPath }) => realPath === null && IMPLIED.has(name));
