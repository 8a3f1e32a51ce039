/**
 * Deciding variables: bound variables of a request that possibly decide what runs (`decidesWhatRuns`). A variable with a value that most
 * environments have does not count.
 */
import type { EnvironmentEntry, ExecutionRequest } from '../grant/request.ts';
import { decidesWhatRuns, isBoundVariable } from './bound-variables.ts';
import { oddEntries } from './usual-variables.ts';

/** Variables that load code into every program or into every program of a language, and PATH. */
const LOADS_CODE =
  /^(?:LD_|DYLD_|BASH_ENV$|ENV$|BASH_FUNC_|BASH_LOADABLES_PATH$|PATH$|NODE_(?:OPTIONS|PATH)$|PYTHON(?:PATH|HOME|STARTUP)$|PERL5?(?:OPT|LIB|DB)$|RUBY(?:OPT|LIB)$|(?:JAVA_TOOL|_JAVA|JDK_JAVA)_OPTIONS$|GCONV_PATH$)/;

/**
 * Returns the entries because of which the risk of a request is not known. A variable with an empty value does not count, except PATH. A
 * report of a session (`alias ls`) is no variable; the assessment of the line takes it into account. A file operation and a fetch start no
 * program that reads variables. Variables that load code come first, because a short text names only the first few.
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
