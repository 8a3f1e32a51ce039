/**
 * Deciding variables: bound variables of a request that possibly decide what runs (`decidesWhatRuns`). A variable that has a usual value
 * (`usual-variables.ts`) does not count.
 */
import type { EnvironmentEntry, ExecutionRequest } from '../grant/request.ts';
import { decidesWhatRuns, isBoundVariable } from './bound-variables.ts';
import { oddEntries } from './usual-variables.ts';

/** Matches PATH, and the variables that load code into all programs, or into all programs of a language. */
const LOADS_CODE =
  /^(?:LD_|DYLD_|BASH_ENV$|ENV$|BASH_FUNC_|BASH_LOADABLES_PATH$|PATH$|NODE_(?:OPTIONS|PATH)$|PYTHON(?:PATH|HOME|STARTUP)$|PERL5?(?:OPT|LIB|DB)$|RUBY(?:OPT|LIB)$|(?:JAVA_TOOL|_JAVA|JDK_JAVA)_OPTIONS$|GCONV_PATH$)/;

/**
 * Returns the deciding variables of a request. With such a variable, the risk of the request is not known.
 * - An empty value counts only for PATH.
 * - An entry with a space (`alias ls`) is no variable. The assessment of the line covers such entries.
 * - A file operation or a fetch has no deciding variables, because it starts no program that reads variables.
 * - Variables that load code come first, because a short text names only the first variables.
 */
export function decidingEntries({
  kind,
  environment,
}: Pick<ExecutionRequest, 'kind' | 'environment'>): readonly EnvironmentEntry[] {
  if (kind === 'file' || kind === 'fetch') return [];
  const deciding = oddEntries(environment).filter(
    ({ name, value }) =>
      !name.includes(' ') && decidesWhatRuns(name) && isBoundVariable(name) && (value !== '' || name === 'PATH'),
  );
  return [...deciding.filter(loadsCode), ...deciding.filter((entry) => !loadsCode(entry))];
}

const loadsCode = ({ name }: EnvironmentEntry): boolean => LOADS_CODE.test(name);

/** Writes the entries as a text. Equal texts mean equal entries; the order of `entries` does not matter. */
export const canonicalDeciding = (entries: readonly EnvironmentEntry[]): string =>
  JSON.stringify([
    'ape-deciding/1',
    entries
      .map(({ name, value, digest }) => [name, value, digest === true ? 1 : 0])
      .sort(([one = ''], [other = '']) => (one < other ? -1 : one > other ? 1 : 0)),
  ]);
