/**
 * Turns each outcome of a call into a tool's answer. A client may show only the text of an answer, or only the structure. Therefore both
 * the text and the structure are complete.
 */

import { exitStatusOf, type Failure, failureText } from '../core/failure.ts';
import type { Permit } from '../core/grant/authorization.ts';
import { formatDuration } from '../core/text/duration.ts';
import { matchNumber, matchSuffix } from '../core/text/match-text.ts';
import { visibleLine, visibleText } from '../core/text/visible-text.ts';
import type { GrantView } from '../core/wire/grant-view.ts';
import { commandLines } from '../run/pending-block.ts';
import type { CapturedRun } from './captured-process.ts';
import type { PageAnswer, ToolAnswer } from './conversation.ts';
import type { CapturedOutput } from './output-buffer.ts';

/** Returns the call that the client should make next for a pending or approved grant. */
export const nextCall = (id: string) => ({ tool: 'grants_run', arguments: { id } });

const nextLine = (id: string): string => `call the tool grants_run with {"id":"${id}"}`;

const PAGE_LINES: Readonly<Record<PageAnswer, string>> = {
  opened: 'the person at this client opened the page, but has not decided yet',
  declined: 'the person at this client did not want to open the page now; the request still waits',
  dismissed: 'no page was opened at this client; the request still waits',
  unanswered: 'no person at this client answered the offer to open the page; the request still waits',
};

/**
 * Makes the answer for a request that waits for a decision. The answer is marked as an error.
 * @param heading one sentence about the state of the request
 * @param page    null: no page was offered
 * @param more    further members of the structure
 */
export function pendingAnswer(
  grant: GrantView,
  nowMs: number,
  heading: string,
  page: PageAnswer | null,
  more: Readonly<Record<string, unknown>> = {},
): ToolAnswer {
  const lines = [
    heading,
    ...commandLines(grant.request.text),
    `  in:       ${visibleLine(grant.request.cwd)}`,
    `  grant:    ${grant.id} (pending, expires in ${formatDuration(grant.expiresAtMs - nowMs)})`,
    `  approve:  ${grant.url}${matchSuffix(grant)}`,
    ...(page === null ? [] : [`  page:     ${PAGE_LINES[page]}`]),
    `  next:     ${nextLine(grant.id)}`,
    '            One call: it waits for the decision (timeoutSeconds says how long) and then runs the command. You need',
    '            not poll, and must not ask again in another form.',
    '  outcomes: approved: the output and exit status of the command itself',
    '            denied: refused, with the reason   timed out: still pending, make the same call again',
  ];
  const text = visibleText(lines.join('\n'));
  const facts = { outcome: 'pending', ...grantFacts(grant), next: nextCall(grant.id), ...more };
  return { text, structure: { ...facts, ...(page === null ? {} : { page }), message: text }, isError: true };
}

/** Returns the members about a grant. `match` is absent if the approver need not pick a number. */
export const grantFacts = (grant: GrantView): Readonly<Record<string, unknown>> => ({
  grantId: grant.id,
  state: grant.state,
  url: grant.url,
  ...(matchNumber(grant) === null ? {} : { match: matchNumber(grant) }),
  command: grant.request.text,
  cwd: grant.request.cwd,
  expiresAt: new Date(grant.expiresAtMs).toISOString(),
});

/**
 * Makes the answer to a call that ran nothing. `code` is the failure's class; `exitStatus` is the status of `ape-shell -c` after the same
 * failure.
 */
export function failureAnswer(failure: Failure): ToolAnswer {
  const text = `NOT RUN: ${failureText(failure)}`;
  const { code, detail } = failure;
  const facts = { outcome: code === 'refused' ? 'refused' : 'failed', code, exitStatus: exitStatusOf(failure) };
  return { text, structure: { ...facts, ...(detail === undefined ? {} : { detail }), message: text }, isError: true };
}

/** Makes the answer to faulty arguments, or to a failed call of a tool that runs nothing. The answer has no "NOT RUN". */
export function faultAnswer(failure: Failure): ToolAnswer {
  const { text, structure } = failureAnswer(failure);
  const message = text.replace(/^NOT RUN: /, '');
  return { text: message, structure: { ...structure, message }, isError: true };
}

/** The limits of a run: the longest time, and the most bytes that are kept of each output stream. */
export interface RunLimits {
  readonly seconds: number;
  readonly bytes: number;
}

/** Makes the answer after a run. Only a run that timed out or was cancelled is marked as an error; the exit status does not matter. */
export function ranAnswer(permit: Permit, run: CapturedRun, limits: RunLimits): ToolAnswer {
  const because = permit.grantId === null ? 'needs no grant' : `granted (${permit.because}), grant ${permit.grantId}`;
  const message = `${endLine(run, limits.seconds)}; ${because}`;
  const text = [
    message,
    ...streamText('stdout', run.out, limits.bytes),
    ...streamText('stderr', run.err, limits.bytes),
    ...(run.isLeftOpen
      ? ['(a process in the background still holds the output; its later output is not in this answer)']
      : []),
  ].join('\n');
  const structure = {
    outcome: run.end === 'exited' ? 'ran' : run.end,
    exitStatus: run.status,
    signal: run.signal,
    stdout: streamFacts(run.out),
    stderr: streamFacts(run.err),
    isLeftOpen: run.isLeftOpen,
    durationMs: Math.round(run.durationMs),
    grantId: permit.grantId,
    because: permit.because,
    limits: { runSeconds: limits.seconds, outputBytesPerStream: limits.bytes },
    message,
  };
  return { text, structure, isError: run.end !== 'exited' };
}

function endLine(run: CapturedRun, seconds: number): string {
  const how = run.signal === null ? `exit status ${run.status}` : `ended by ${run.signal}`;
  if (run.end === 'exited') return how;
  const why =
    run.end === 'timed-out' ? `ran longer than ${seconds} s (mcp.run_timeout) and was ended` : 'cancelled and ended';
  return `${why} with everything it started (${how})`;
}

function streamText(name: string, output: CapturedOutput, limit: number): string[] {
  const { bytes, cutBytes, encoding, head, tail } = output;
  if (bytes === 0) return [`${name}: empty`];
  const kind = encoding === 'base64' ? ', not UTF-8, here as base64' : '';
  const cut = cutBytes > 0 ? `, ${cutBytes} bytes in the middle left out (limit ${limit} bytes, mcp.output_limit)` : '';
  const gap = cutBytes > 0 ? `\n[… ${cutBytes} bytes left out …]\n${tail}` : '';
  return [`${name} (${bytes} bytes${kind}${cut}):`, head + gap];
}

function streamFacts(output: CapturedOutput): Readonly<Record<string, unknown>> {
  const { encoding, head, tail, bytes, cutBytes } = output;
  return cutBytes > 0 ? { encoding, bytes, cutBytes, head, tail } : { encoding, bytes, text: head };
}
