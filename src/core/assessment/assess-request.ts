/** A whole request, not only its text: how it is started decides how its text is read and its names are looked up. */

import { quoteWord } from '../quote.ts';
import { type Understanding, type UnderstoodCommand, understandLine } from '../reading/understand.ts';
import { adviceFor, because, type Reason } from '../reasons/reason.ts';
import type { ExecutionRequest } from '../request.ts';
import { oddCharacterSet } from '../variables/character-set.ts';
import { type Assessment, type AssessmentSetting, assessLine, assessUnderstanding } from './assess-line.ts';
import { type Agreement, type HostFacts, lookupsFrom } from './host-facts.ts';
import { openedByShell } from './main-shell.ts';

/** Of other kinds no line is assessed: scripts and standard input are exact, and file tools have their own scopes. */
export const isAssessable = ({ kind }: Pick<ExecutionRequest, 'kind'>): boolean =>
  kind === 'command' || kind === 'line' || kind === 'argv';

/** What the request would do. It must be `isAssessable`. */
export function assessRequest(
  request: ExecutionRequest,
  bash: Agreement,
  setting: Omit<AssessmentSetting, 'cwd' | 'variables'>,
): Assessment {
  const variables = new Set(request.environment.flatMap(({ name, value }) => (value === '' ? [] : [name])));
  const assessment = assessInShell(request, bash, { ...setting, cwd: request.cwd, variables });
  const steering = steeringVariable(request);
  if (steering !== null) return opaqueBecause(assessment, because('shell-steered', steering), `${steering}=…`);
  const odd = oddCharacterSet(request.environment, assessment.text);
  return odd === null ? assessment : opaqueBecause(assessment, because('odd-character-set', odd), `${odd}=…`);
}

function assessInShell(request: ExecutionRequest, bash: Agreement, here: AssessmentSetting): Assessment {
  const assessment = assessText(request, bash, here);
  const opened = request.kind === 'line' ? openedByShell(assessment.commands) : null;
  return opened === null ? assessment : opaqueBecause(assessment, opened, opened.source);
}

function assessText(request: ExecutionRequest, bash: Agreement, here: AssessmentSetting): Assessment {
  if (request.kind === 'argv') return assessArguments(request, bash, here);
  const assessment = assessLine(request.text, bash, here);
  if (request.kind === 'line' || isPlainCall(request)) return assessment;
  return opaqueBecause(assessment, because('bash-with-options'), request.text);
}

/** BASH_ENV names a file that every bash in the line runs first; the others change how a new bash reads its text. bash(1). */
function steeringVariable({ kind, environment }: ExecutionRequest): string | null {
  const steering = kind === 'line' ? ['BASH_ENV'] : ['BASH_ENV', 'SHELLOPTS', 'BASHOPTS', 'POSIXLY_CORRECT'];
  return environment.find(({ name, value }) => steering.includes(name) && value !== '')?.name ?? null;
}

/**
 * The same by what a host found. What was asked and not found there, and a host that could find nothing (null), makes it
 * opaque; then the assessment still says what the text alone tells.
 * @returns isComplete whether everything was looked up that had to be
 */
export function assessByHostFacts(
  request: ExecutionRequest,
  hostFacts: HostFacts | null,
  setting: Omit<AssessmentSetting, 'cwd' | 'variables' | 'lookups'>,
): { readonly assessment: Assessment; readonly isComplete: boolean } {
  const { lookups, isComplete } = lookupsFrom(hostFacts ?? NOTHING_FOUND);
  const assessment = assessRequest(request, (hostFacts ?? NOTHING_FOUND).bash, { ...setting, lookups });
  if (hostFacts !== null && isComplete()) return { assessment, isComplete: true };
  const reason = hostFacts === null ? because('not-looked-up') : because('host-facts-incomplete');
  return { assessment: opaqueBecause(assessment, reason, assessment.text), isComplete: false };
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
function assessArguments(request: ExecutionRequest, bash: Agreement, setting: AssessmentSetting): Assessment {
  const { argv } = request;
  const text = textOf(request);
  const read = understandLine(text, setting.parse);
  const understanding: Understanding = { ...read, commands: read.commands.map(asFile) };
  const assessment = assessUnderstanding(text, understanding, bash, setting);
  const isWhole = read.folded === null && isProgramName(argv[0]) && read.commands.every(beginsWithFile);
  return isWhole ? assessment : opaqueBecause(assessment, because('no-plain-program'), text);
}

/** What stands outermost was read as a shell would; without one it is looked up as a file alone. */
function asFile(each: UnderstoodCommand): UnderstoodCommand {
  const [outermost, ...more] = each.through;
  if (outermost === undefined) return { ...each, lookup: 'file', meaning: { kind: 'other' } };
  return { ...each, through: [{ ...outermost, lookup: 'file' }, ...more] };
}

const beginsWithFile = ({ through: [outermost], lookup }: UnderstoodCommand): boolean =>
  (outermost ?? { lookup }).lookup !== 'builtin';

/** A first word that a shell would read in its own way is another thing without it. */
const isProgramName = (name: string | undefined): boolean =>
  name !== undefined && name !== '' && !name.includes('=') && !RESERVED.test(name);
const RESERVED =
  /^(?:!|\[\[|\]\]|\{|\}|case|coproc|do|done|elif|else|esac|fi|for|function|if|in|select|then|time|until|while|exec|command|builtin|eval|source|\.)$/;

/** Only its exact bytes can be approved, for one more reason. */
function opaqueBecause(assessment: Assessment, { code, reason }: Reason, source: string): Assessment {
  const more = { code, reason, source: source.slice(0, 80), advice: adviceFor(code) };
  return { ...assessment, opaque: [...assessment.opaque, more], demands: null, risk: null };
}
