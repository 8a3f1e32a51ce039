/**
 * The tool `run`: runs a command if the gate permits it. A command that a grant covers, or that needs no grant, runs at once. For any
 * other command, `run` files a request. The tool call waits for the decision only if the argument `wait` is true.
 */

import type { ExecutionRequest } from '../core/grant/request.ts';
import { quoteWord } from '../core/text/quote.ts';
import type { GrantView } from '../core/wire/grant-view.ts';
import { type Authorization, authorize, type Gate, permitExempt } from '../gate/authorize.ts';
import { boundEntriesFor, currentHost, currentUser } from '../platform/surroundings.ts';
import { watchPlace } from '../run/execute.ts';
import { failureAnswer, faultAnswer, ranAnswer } from './answers.ts';
import { readCommand, readDirectory, readFlag, readReason, type ToolArguments } from './arguments.ts';
import { runCaptured } from './captured-process.ts';
import type { Conversation, ToolAnswer, Workplace } from './conversation.ts';
import { offerBriefly, openDecisionWait } from './decision-wait.ts';
import { planCommand } from './read-command.ts';
import { answerAuthorized, executionPlaceOf } from './run-authorized.ts';

export async function runTool(workplace: Workplace, given: ToolArguments, talk: Conversation): Promise<ToolAnswer> {
  const command = readCommand(given);
  const cwd = readDirectory(given);
  const reason = readReason(given);
  const wait = readFlag(given, 'wait');
  if (!command.ok) return faultAnswer(command.failure);
  if (!cwd.ok) return faultAnswer(cwd.failure);
  if (!reason.ok) return faultAnswer(reason.failure);
  if (!wait.ok) return faultAnswer(wait.failure);
  const plan = planCommand(workplace, command.value, cwd.value);
  if (!plan.ok) return failureAnswer(plan.failure);
  switch (plan.value.kind) {
    case 'nothing':
      return exitAnswer(0);
    case 'leave':
      return exitAnswer(plan.value.status);
    case 'self-control':
      return runControl(workplace, plan.value.args, cwd.value, talk);
    case 'ask':
      return ask(workplace, plan.value.request, reason.value, wait.value, talk);
  }
}

/** Makes the answer to an empty command, or to a command such as `exit 3` that only leaves a shell. */
function exitAnswer(status: number): ToolAnswer {
  const message = `exit status ${status}; leaving needs no grant, and there was nothing to run`;
  return { text: message, structure: { outcome: 'ran', exitStatus: status, message }, isError: false };
}

async function ask(
  workplace: Workplace,
  request: ExecutionRequest,
  reason: string | null,
  mayWait: boolean,
  talk: Conversation,
): Promise<ToolAnswer> {
  const settings = await workplace.openSettings();
  if (!settings.ok) return failureAnswer(settings.failure);
  const gate = await workplace.openGate();
  if (!gate.ok) return failureAnswer(gate.failure);
  const timeoutMs = settings.value.shell.waitTimeoutMs;
  const asked = mayWait
    ? await askAndWait(gate.value, request, reason, timeoutMs, talk)
    : await askOnly(gate.value, request, reason, talk);
  return answerAuthorized(workplace, settings.value, gate.value, talk, { ...asked, timeoutMs, isLater: false });
}

async function askOnly(gate: Gate, request: ExecutionRequest, reason: string | null, talk: Conversation) {
  const outcome = await authorize(gate, request, { ...(reason === null ? {} : { reason }), waitOptions: null });
  const page = outcome.kind === 'pending' ? await offerBriefly(talk, outcome.grant) : null;
  return { outcome, page, grant: null };
}

async function askAndWait(
  gate: Gate,
  request: ExecutionRequest,
  reason: string | null,
  timeoutMs: number,
  talk: Conversation,
) {
  const wait = openDecisionWait(talk, timeoutMs);
  let grant: GrantView | null = null;
  const onPending = (pending: GrantView) => {
    grant = pending;
    wait.begin(pending);
  };
  const waitOptions = { ...wait.waitOptions, onPending, whyChanged: watchPlace(request) };
  const outcome: Authorization = await authorize(gate, request, {
    ...(reason === null ? {} : { reason }),
    waitOptions,
  });
  return { outcome, page: await wait.finish(), grant };
}

/** Runs our own `apes` by its real path. As in a shell, this needs no grant. Opens the gate only to record the run in the journal. */
async function runControl(
  workplace: Workplace,
  args: readonly string[],
  cwd: string,
  talk: Conversation,
): Promise<ToolAnswer> {
  const settings = await workplace.openSettings();
  if (!settings.ok) return failureAnswer(settings.failure);
  const gate = await workplace.openGate();
  if (!gate.ok) return failureAnswer(gate.failure);
  const argv = [`${workplace.dist}/bin/apes`, ...args];
  const permit = permitExempt(gate.value.journal, {
    kind: 'argv',
    text: argv.map(quoteWord).join(' '),
    argv,
    cwd,
    host: currentHost(),
    user: currentUser(),
    environment: boundEntriesFor(workplace.environment, []),
  });
  if (!permit.ok) return failureAnswer(permit.failure);
  const { mcp } = settings.value;
  const run = await runCaptured(permit.value, executionPlaceOf(workplace, settings.value, false), {
    dist: workplace.dist,
    timeoutMs: mcp.runTimeoutMs,
    limitBytes: mcp.outputLimitBytes,
    cancelled: talk.cancelled,
    onBeat: (ms) => talk.progress(ms, 'running'),
    isOurs: true,
  });
  if (!run.ok) return failureAnswer(run.failure);
  return ranAnswer(permit.value, run.value, { seconds: mcp.runTimeoutMs / 1000, bytes: mcp.outputLimitBytes });
}
