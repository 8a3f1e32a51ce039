/** A whole request, not only its text: how it is started decides how its text is read and its names are looked up. */

import type { ExecutionRequest } from '../grant/request.ts';
import { commandsIn, type LineCommand, type LineCommands } from '../reading/commands-in.ts';
import { parseLine } from '../reading/parse-line.ts';
import type { Parse } from '../reading/parse-text.ts';
import { adviceFor, because, type Reason } from '../reasons/reason.ts';
import type { RuleBook } from '../rules/rule.ts';
import { quoteWord } from '../text/quote.ts';
import { oddCharacterSet } from '../variables/character-set.ts';
import { type Assessment, type AssessmentSetting, assessLine } from './assess-line.ts';
import { type Agreement, type HostFacts, lookupsFrom } from './host-facts.ts';
import { openedByShell } from './main-shell.ts';

/** Of other kinds no line is assessed: scripts and standard input are exact, and file tools have their own scopes. */
export const isAssessable = ({ kind }: Pick<ExecutionRequest, 'kind'>): boolean =>
  kind === 'command' || kind === 'line' || kind === 'argv';

/** Stages 1 and 2 of a request: its line, parsed once, and the commands in it. */
export const commandsOfRequest = (request: ExecutionRequest, parse: Parse): LineCommands =>
  commandsIn(parseLine(textOf(request), parse), parse);

/**
 * What the request would do. It must be `isAssessable`.
 * @param line of this request, see `commandsOfRequest`
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

/** BASH_ENV names a file that every bash in the line runs first; the others change how a new bash reads its text. bash(1). */
function steeringVariable({ kind, environment }: ExecutionRequest): string | null {
  const steering = kind === 'line' ? ['BASH_ENV'] : ['BASH_ENV', 'SHELLOPTS', 'BASHOPTS', 'POSIXLY_CORRECT'];
  return environment.find(({ name, value }) => steering.includes(name) && value !== '')?.name ?? null;
}

/**
 * By what a host found.
 * @property isComplete whether everything was looked up that had to be
 */
export interface AssessmentByFacts extends Assessment {
  readonly isComplete: boolean;
}

/**
 * Stages 1 to 3 for a server. What was asked and not found by the host, and a host that could find nothing (null), makes
 * it opaque; then the assessment still says what the text alone tells.
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

/** The line of a request. What an argv is called by (`text`) is for people; its words are what runs. */
export const textOf = ({ kind, text, argv }: ExecutionRequest): string =>
  kind === 'argv' ? argv.map(quoteWord).join(' ') : text;

/** `bash -c TEXT [NAME [ARG…]]`: any other option may change what the text means, or run files first. */
function isPlainCall({ argv, text }: ExecutionRequest): boolean {
  const [option, first, second] = argv;
  return option === '-c' && (first === '--' ? second === text : first === text && !/^[-+]/.test(text));
}

/** No shell reads these words: the first is a file, never a builtin, a keyword, an alias or an assignment. */
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

/** What stands outermost was read as a shell would; without one it is looked up as a file alone. */
function asFile(each: LineCommand): LineCommand {
  const [outermost, ...more] = each.through;
  if (outermost === undefined) return { ...each, lookup: 'file', meaning: { kind: 'other' } };
  return { ...each, through: [{ ...outermost, lookup: 'file' }, ...more] };
}

const beginsWithFile = ({ through: [outermost], lookup }: LineCommand): boolean =>
  (outermost ?? { lookup }).lookup !== 'builtin';

/** A first word that a shell would read in its own way means something else without a shell. */
const isProgramName = (name: string | undefined): boolean =>
  name !== undefined && name !== '' && !name.includes('=') && !RESERVED.test(name);
const RESERVED =
  /^(?:!|\[\[|\]\]|\{|\}|case|coproc|do|done|elif|else|esac|fi|for|function|if|in|select|then|time|until|while|exec|command|builtin|eval|source|\.)$/;

/** Only its exact bytes can be approved, for one more reason. */
function opaqueBecause(assessment: Assessment, { code, reason }: Reason, source: string): Assessment {
  const more = { code, reason, source: source.slice(0, 80), advice: adviceFor(code) };
  return { ...assessment, opaque: [...assessment.opaque, more], requiredPermissions: null, risk: null };
}
