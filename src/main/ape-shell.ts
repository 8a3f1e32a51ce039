/** `ape-shell`: the shell. One-shot here, where every millisecond counts; the interactive one is loaded when it is wanted. */

import { isatty } from 'node:tty';
import type { Permit } from '../core/authorization.ts';
import { EXIT_STATUS, exitStatusOf, type Failure, failureLine } from '../core/failure.ts';
import { type Flags, type Invocation, readInvocation } from '../core/invocation.ts';
import type { ExecutionRequest } from '../core/request.ts';
import { authorize, type Patience } from '../gate/authorize.ts';
import { systemClock } from '../platform/clock.ts';
import type { Installation, Started } from '../platform/installation.ts';
import { distDirectory } from '../platform/own-program.ts';
import { decodeUtf8 } from '../platform/surroundings.ts';
import { planExecution } from '../shell/execute.ts';
import { type OneShot, planOneShot } from '../shell/one-shot.ts';
import { pendingBlock, pendingJson } from '../shell/pending-block.ts';
import { openGate, openInstallation } from './ports.ts';
import { dieOfSignals, startedBy } from './started-by.ts';

declare const APE_VERSION: string;

const started = startedBy('ape-shell');
const { caller, door } = started;
const stopDying = dieOfSignals(door);

void main();

async function main(): Promise<never> {
  const argv = caller.argv.map(decodeUtf8);
  if (!argv.every((word) => word !== null))
    return fail({
      code: 'unreadable',
      message: 'the command is not valid UTF-8',
      advice: "write such bytes as $'\\xNN'; nothing ran",
    });
  const invocation = readInvocation(argv);
  if (!invocation.ok) return fail(invocation.failure);
  if (invocation.value.kind === 'version') return say(`ape-shell ${APE_VERSION}\n`);
  if (invocation.value.kind === 'help') return say(HELP);
  const dist = distDirectory(__filename);
  if (isForPeople(invocation.value)) return interactive(started, invocation.value.flags, dist);
  return oneShot(invocation.value, dist);
}

/** No command, no script, and a terminal to talk to. */
function isForPeople(invocation: Invocation): boolean {
  return invocation.kind === 'stdin' && !caller.isClosed[0] && isatty(0);
}

async function interactive(started: Started, flags: Flags, dist: string): Promise<never> {
  if (!flags.isPlain)
    return fail({
      code: 'usage',
      message: 'the interactive shell takes -l, -i and --login only',
      advice: 'set other options inside it (set, shopt)',
    });
  stopDying();
  // A variable, so that the bundler leaves it alone: ES modules, loaded only here.
  const lazy = '../lazy/interactive.mjs';
  const { runInteractiveShell } = (await import(lazy)) as typeof import('./interactive.ts');
  return runInteractiveShell(started, flags, dist);
}

async function oneShot(invocation: OneShot, dist: string): Promise<never> {
  const plan = planOneShot(invocation, caller.environment, dist);
  if (!plan.ok) return fail(plan.failure.failure, plan.failure.status ?? undefined);
  if (plan.value.kind === 'nothing') return door.exit(0);
  if (plan.value.kind === 'leave') return door.exit(plan.value.status);
  if (plan.value.kind === 'self-control') return selfControl(plan.value.args, dist);
  const installation = await openInstallation(caller, dist);
  if (!installation.ok) return fail(installation.failure);
  return ask(installation.value, plan.value.request, invocation.flags);
}

/** Our own control program by its real path, with the variables that steer it. */
function selfControl(args: readonly string[], dist: string): Promise<never> {
  const own = [...caller.environment].filter(([name]) => name.startsWith('APES_') || name.startsWith('APE_'));
  const set = own.filter(([name]) => name !== 'APES_SHELL_WRAPPER');
  return door.become({
    directory: null,
    set,
    unset: [],
    standardInput: null,
    file: `${dist}/bin/apes`,
    argv: ['apes', ...args],
  });
}

async function ask(installation: Installation, request: ExecutionRequest, flags: Flags): Promise<never> {
  const { settings } = installation;
  const gate = openGate(installation);
  if (!gate.ok) return fail(gate.failure);
  const show = flags.isJson ? pendingJson : pendingBlock;
  const facts = (isNew: boolean) => ({
    audience: settings.shell.audience,
    status: settings.shell.asyncExitCode,
    isNew,
    nowMs: systemClock.nowMs(),
  });
  const cancelled = new AbortController();
  let signal = 0;
  const patience: Patience = {
    timeoutMs: settings.shell.waitTimeoutMs,
    cancelled: cancelled.signal,
    withdrawOnCancel: false,
    onPending: (grant, isNew) => {
      process.stderr.write(show(grant, facts(isNew)));
      stopDying();
      door.onSignal((number) => {
        signal = number;
        if ([1, 2, 3, 15].includes(number)) cancelled.abort();
      });
    },
    onBeat: (waitedMs) => process.stderr.write(`ape-shell: waiting for approval, ${Math.round(waitedMs / 1000)} s\n`),
  };
  const outcome = await authorize(gate.value, request, { patience: settings.shell.wait ? patience : null });
  switch (outcome.kind) {
    case 'permitted':
      return execute(installation, outcome.permit, flags);
    case 'pending':
      process.stderr.write(show(outcome.grant, facts(outcome.isNew)));
      return door.exit(settings.shell.asyncExitCode);
    case 'cancelled':
      process.stderr.write(`ape-shell: interrupted; the request stays pending (grant ${outcome.grant.id})\n`);
      return door.die(signal);
    case 'refused':
      return fail(outcome.failure, outcome.failure.code === 'pending' ? settings.shell.asyncExitCode : undefined);
  }
}

function execute(installation: Installation, permit: Permit, flags: Flags): Promise<never> {
  const { settings } = installation;
  const plan = planExecution(permit, {
    bash: settings.shell.bash,
    argvZero: (caller.argv[0]?.[0] ?? 0) === 0x2d ? '-bash' : 'bash',
    environment: caller.environment,
    isLater: false,
  });
  if (!plan.ok) return fail(plan.failure);
  if (!settings.shell.quiet && !flags.isJson)
    process.stderr.write(`ape-shell: granted (${permit.because}), grant ${permit.grantId}\n`);
  return door.become(plan.value);
}

function say(text: string): Promise<never> {
  process.stdout.write(text);
  return door.exit(0);
}

function fail(failure: Failure, status = exitStatusOf(failure)): Promise<never> {
  process.stderr.write(`${failureLine('ape-shell', failure)}\n`);
  return door.exit(status);
}

const HELP = `ape-shell: a login shell in which no command reaches bash before a grant covers it.

  ape-shell                          interactive (:help inside)
  ape-shell -c COMMAND [NAME [ARG…]] run it if a grant covers it, else ask and exit ${EXIT_STATUS.pending}
  ape-shell FILE [ARG…]              the same for a script;  … | ape-shell -s [ARG…] for standard input
  apes help                          the control program: grants, health, server, sessions
`;
