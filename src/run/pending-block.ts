/**
 * The text for a caller whose command waits for a human: the command, where to approve it, the next call, and how to
 * recognise each outcome.
 */
import type { Assessment } from '../core/effects/assess-line.ts';
import { failure } from '../core/failure.ts';
import { lookAlikesText } from '../core/grant/look-alikes-of.ts';
import { type ExecutionKind, type ExecutionRequest, isDoneByTool } from '../core/grant/request.ts';
import type { Settings } from '../core/settings.ts';
import { formatTimeLeft } from '../core/text/duration.ts';
import { errorAnswer } from '../core/text/json-answer.ts';
import { matchNumber, matchSuffix } from '../core/text/match-text.ts';
import { quoteWord } from '../core/text/quote.ts';
import { visibleLine, visibleText } from '../core/text/visible-text.ts';
import type { GrantView } from '../core/wire/grant-view.ts';
import { assessmentFacts, pendingAssessmentLines } from './assessment-lines.ts';

/**
 * @property audience   `agent` gets the whole text, `human` gets a short text
 * @property status     the exit status that says "not done yet"
 * @property isNew      false when the same request was already waiting
 * @property nowMs      Unix ms
 * @property control    the name or the path by which the reader calls `apes`, not quoted
 * @property assessment what the gate understood of the command; null if the gate made no assessment
 */
export interface PendingFacts {
  readonly audience: 'agent' | 'human';
  readonly status: number;
  readonly isNew: boolean;
  readonly nowMs: number;
  readonly control: string;
  readonly assessment: Assessment | null;
}

/** Takes `audience` and `status` from the settings. */
export const pendingFacts = (
  { audience, asyncExitCode: status }: Pick<Settings['shell'], 'audience' | 'asyncExitCode'>,
  others: Omit<PendingFacts, 'audience' | 'status'>,
): PendingFacts => ({ audience, status, ...others });

const SHOWN_LINES = 12;
const SHOWN_WIDTH = 400;

/** The block, with a newline at the end. The block has no control characters, whatever the command contains. */
export const pendingBlock = (grant: GrantView, facts: PendingFacts): string => visibleText(blockOf(grant, facts));

function blockOf(grant: GrantView, facts: PendingFacts): string {
  const next = nextCall(grant, facts.control);
  if (facts.audience === 'human')
    return [
      `Waiting for approval: ${firstLine(grant.request.text)}`,
      ...warningLines(grant, '  warning  '),
      `  approve  ${grant.url}${matchSuffix(grant)}`,
      `  then     ${next}`,
      '',
    ].join('\n');
  if (grant.request.kind === 'plan') return planBlock(grant, facts, next);
  if (isDoneByTool(grant.request.kind)) return toolBlock(grant, facts, next);
  return [
    `ape-shell: NOT RUN YET. A human has to approve this command first (exit status ${facts.status} = pending, try again later).`,
    ...commandLines(grant.request.text),
    ...warningLines(grant),
    ...pendingAssessmentLines(facts.assessment, grant),
    `  in:       ${visibleLine(grant.request.cwd)}`,
    ...whereLines(grant, facts, next),
    '            One call: it waits for the decision (5 min, or --timeout 30m) and then runs the command. Run it in the',
    '            background if you can; you need not poll, and must not ask again in another form.',
    '  outcomes: approved: the output and exit status of the command itself',
    '            denied: exit 77 and the reason   timed out: exit 75, still pending, call the same line again',
    '',
  ].join('\n');
}

const TOOL_HEADING: Readonly<Partial<Record<ExecutionKind, string>>> = {
  file: 'ape-shell: NOT DONE YET. A human has to approve this file operation first; nothing was read or changed.',
  mcp: 'ape-shell: NOT RUN YET. A human has to approve this tool call first; the server has not seen it.',
  fetch: 'ape-shell: NOT DONE YET. A human has to approve this web fetch first; nothing was sent or read.',
};

const wantedText = ({ kind, text, files = [] }: ExecutionRequest): string =>
  kind === 'file' ? files.map(({ verb, path }) => `${verb} ${path}`).join('\n') : text;

/** A tool of a harness has no exit status, and nothing runs it later: the harness has to make the same call again. */
function toolBlock(grant: GrantView, facts: PendingFacts, next: string): string {
  return [
    TOOL_HEADING[grant.request.kind] ?? '',
    ...commandLines(wantedText(grant.request), '  wanted:   '),
    ...warningLines(grant),
    ...whereLines(grant, facts, next),
    '            It waits for the decision (5 min, or --timeout 30m). Run it in the background if you can; when it says',
    '            "approved", call the same tool again with exactly the same input. Do not do it another way.',
    '  outcomes: approved: exit 0, then call the tool again',
    '            denied: exit 77 and the reason   timed out: exit 75, still pending, call the same line again',
    '',
  ].join('\n');
}

/** Before the decision, the plan covers no line. After an approval, the caller runs the lines as usual. */
function planBlock(grant: GrantView, facts: PendingFacts, next: string): string {
  return [
    `ape-shell: NOT APPROVED YET. A human has to approve this plan first (exit status ${facts.status} = pending, try again later).`,
    ...commandLines(grant.request.text, '  plan:     '),
    ...warningLines(grant),
    ...whereLines(grant, facts, next),
    '            It waits for the decision (5 min, or --timeout 30m). Run it in the background if you can; when it ends with 0,',
    '            it has printed what was approved: parts may be struck out or narrower. Then run the lines as usual.',
    '  outcomes: approved: exit 0, and what was approved   denied: exit 77 and the reason',
    '            timed out: exit 75, still pending, call the same line again',
    '',
  ].join('\n');
}

/** The facts of the block as one JSON object, for programs. */
export function pendingJson(grant: GrantView, facts: PendingFacts): string {
  const next = nextCall(grant, facts.control);
  const problem = failure('pending', 'not run yet: a human has to approve it first', next, 'grant.pending');
  return errorAnswer(problem, facts.status, {
    outcome: 'pending',
    grantId: grant.id,
    isNew: facts.isNew,
    command: grant.request.text,
    ...(grant.request.files === undefined ? {} : { files: grant.request.files }),
    cwd: grant.request.cwd,
    url: grant.url,
    expiresAtMs: grant.expiresAtMs,
    ...(matchNumber(grant) === null ? {} : { match: matchNumber(grant) }),
    ...assessmentFacts(facts.assessment, grant),
    next,
  });
}

/** Returns the lines that say where the request is decided, and which call waits for the decision. */
const whereLines = (grant: GrantView, facts: PendingFacts, next: string): readonly string[] => [
  `  grant:    ${grant.id} (pending, ${facts.isNew ? 'just asked' : 'asked before'}, expires in ${formatTimeLeft(grant.expiresAtMs - facts.nowMs)})`,
  `  approve:  ${grant.url}`,
  ...numberLines(grant),
  `  next:     ${next}`,
];

/** Returns the line with the number that the approver has to pick. Returns no line if the approver picks no number. */
function numberLines(grant: GrantView): readonly string[] {
  const number = matchNumber(grant);
  return number === null ? [] : [`  number:   ${number} (the approver has to pick it; tell it to them)`];
}

function warningLines({ request }: GrantView, head = '  warning:  '): readonly string[] {
  const warning = lookAlikesText(request);
  return warning === null ? [] : [`${head}${warning}`];
}

const nextCall = ({ id, request }: GrantView, control: string): string =>
  request.kind === 'plan' ? `${quoteWord(control)} plan wait ${id}` : `${quoteWord(control)} grants run ${id} --wait`;

function firstLine(text: string): string {
  const [first = '', ...more] = text.split('\n');
  return `${clip(visibleLine(first))}${more.length > 0 ? ` … (${more.length + 1} lines)` : ''}`;
}

/**
 * Returns the command as lines for an agent: `  command:  …`. Shows at most 12 lines of 400 characters, and no control characters. Says how
 * many lines are left out, and how long a shortened line is.
 * @param head the beginning of the first line; has 12 characters, because the other lines are indented by 12
 */
export function commandLines(text: string, head = '  command:  '): string[] {
  const lines = text.replace(/\n$/, '').split('\n');
  const shown = lines
    .slice(0, SHOWN_LINES)
    .map((line, at) => `${at === 0 ? head : '            '}${clip(visibleLine(line))}`);
  return lines.length > SHOWN_LINES ? [...shown, `            … ${lines.length - SHOWN_LINES} more lines`] : shown;
}

const clip = (text: string): string =>
  text.length > SHOWN_WIDTH ? `${text.slice(0, SHOWN_WIDTH)}… (${text.length} characters)` : text;
