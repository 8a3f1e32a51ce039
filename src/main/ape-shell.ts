/** `ape-shell`: the shell. One-shot here, where every millisecond counts; the interactive one is loaded when it is wanted. */

import { EXIT_STATUS, exitStatusOf, type Failure, failureLine } from '../core/failure.ts';
import { type Flags, type Invocation, readInvocation } from '../core/invocation.ts';
import type { Started } from '../platform/installation.ts';
import { distDirectory } from '../platform/own-program.ts';
import { currentDirectory, decodeUtf8 } from '../platform/surroundings.ts';
import { writeAll } from '../platform/write-all.ts';
import type { OneShot } from '../shell/one-shot.ts';
import { answerOneShot } from '../shell/one-shot-answer.ts';
import { isDashed, keepGate, openOneShot } from './one-shot-parts.ts';
import { dieOfSignals, FATAL_SIGNALS, startedBy } from './started-by.ts';

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
  if (await isForPeople(invocation.value)) return interactive(started, invocation.value.flags, dist);
  return oneShot(invocation.value, dist);
}

/** No command, no script, and a terminal to talk to. */
async function isForPeople(invocation: Invocation): Promise<boolean> {
  if (invocation.kind !== 'stdin' || caller.isClosed[0]) return false;
  const { isatty } = await import('node:tty');
  return isatty(0);
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
  const cwd = currentDirectory();
  if (!cwd.ok) return fail(cwd.failure);
  let signal = 0;
  const end = await answerOneShot({
    invocation,
    environment: caller.environment,
    cwd: cwd.value,
    isDashed: isDashed(caller),
    dist,
    open: () => openOneShot(caller, dist),
    explain: (text) => writeAll(2, text),
    interruption: () => {
      const cancelled = new AbortController();
      stopDying();
      door.onSignal((number) => {
        signal = number;
        if (FATAL_SIGNALS.has(number)) cancelled.abort();
      });
      return cancelled.signal;
    },
  });
  if (invocation.kind === 'command') await keepGate(caller, dist);
  switch (end.kind) {
    case 'become':
      return door.become(end.replacement);
    case 'status':
      return door.exit(end.status);
    case 'interrupted':
      return door.die(signal);
    case 'elsewhere':
      return fail({ code: 'software', message: 'nobody here may wait' });
  }
}

function say(text: string): Promise<never> {
  writeAll(1, text);
  return door.exit(0);
}

function fail(failure: Failure, status = exitStatusOf(failure)): Promise<never> {
  writeAll(2, `${failureLine('ape-shell', failure)}\n`);
  return door.exit(status);
}

const HELP = `ape-shell: a login shell in which no command reaches bash before a grant covers it.

  ape-shell                          interactive (:help inside)
  ape-shell -c COMMAND [NAME [ARG…]] run it if a grant covers it, else ask and exit ${EXIT_STATUS.pending}
  ape-shell FILE [ARG…]              the same for a script;  … | ape-shell -s [ARG…] for standard input
  apes help                          the control program: grants, health, server, sessions
`;
