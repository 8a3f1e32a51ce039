/**
 * The tool `explain`: says whether a grant for exactly this request, found by its fingerprint, would let a command run now. It does not
 * consider scopes, plans and policies. It files no request and uses no grant.
 */

import { compareForUse } from '../core/grant/grant.ts';
import type { EnvironmentEntry, ExecutionRequest } from '../core/grant/request.ts';
import { success } from '../core/result.ts';
import { visibleLine } from '../core/text/visible-text.ts';
import type { GrantView } from '../core/wire/grant-view.ts';
import { type GrantClient, listGrants } from '../grants/client.ts';
import { fingerprintOf } from '../platform/surroundings.ts';
import { commandLines } from '../run/pending-block.ts';
import { failureAnswer, faultAnswer, grantFacts, nextCall } from './answers.ts';
import { readCommand, readDirectory, type ToolArguments } from './arguments.ts';
import type { ToolAnswer, Workplace } from './conversation.ts';
import { planCommand } from './read-command.ts';

/** The most grants that the server lists at once. */
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
  const found = await findGrants(gate.value.client, fingerprintOf(plan.value.request));
  if (!found.ok) return unanswerable(plan.value.request, failureAnswer(found.failure));
  return askedAnswer(plan.value.request, found.value);
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

/** @property isComplete whether all approved and all pending grants were looked at */
interface Found {
  readonly approved: GrantView | null;
  readonly pending: GrantView | null;
  readonly isComplete: boolean;
}

async function findGrants(client: GrantClient, fingerprint: string) {
  const [approved, pending] = await Promise.all(
    ['approved', 'pending'].map((state) => listGrants(client, { state, limit: LOOKED_AT })),
  );
  if (approved === undefined || !approved.ok)
    return approved ?? success<Found>({ approved: null, pending: null, isComplete: false });
  if (pending === undefined || !pending.ok)
    return pending ?? success<Found>({ approved: null, pending: null, isComplete: false });
  const same = (grants: readonly GrantView[]) => grants.filter((grant) => grant.fingerprint === fingerprint);
  const isComplete = approved.value.length < LOOKED_AT && pending.value.length < LOOKED_AT;
  const usable = [...same(approved.value)].sort((a, b) => compareForUse(asStored(a), asStored(b)));
  return success<Found>({ approved: usable[0] ?? null, pending: same(pending.value)[0] ?? null, isComplete });
}

/** Makes a listed grant comparable. The sorting wants a stored state, and all grants that are sorted here are approved. */
const asStored = (grant: GrantView) => ({ ...grant, state: 'approved' as const });

function askedAnswer(request: ExecutionRequest, found: Found): ToolAnswer {
  const { approved, pending } = found;
  const verdict = approved !== null ? 'covered' : pending !== null ? 'pending' : 'would-ask';
  const message = [
    verdictLine(found),
    ...(found.isComplete ? [] : [`Only the newest ${LOOKED_AT} grants of each state were looked at.`]),
  ].join(' ');
  const grant = approved ?? pending;
  const structure = {
    outcome: 'explained',
    verdict,
    ...requestFacts(request),
    ...(grant === null ? {} : { grant: { ...grantFacts(grant), term: grant.term } }),
    ...(verdict === 'pending' && pending !== null ? { next: nextCall(pending.id) } : {}),
    isComplete: found.isComplete,
    message,
  };
  return { text: [message, ...requestLines(request)].join('\n'), structure, isError: false };
}

function verdictLine({ approved, pending }: Found): string {
  if (approved !== null) {
    const { term } = approved;
    const because = term?.kind === 'timed' ? `until ${new Date(term.untilMs).toISOString()}` : (term?.kind ?? 'once');
    return `Would run at once: covered by grant ${approved.id} (${because}).`;
  }
  return pending === null
    ? 'Would ask a human: no grant covers exactly this. The tool run files the request.'
    : `Would wait: the same request is pending already (grant ${pending.id}, ${pending.url}).`;
}

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
    `  bound:    ${request.environment.length} variables; another value of one of them is another request`,
    ...request.environment.map((entry) => `            ${variableLine(entry)}`),
  ];
}

function variableLine({ name, value, digest }: EnvironmentEntry): string {
  const shown = visibleLine(value);
  const cut = shown.length > SHOWN_VALUE ? `${shown.slice(0, SHOWN_VALUE)}…` : shown;
  return `${visibleLine(name)}=${digest === true ? `(SHA-256) ${cut}` : cut}`;
}

/** Makes the answer if the server cannot be asked: then the command would not run. The answer still lists what a request would bind. */
function unanswerable(request: ExecutionRequest, why: ToolAnswer): ToolAnswer {
  const message = why.text.replace(/^NOT RUN: /, 'Would not run: ');
  return {
    text: [message, ...requestLines(request)].join('\n'),
    structure: { ...why.structure, verdict: 'would-not-run', ...requestFacts(request), message },
    isError: true,
  };
}
