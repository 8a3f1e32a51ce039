/** Describes an offered scope in one line for the approver. */
import type { RequiredPermission } from '../effects/assess-line.ts';
import { neededLoginFiles } from '../effects/login-sentence.ts';
import type { CommandPattern, CommandScope } from './command-scope.ts';
import { leastLevel } from './conditions.ts';
import { inWords, operationsText, patternsText, valuesText } from './scope-text.ts';

/**
 * Examples: `git log with any options, reading below /home/u/app`; `reading git or ls commands below /home/u/app`. The title names the
 * programs that the user can change: a changed program changes what is approved.
 * @param id the id of the proposal. For `narrow`, the title says that options, files and places stay the same
 */
export const proposalTitleOf = (
  id: string,
  scope: CommandScope,
  requiredPermissions: readonly RequiredPermission[],
): string =>
  `${actionsText(id, scope.patterns)}${startOf(scope)}${changeableText(scope, requiredPermissions)}${loginText(scope, requiredPermissions)}`;

function actionsText(id: string, patterns: readonly CommandPattern[]): string {
  if (id === 'narrow') return `${allOperations(patterns)} with the same options, on the same files and places`;
  const isReading = ({ operations }: CommandPattern) => 'reading' in operations;
  const reading = patterns.filter(isReading);
  const others = patterns.filter((pattern) => !isReading(pattern)).map((pattern) => ({ ...pattern, programs: NONE }));
  const parts = others.length === 0 ? [] : [patternsText(others)];
  if (reading.length > 0) parts.push(`${allOperations(reading)}${placesOf(reading)}`);
  return parts.join('; ');
}

/** Keeps the list of programs out of the title. `changeableText` names the programs that matter. */
const NONE: CommandPattern['programs'] = { listed: [], rootOwned: true };

/** Joins `reading git commands` and `reading ls commands` to `reading git or ls commands`. */
function allOperations(patterns: readonly CommandPattern[]): string {
  const tools = patterns.flatMap(({ operations }) => ('reading' in operations ? (operations.tool ?? []) : []));
  if (tools.length === patterns.length) return `reading ${inWords(tools, 'or')} commands`;
  return inWords([...new Set(patterns.map(operationsText))], 'or');
}

function placesOf(patterns: readonly CommandPattern[]): string {
  const paths = patterns.flatMap(({ resources }) => resources.filter(({ kind }) => kind === 'path'));
  const texts = [...new Set(paths.map(({ kind, values }) => valuesText(kind, values)))];
  return texts.length === 0 ? '' : ` ${inWords(texts, 'or')}`.replace(/^ (?=\/)/, ' on ');
}

function startOf({ conditions, patterns }: CommandScope): string {
  const { cwdBelow } = conditions;
  const isSaid = patterns.some(({ resources }) =>
    resources.some(({ values }) => values.match === 'below' && values.value === cwdBelow),
  );
  return cwdBelow === null || isSaid ? '' : `, started in ${cwdBelow} or below`;
}

function changeableText(
  { conditions, patterns }: CommandScope,
  requiredPermissions: readonly RequiredPermission[],
): string {
  const listed = new Set(patterns.flatMap(({ programs }) => programs.listed));
  const changeable = requiredPermissions
    .flatMap(({ programs }) => programs)
    .flatMap(({ realPath, changeable: by }) => (realPath !== null && by === 'user' ? [realPath] : []));
  const named = [...new Set(changeable)].filter((path) => listed.has(path));
  return named.length === 0 ? '' : `; runs ${inWords(named, 'and')}, which ${conditions.user} can change`;
}

/** Names the credential files that a command needs. A confined command cannot read these files, and may fail. */
function loginText({ conditions }: CommandScope, requiredPermissions: readonly RequiredPermission[]): string {
  const files = new Set(requiredPermissions.flatMap(({ permission }) => neededLoginFiles(permission)));
  return leastLevel(conditions) === 0 || files.size === 0
    ? ''
    : `; logs in with ${inWords([...files], 'and')}, which a confined run cannot read`;
}
