/** Checks the conditions of a scope: host, user, directory, hours, variables and confinement level. */
import type { ConfinementLevel } from '../confinement/confinement.ts';
import type { EnvironmentEntry, ExecutionRequest } from '../grant/request.ts';
import { isAtOrBelow } from '../text/path.ts';
import { isBoundVariable } from '../variables/bound-variables.ts';
import type { ScopeConditions } from './command-scope.ts';
import { isWithinHours } from './hours.ts';

/**
 * The facts about a line. `missedCondition` compares the conditions of a scope with these facts.
 * @property cwd         the absolute path of the directory, with symbolic links followed
 * @property environment the result of `boundEnvironment`
 * @property nowMs       the present time (Unix ms) by the clock of the process that checks: the server or the host
 * @property confinementLevel the level that the host reports for this line
 */
export interface ScopeFacts {
  readonly host: string;
  readonly user: string;
  readonly cwd: string;
  readonly environment: string;
  readonly nowMs: number;
  readonly confinementLevel: ConfinementLevel;
}

/**
 * @param cwd              the request's directory without symbolic links, if the caller knows this path; default: `request.cwd`
 * @param confinementLevel the level that the request's host reports; default 0, if the host was not asked
 */
export const scopeFactsOf = (
  request: Pick<ExecutionRequest, 'host' | 'user' | 'cwd' | 'environment'>,
  nowMs: number,
  cwd = request.cwd,
  confinementLevel: ConfinementLevel = 0,
): ScopeFacts => ({
  host: request.host,
  user: request.user,
  cwd,
  environment: boundEnvironment(request.environment),
  nowMs,
  confinementLevel,
});

/** Returns the `boundVariables` as one text. Equal texts mean the same variables with the same values. */
export const boundEnvironment = (environment: readonly EnvironmentEntry[]): string =>
  JSON.stringify(boundVariables(environment).map(({ name, value, digest }) => [name, value, digest === true ? 1 : 0]));

/** Returns the names of variables that only one environment has, or whose values differ. Both texts come from `boundEnvironment`. */
export function differingVariables(one: string, other: string): readonly string[] {
  const [left, right] = [entriesIn(one), entriesIn(other)];
  const differing = [...left, ...right].filter((entry) => !left.has(entry) || !right.has(entry));
  return [...new Set(differing.map((entry) => String(JSON.parse(entry)[0])))].sort();
}

const entriesIn = (environment: string): ReadonlySet<string> =>
  new Set((JSON.parse(environment) as unknown[]).map((entry) => JSON.stringify(entry)));

/**
 * Returns the variables that a scope binds, sorted by name. A request can bind more: variables that its text expands, prompt variables,
 * and redefined words (`alias git`, `function git`).
 */
export const boundVariables = (environment: readonly EnvironmentEntry[]): readonly EnvironmentEntry[] =>
  environment
    .filter(({ name }) => isBoundVariable(name))
    .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));

/** The condition that a line does not fulfil. `cwd` means `ScopeConditions.cwdBelow`. */
export type MissedCondition = 'host' | 'user' | 'cwd' | 'hours' | 'environment' | 'confinement';

/** Returns the lowest confinement level that a scope allows. `ScopeConditions` explains why a scope without a level demands level 1. */
export const leastLevel = ({ confinement }: Pick<ScopeConditions, 'confinement'>): ConfinementLevel => confinement ?? 1;

/**
 * Returns the first condition that is not fulfilled; null: all conditions are fulfilled.
 * @param environment the environment of the scope, as `boundEnvironment` writes it
 */
export function missedCondition(
  conditions: ScopeConditions,
  environment: string,
  facts: ScopeFacts,
): MissedCondition | null {
  if (conditions.host !== facts.host) return 'host';
  if (conditions.user !== facts.user) return 'user';
  if (conditions.cwdBelow !== null && !isAtOrBelow(facts.cwd, conditions.cwdBelow)) return 'cwd';
  if (environment !== facts.environment) return 'environment';
  if (leastLevel(conditions) > facts.confinementLevel) return 'confinement';
  return conditions.hours === null || isWithinHours(conditions.hours, facts.nowMs) ? null : 'hours';
}
