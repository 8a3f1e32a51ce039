/** Assesses a request. The kind of the request decides how its text is parsed and how its command names are looked up. */

import type { ExecutionRequest } from '../grant/request.ts';
import { commandsIn, type LineCommand, type LineCommands } from '../reading/commands-in.ts';
import { parseLine } from '../reading/parse-line.ts';
import type { Parse } from '../reading/parse-text.ts';
import { adviceFor, because, type Reason } from '../reasons/reason.ts';
import type { RuleBook } from '../rules/rule.ts';
import { quoteWord } from '../text/quote.ts';
import { changedAttributes } from '../variables/attributes.ts';
import { oddCharacterSet } from '../variables/character-set.ts';
import { changedOptions } from '../variables/shell-options.ts';
import { type Assessment, type AssessmentSetting, assessLine } from './assess-line.ts';
import { type Agreement, type HostFacts, lookupsFrom } from './host-facts.ts';
import { openedByShell } from './main-shell.ts';
import { touchedOwnPlace } from './own-places.ts';
import { writtenProgramPath } from './program-directories.ts';

/**
 * Whether the request has a line to assess. A script and standard input have no such line: an approver can approve only the exact bytes.
 * Requests of tools have scopes of their own. Each line of a plan is a request of its own.
 */
export const isAssessable = ({ kind }: Pick<ExecutionRequest, 'kind'>): boolean =>
  kind === 'command' || kind === 'line' || kind === 'argv';

/** Stages 1 and 2 of a request: parses the request's line, and finds the commands in the line. */
export const commandsOfRequest = (request: ExecutionRequest, parse: Parse): LineCommands =>
  commandsIn(parseLine(textOf(request), parse), parse);

/**
 * Stage 3 of a request: assesses the request's line. Variables, options and attributes in the request's environment can make a line opaque.
 * @param request a request for which `isAssessable` returns true
 * @param line    what `commandsOfRequest` returned for this request
 */
export function assessRequest(
  request: ExecutionRequest,
  line: LineCommands,
  bash: Agreement,
  setting: Omit<AssessmentSetting, 'cwd' | 'variables'>,
): Assessment {
  const variables = new Set(request.environment.flatMap(({ name, value }) => (value === '' ? [] : [name])));
  const assessment = assessInShell(request, line, bash, { ...setting, cwd: request.cwd, variables });
  const steering = steeringVariable(request);
  if (steering !== null) return opaqueBecause(assessment, because('shell-steered', steering), `${steering}=…`);
  const options = request.kind === 'line' ? changedOptions(request.environment) : null;
  if (options !== null) return opaqueBecause(assessment, because('changed-options', options), options);
  const attributes = changedAttributes(request.environment);
  if (attributes !== null) return opaqueBecause(assessment, because('changed-attributes', attributes), attributes);
  const program = writtenProgramPath(
    assessment.requiredPermissions ?? [],
    request.environment,
    setting.lookups.resolvePath,
  );
  if (program !== null) return opaqueBecause(assessment, because('writes-program-directory', program), program);
  const own = touchedOwnPlace(assessment.requiredPermissions ?? [], setting.lookups.own ?? []);
  if (own !== null) return opaqueBecause(assessment, because('touches-own-files', own), own);
  const odd = oddCharacterSet(request.environment, assessment.text);
  return odd === null ? assessment : opaqueBecause(assessment, because('odd-character-set', odd), `${odd}=…`);
}

function assessInShell(
  request: ExecutionRequest,
  line: LineCommands,
  bash: Agreement,
  here: AssessmentSetting,
): Assessment {
  const assessment = assessAsStarted(request, line, bash, here);
  const opened = request.kind === 'line' ? openedByShell(assessment.commands) : null;
  return opened === null ? assessment : opaqueBecause(assessment, opened, opened.source);
}

function assessAsStarted(
  request: ExecutionRequest,
  line: LineCommands,
  bash: Agreement,
  here: AssessmentSetting,
): Assessment {
  if (request.kind === 'argv') return assessArguments(request, line, bash, here);
  const assessment = assessLine(line, bash, here);
  if (request.kind === 'line' || isPlainCall(request)) return assessment;
  return opaqueBecause(assessment, because('bash-with-options'), request.text);
}

/**
 * Returns the first variable that changes how bash runs or parses the line; null: no variable does. bash(1): every bash that starts for the
 * line first runs the file that BASH_ENV names. With auto_resume, a command of one word in a session's line may resume a stopped job. The
 * other variables change how a new bash parses its text.
 */
function steeringVariable({ kind, environment }: ExecutionRequest): string | null {
  const steering =
    kind === 'line'
      ? ['BASH_ENV', 'auto_resume']
      : ['BASH_ENV', 'SHELLOPTS', 'BASHOPTS', 'BASH_COMPAT', 'POSIXLY_CORRECT', 'POSIX_PEDANTIC', 'POSIX_PEDANDTIC'];
  return environment.find(({ name, value }) => steering.includes(name) && value !== '')?.name ?? null;
}

/** @property isComplete whether the host facts answer all lookups of the assessment; false if there are no host facts */
export interface AssessmentByFacts extends Assessment {
  readonly isComplete: boolean;
}

/**
 * Stages 1 to 3 on the server. If `hostFacts` is null or lacks an answer, the line is opaque. The assessment then still contains
 * what the text and the given facts show.
 */
export function assessByHostFacts(
  request: ExecutionRequest,
  hostFacts: HostFacts | null,
  { rules, parse }: { readonly rules: RuleBook | null; readonly parse: Parse },
): AssessmentByFacts {
  const found = hostFacts ?? NOTHING_FOUND;
  const { lookups, isComplete } = lookupsFrom(found);
  const assessment = assessRequest(request, commandsOfRequest(request, parse), found.bash, { rules, lookups });
  if (hostFacts !== null && isComplete()) return { ...assessment, isComplete: true };
  const reason = hostFacts === null ? because('not-looked-up') : because('host-facts-incomplete');
  return { ...opaqueBecause(assessment, reason, assessment.text), isComplete: false };
}

const NOTHING_FOUND: HostFacts = {
  bash: 'unknown',
  home: null,
  hasSearchedCd: true,
  names: [],
  paths: [],
  repositories: [],
  bare: [],
  linksOut: [],
  matches: [],
  hidden: [],
};

/** Returns the line of a request. For an argv, makes the line from the words: the `text` of such a request is only for people. */
export const textOf = ({ kind, text, argv }: ExecutionRequest): string =>
  kind === 'argv' ? argv.map(quoteWord).join(' ') : text;

/** Whether the request is `bash -c TEXT [NAME [ARG…]]`. Another option may change the meaning of the text, or may run files first. */
function isPlainCall({ argv, text }: ExecutionRequest): boolean {
  const [option, first, second] = argv;
  return option === '-c' && (first === '--' ? second === text : first === text && !/^[-+]/.test(text));
}

/** Assesses an argv. No shell reads an argv. Its first word is a file, never a builtin, a keyword, an alias or an assignment. */
function assessArguments(
  { argv }: ExecutionRequest,
  line: LineCommands,
  bash: Agreement,
  setting: AssessmentSetting,
): Assessment {
  const assessment = assessLine({ ...line, commands: line.commands.map(asFile) }, bash, setting);
  const isWhole = line.folded === null && isProgramName(argv[0]) && line.commands.every(beginsWithFile);
  return isWhole ? assessment : opaqueBecause(assessment, because('no-plain-program'), line.text);
}

/** Marks the outermost name of the command as the name of a file. The line was parsed as for a shell, but no shell runs the line. */
function asFile(command: LineCommand): LineCommand {
  const [outermost, ...more] = command.through;
  if (outermost === undefined) return { ...command, lookup: 'file', meaning: { kind: 'other' } };
  return { ...command, through: [{ ...outermost, lookup: 'file' }, ...more] };
}

const beginsWithFile = ({ through: [outermost], lookup }: LineCommand): boolean =>
  (outermost ?? { lookup }).lookup !== 'builtin';

/**
 * Whether a shell would read the first word of an argv as the name of a command. A shell reads some words as an assignment, a reserved
 * word, or a builtin that runs the words after it (`exec`, `eval`). For such a word, the parsed line is not what runs.
 */
const isProgramName = (name: string | undefined): boolean =>
  name !== undefined && name !== '' && !name.includes('=') && !RESERVED.test(name);
const RESERVED =
  /^(?:!|\[\[|\]\]|\{|\}|case|coproc|do|done|elif|else|esac|fi|for|function|if|in|select|then|time|until|while|exec|command|builtin|eval|source|\.)$/;

/** Returns the assessment with one more reason why the line is opaque. */
function opaqueBecause(assessment: Assessment, { code, reason }: Reason, source: string): Assessment {
  const more = { code, reason, source: source.slice(0, 80), advice: adviceFor(code) };
  return { ...assessment, opaque: [...assessment.opaque, more], requiredPermissions: null, risk: null };
}
