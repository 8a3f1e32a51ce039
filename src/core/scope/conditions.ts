/** What must hold around a line: the directory, the user, the time and the variables. */
import type { ConfinementLevel } from '../confinement/confinement.ts';
import { isAtOrBelow } from '../files/file-operation.ts';
import type { EnvironmentEntry, ExecutionRequest } from '../grant/request.ts';
import { isBoundVariable } from '../variables/bound-variables.ts';
import type { ScopeConditions } from './command-scope.ts';
import { isWithinHours } from './hours.ts';

/**
 * What is known around the line that is to run.
 * @property cwd         absolute, symbolic links followed
 * @property environment see `boundEnvironment`
 * @property nowMs       of the server (Unix ms)
 * @property confinementLevel how much the host says its kernel would hold this
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
 * @param cwd              the request's directory with its links followed, where the caller knows it
 * @param confinementLevel what its host says it holds; left out where the host was not asked
 */
export const factsOf = (
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

/**
 * The variables that change what programs do, as one text: equal texts, equal environments. What a session notes about its
 * words (`alias git`, `function git`) is not among them: it decides what a name resolves to, and so which program runs.
 */
export const boundEnvironment = (environment: readonly EnvironmentEntry[]): string =>
  JSON.stringify(boundVariables(environment).map(({ name, value, digest }) => [name, value, digest === true ? 1 : 0]));

/** Those that a scope binds, sorted by name. */
export const boundVariables = (environment: readonly EnvironmentEntry[]): readonly EnvironmentEntry[] =>
  environment
    .filter(({ name }) => isBoundVariable(name))
    .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));

export type MissedCondition = 'host' | 'user' | 'cwd' | 'hours' | 'environment' | 'confinement';

/** What a scope demands of the host's kernel, at the least. */
export const leastLevel = ({ confinement }: Pick<ScopeConditions, 'confinement'>): ConfinementLevel => confinement ?? 1;

/** The first that does not hold, or null. `environment` is the scope's, as `boundEnvironment` writes it. */
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
