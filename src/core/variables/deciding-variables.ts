/**
 * The variables that come with a request and may decide what runs: the same judgement as for an assignment in the line, but without
 * the values that every environment has.
 */
import type { EnvironmentEntry, ExecutionRequest } from '../grant/request.ts';
import { decidesWhatRuns, isBoundVariable } from './bound-variables.ts';
import { oddEntries } from './usual-variables.ts';

/**
 * Returns the entries because of which the risk of a request is not known. A report of a session (`alias ls`) is no variable, and the
 * reading of the line counts it. A file operation and a fetch start no program that reads variables.
 */
export function decidingEntries({
  kind,
  environment,
}: Pick<ExecutionRequest, 'kind' | 'environment'>): readonly EnvironmentEntry[] {
  if (kind === 'file' || kind === 'fetch') return [];
  return oddEntries(environment).filter(
    ({ name, value }) =>
      !name.includes(' ') && decidesWhatRuns(name) && isBoundVariable(name) && (value !== '' || name === 'PATH'),
  );
}

/** Writes the entries so that equal texts mean equal entries. */
export const canonicalDeciding = (entries: readonly EnvironmentEntry[]): string =>
  JSON.stringify([
    'ape-deciding/1',
    entries
      .map(({ name, value, digest }) => [name, value, digest === true ? 1 : 0])
      .sort(([one = ''], [other = '']) => (one < other ? -1 : one > other ? 1 : 0)),
  ]);
