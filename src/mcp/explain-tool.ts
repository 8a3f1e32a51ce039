/** The tool `explain`: says what the server would decide about a command now. The tool files no request and uses no grant. */

import type { Failure } from '../core/failure.ts';
import type { EnvironmentEntry, ExecutionRequest } from '../core/grant/request.ts';
import { type Result, success } from '../core/result.ts';
import { visibleLine } from '../core/text/visible-text.ts';
import type { ExplainAnswer } from '../core/wire/explain.ts';
import type { GrantView } from '../core/wire/grant-view.ts';
import { verdictNow } from '../gate/verdict-now.ts';
import { fetchGrant, type GrantClient, listGrants } from '../grants/client.ts';
import { fingerprintOf } from '../platform/surroundings.ts';
import { commandLines } from '../run/pending-block.ts';
import { failureAnswer, faultAnswer, grantFacts, nextCall } from './answers.ts';
import { readCommand, readDirectory, type ToolArguments } from './arguments.ts';
import type { ToolAnswer, Workplace } from './conversation.ts';
import { planCommand } from './read-command.ts';

/** The server lists at most this many grants at once. */
const LOOKED_AT = 200;
const SHOWN_VALUE = 200;

export async function explainTool(workplace: Workplace, given: ToolArguments): Promise<ToolAnswer> {
  const command = readCommand(given);
  const cwd = readDirectory(given);
  if (!command.ok) return faultAnswer(command.failure);
  if (!cwd.ok) return faultAnswer(cwd.failure);
  const plan = planCommand(workplace, command.value, cwd.value);
  if (!plan.ok) return faultAnswer(plan.failure);
  if (plan.value.kind !== 'ask') return exemptAnswer(command.value, plan.value.kind);
  const gate = await workplace.openGate();
  if (!gate.ok) return unanswerable(plan.value.request, failureAnswer(gate.failure));
  const { request } = plan.value;
  const verdict = await verdictNow(gate.value, request);
  if (!verdict.ok) return unanswerable(request, failureAnswer(verdict.failure));
  const found = await findGrant(gate.value.client, verdict.value, fingerprintOf(request));
  if (!found.ok) return unanswerable(request, failureAnswer(found.failure));
  return askedAnswer(request, verdict.value, found.value);
}

function exemptAnswer(command: string, kind: 'nothing' | 'leave' | 'self-control'): ToolAnswer {
  const why = {
    nothing: 'the line has no command',
    leave: 'the line only leaves the shell',
    'self-control': 'the line calls apes itself',
  };
  const message = `No grant needed: ${why[kind]}.`;
  const text = [message, ...commandLines(command)].join('\n');
  return { text, structure: { outcome: 'explained', verdict: 'exempt', command, message }, isError: false };
}

/**
 * @property grant      covered: the first grant that covers the request; null if only policies cover the request. Uncovered: the pending
 *                      grant of the same request; null if no pending grant was found. Forbidden: null
 * @property isComplete false: the request is uncovered, and the server may have more pending grants than it listed
 */
interface Found {
  readonly grant: GrantView | null;
  readonly isComplete: boolean;
}

async function findGrant(
  client: GrantClient,
  verdict: ExplainAnswer,
  fingerprint: string,
): Promise<Result<Found, Failure>> {
  if (verdict.outcome === 'uncovered') {
    const pending = await listGrants(client, { state: 'pending', limit: LOOKED_AT });
    if (!pending.ok) return pending;
    const same = pending.value.find((grant) => grant.fingerprint === fingerprint);
    return success({ grant: same ?? null, isComplete: pending.value.length < LOOKED_AT });
  }
  // `coveredBy` can also contain policies. Only the id of a grant begins with `g_`.
  const id =
    verdict.outcome === 'covered' && verdict.coveredBy.find(({ grantId }) => grantId.startsWith('g_'))?.grantId;
  if (!id) return success({ grant: null, isComplete: true });
  const grant = await fetchGrant(client, id);
  return grant.ok ? success({ grant: grant.value, isComplete: true }) : grant;
}

function askedAnswer(request: ExecutionRequest, verdict: ExplainAnswer, { grant, isComplete }: Found): ToolAnswer {
  const name = VERDICTS[verdict.outcome];
  const isWaiting = verdict.outcome === 'uncovered' && grant !== null;
  const message = [
    verdictLine(verdict, grant),
    ...(isComplete ? [] : [`Only the newest ${LOOKED_AT} pending grants were looked at.`]),
  ].join(' ');
  const structure = {
    outcome: 'explained',
    verdict: isWaiting ? 'pending' : name,
    ...requestFacts(request),
    ...(grant === null ? {} : { grant: { ...grantFacts(grant), term: grant.term } }),
    ...(verdict.outcome === 'covered' ? { coveredBy: verdict.coveredBy } : {}),
    ...(verdict.outcome === 'forbidden' ? { ruleId: verdict.ruleId, reason: verdict.reason } : {}),
    ...(verdict.outcome === 'uncovered' ? { misses: verdict.misses } : {}),
    ...(isWaiting ? { next: nextCall(grant.id) } : {}),
    isComplete,
    message,
  };
  return { text: [message, ...requestLines(request)].join('\n'), structure, isError: false };
}

const VERDICTS = { covered: 'covered', uncovered: 'would-ask', forbidden: 'forbidden' } as const;

function verdictLine(verdict: ExplainAnswer, grant: GrantView | null): string {
  switch (verdict.outcome) {
    case 'forbidden':
      return `Would be refused: rule ${verdict.ruleId} forbids it (${visibleLine(verdict.reason)}).`;
    case 'covered': {
      const [first, ...others] = verdict.coveredBy;
      if (verdict.isExact && grant !== null && first?.part === undefined && others.length === 0)
        return `Would run at once: covered by grant ${grant.id} (${termText(grant.term)}).`;
      const by = verdict.coveredBy.map(({ grantId, title }) => `${grantId} (${visibleLine(title)})`);
      return `Would run at once: covered by ${by.join(', ')}.`;
    }
    case 'uncovered':
      return grant === null
        ? 'Would ask a human: no grant covers it. The tool `run` files the request.'
        : `Would wait: the same request is pending already (grant ${grant.id}, ${grant.url}).`;
  }
}

const termText = (term: GrantView['term']): string =>
  term?.kind === 'timed' ? `until ${new Date(term.untilMs).toISOString()}` : (term?.kind ?? 'once');

const requestFacts = ({ text, cwd, host, user, environment }: ExecutionRequest) => ({
  command: text,
  cwd,
  host,
  user,
  environment,
});

function requestLines(request: ExecutionRequest): string[] {
  return [
    ...commandLines(request.text),
    `  in:       ${visibleLine(request.cwd)}`,
    `  as:       ${visibleLine(request.user)}@${visibleLine(request.host)}`,
    `  bound:    ${request.environment.length} variables; a change of any of them makes a new request`,
    ...request.environment.map((entry) => `            ${variableLine(entry)}`),
  ];
}

function variableLine({ name, value, digest }: EnvironmentEntry): string {
  const shown = visibleLine(value);
  const cut = shown.length > SHOWN_VALUE ? `${shown.slice(0, SHOWN_VALUE)}…` : shown;
  return `${visibleLine(name)}=${digest === true ? `(SHA-256) ${cut}` : cut}`;
}

/** Makes the answer after a failure of the gate or the server. The answer still lists what a request would bind. */
function unanswerable(request: ExecutionRequest, why: ToolAnswer): ToolAnswer {
  const message = why.text.replace(/^NOT RUN: /, 'Would not run: ');
  return {
    text: [message, ...requestLines(request)].join('\n'),
    structure: { ...why.structure, verdict: 'would-not-run', ...requestFacts(request), message },
    isError: true,
  };
}
