/** Checks whether a value of unknown shape is a scope for commands. A scope that is malformed or too wide covers nothing. */

import { isConfinementLevel } from '../confinement/confinement-shape.ts';
import { hasOnly, isList, isRecord, isText } from '../shape.ts';
import { isPlainPath } from '../text/path.ts';
import type { CommandPattern, CommandScope, Hours, ResourcePattern, ScopeConditions } from './command-scope.ts';
import { hoursFault } from './hours.ts';
import { resourcePatternFault } from './pattern-shape.ts';
import { forbidden, type ScopeFault, unfit } from './unfit.ts';

const MAX_PATTERNS = 50;
const MAX_VALUES = 200;
const MAX_USES = 1_000_000;
/** The environment of a scope has at most this many variables. */
const MAX_VARIABLES = 1_000;

/** Returns what is wrong with the scope itself, without regard to a request; null: nothing is wrong. */
export function scopeShapeFault(scope: unknown): ScopeFault | null {
  if (!isRecord(scope) || scope['kind'] !== 'commands') return unfit('is no scope for commands');
  if (!hasOnly(scope, ['kind', 'patterns', 'conditions', 'mostUses']))
    return unfit('the scope has members that are not known here');
  const { patterns, conditions, mostUses } = scope as unknown as CommandScope;
  if (!isList(patterns, MAX_PATTERNS) || patterns.length === 0)
    return unfit(`a scope has 1 to ${MAX_PATTERNS} patterns`);
  for (const pattern of patterns) {
    const fault = patternFault(pattern);
    if (fault !== null) return fault;
  }
  if (new Set(patterns.map((each) => JSON.stringify(each))).size !== patterns.length)
    return unfit('two patterns are the same');
  if (mostUses !== null && !(Number.isInteger(mostUses) && mostUses >= 1 && mostUses <= MAX_USES))
    return unfit(`the number of uses is from 1 to ${MAX_USES}`);
  return conditionsFault(conditions);
}

export const isCommandScope = (scope: unknown): scope is CommandScope => scopeShapeFault(scope) === null;

function patternFault(pattern: unknown): ScopeFault | null {
  if (!isRecord(pattern) || !hasOnly(pattern, ['operations', 'options', 'resources', 'highestRisk', 'programs']))
    return unfit('a pattern has operations, options, resources, a highest risk and programs');
  const { operations, options, resources, highestRisk, programs } = pattern as unknown as CommandPattern;
  const isReading = isRecord(operations) && !Array.isArray(operations);
  if (!isReading && !isTextList(operations, 1)) return unfit(`name 1 to ${MAX_VALUES} operations, each once`);
  if (isReading && !isReadingOperations(operations))
    return unfit('reading operations name one tool, or null for every tool');
  if (options !== 'any' && !isTextList(options, 0))
    return unfit('options are any, or a list that names each option once');
  if (!(highestRisk === 'low' || highestRisk === 'medium' || highestRisk === 'high'))
    return (highestRisk as unknown) === 'critical'
      ? forbidden('a command of critical risk is approved exactly, each time')
      : unfit('the highest risk is low, medium or high');
  return programsFault(programs) ?? resourcesFault(resources, isReading);
}

const isReadingOperations = (operations: object): boolean => {
  const { reading, tool } = operations as { reading?: unknown; tool?: unknown };
  return reading === true && (tool === null || isText(tool)) && hasOnly(operations, ['reading', 'tool']);
};

function programsFault(programs: CommandPattern['programs']): ScopeFault | null {
  if (!isRecord(programs) || !hasOnly(programs, ['listed', 'rootOwned']) || typeof programs.rootOwned !== 'boolean')
    return unfit('programs have a list, and a flag that says whether programs that only root can change may run');
  return isTextList(programs.listed, 0) && programs.listed.every(isPlainPath)
    ? null
    : unfit('programs are listed by their absolute paths, each once');
}

function resourcesFault(resources: readonly ResourcePattern[], isReading: boolean): ScopeFault | null {
  if (!isList(resources, MAX_VALUES)) return unfit(`a pattern has at most ${MAX_VALUES} resource patterns`);
  for (const each of resources) {
    const fault = resourcePatternFault(each);
    if (fault !== null) return fault;
    if (isReading && each.access.some((access) => access !== 'read'))
      return unfit(
        `a pattern of reading operations cannot have the access ${each.access.find((access) => access !== 'read')}`,
      );
  }
  return null;
}

function conditionsFault(conditions: ScopeConditions): ScopeFault | null {
  if (
    !isRecord(conditions) ||
    !hasOnly(conditions, ['host', 'user', 'cwdBelow', 'hours', 'environment', 'confinement'])
  )
    return unfit('the conditions are host, user, cwdBelow, hours, environment and confinement');
  const { host, user, cwdBelow, hours, environment, confinement } = conditions;
  if (confinement !== undefined && !isConfinementLevel(confinement))
    return unfit('the confinement level is from 0 to 3');
  if (!isText(host) || !isText(user)) return unfit('name the host and the user');
  if (cwdBelow !== null && (!isText(cwdBelow) || !isPlainPath(cwdBelow) || cwdBelow === '/'))
    return unfit('the working directory is absolute, without ., .. or a slash at the end; null is anywhere');
  if (!isList(environment, MAX_VARIABLES) || !environment.every(isVariable))
    return unfit('the environment is a list of names and values');
  if (new Set(environment.map(({ name }) => name)).size !== environment.length)
    return unfit('the environment has a variable twice');
  if (hours === null) return null;
  if (!isHours(hours)) return unfit('hours have from, to, days and timeZone');
  const fault = hoursFault(hours);
  return fault === null ? null : unfit(fault.message);
}

const isVariable = (entry: unknown): boolean =>
  isRecord(entry) &&
  hasOnly(entry, ['name', 'value', 'digest']) &&
  isText(entry['name']) &&
  typeof entry['value'] === 'string' &&
  (entry['digest'] === undefined || entry['digest'] === true);

const isHours = (hours: unknown): hours is Hours =>
  isRecord(hours) &&
  hasOnly(hours, ['from', 'to', 'days', 'timeZone']) &&
  Array.isArray(hours['days']) &&
  typeof hours['timeZone'] === 'string';

const isTextList = (list: unknown, least: number): list is readonly string[] =>
  isList(list, MAX_VALUES) && list.length >= least && list.every(isText) && new Set(list).size === list.length;
