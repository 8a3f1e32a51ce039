/** Reads `apes …`, runs one verb, and ends with the verb's output and status. */
import { isatty } from 'node:tty';
import type { Command } from 'commander';
import { asksForJson } from '../cli/asks-for-json.ts';
import { coloursFor } from '../cli/colour.ts';
import { thrownByCommander, ValueFault, verbNamed } from '../cli/commander.ts';
import type { CliContext } from '../cli/context.ts';
import { type Ending, failing } from '../cli/ending.ts';
import { buildProgram, versionAnswer } from '../cli/program.ts';
import { exitStatusOf, type Failure, failure, failureLine } from '../core/failure.ts';
import { dataAnswer, errorAnswer } from '../core/text/json-answer.ts';
import { isNear } from '../core/text/near-name.ts';
import type { Started } from '../platform/installation.ts';
import { decodeUtf8 } from '../platform/utf8.ts';
import { writeAll } from '../platform/write-all.ts';
import { openClient } from './open-client.ts';
import { openInstallation } from './open-installation.ts';
import { openGate } from './ports.ts';
import { dieOfSignals } from './started-by.ts';

declare const APE_VERSION: string;
declare const APE_BUILD: string;

const SIGPIPE = 13;

/**
 * The error of a failed write to standard output, such as ENOSPC; null: no write has failed. The exit status has to report the
 * error, because some results are shown only once.
 */
let unwritten: string | null = null;

/** Writes texts of a verb to standard output and standard error. */
type Write = Pick<CliContext, 'out' | 'err'>;

export async function runCommandLine(started: Started, dist: string): Promise<never> {
  const stopDying = dieOfSignals(started.launcher);
  // EPIPE: the reader has closed the pipe (`apes … | head`). Die of SIGPIPE, as other programs do.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') return void started.launcher.die(SIGPIPE);
    unwritten ??= error.code ?? error.message;
  });
  const colours = coloursFor(!started.caller.isClosed[1] && isatty(1), (name) =>
    started.caller.environment.get(name)?.toString('utf8'),
  );
  const write: Write = {
    out: (text) => void process.stdout.write(colours.finish(text)),
    err: (text) => void process.stderr.write(colours.finish(text)),
  };
  let ending: Ending = { kind: 'status', status: 0 };
  let lastFatalSignal = 0;
  const context: CliContext = {
    ...started,
    dist,
    version: APE_VERSION,
    build: APE_BUILD,
    ...write,
    isTerminal: (descriptor) => !started.caller.isClosed[descriptor] && isatty(descriptor),
    paint: colours.paint,
    paintDark: colours.paintDark,
    openInstallation: () => openInstallation(started.caller, dist),
    openFor: (caller) => openInstallation(caller, dist),
    openClient,
    openGate,
    settle:
      (action) =>
      async (...args) => {
        ending = await action(...args);
      },
    onFatalSignal: (listener) => {
      stopDying();
      started.launcher.onSignal((signal) => {
        if (![1, 2, 3, 15].includes(signal)) return;
        lastFatalSignal = signal;
        listener(signal);
      });
    },
    lastFatalSignal: () => lastFatalSignal,
  };
  const argv = started.caller.argv.map(decodeUtf8);
  if (!argv.every((word) => word !== null))
    return finish(started, write, failing(failure('unreadable', 'an argument is not valid UTF-8')), false);
  const args = argv.slice(1);
  const program = buildProgram(context);
  const wish = { isJson: asksForJson(program, args) };
  program.hook('preAction', (_, verb) => {
    wish.isJson = verb.opts()['json'] === true;
  });
  const early = isVersionCall(args) ? versionAnswer(context) : await parse(program, args);
  return finish(started, write, early ?? ending, wish.isJson);
}

/** Whether the call is `apes --version` or `apes --version --json`. */
const isVersionCall = (args: readonly string[]): boolean =>
  args.some((each) => each !== '--json') && args.every((each) => ['-V', '--version', '--json'].includes(each));

/** Runs the verb that `args` name, and returns null. Commander throws for help, version and misuse; such an error becomes an Ending. */
async function parse(program: Command, args: readonly string[]): Promise<Ending | null> {
  for (const command of allCommands(program)) command.exitOverride().configureOutput({ writeErr: () => undefined });
  if (args.length === 0) {
    process.stderr.write(program.helpInformation());
    return { kind: 'status', status: 64 };
  }
  if (args[0] === 'help') return printHelp(program, args.slice(1));
  try {
    await program.parseAsync(args, { from: 'user' });
    return null;
  } catch (error) {
    if (error instanceof ValueFault) return failing(error.failure);
    const thrown = thrownByCommander(error);
    if (thrown === null) throw error;
    if (thrown.exitCode === 0) return { kind: 'status', status: 0 };
    if (thrown.code === 'commander.unknownCommand') return failing(unknownVerb(...firstUnknown(program, args)));
    const message =
      thrown.code === 'commander.help'
        ? 'a verb is missing'
        : thrown.message.replace(/^error: /, '').replaceAll('\n', ' ');
    return failing(failure('usage', message, `see ${[...namedBy(program, args), '--help'].join(' ')}`));
  }
}

/** `apes help grants approve` prints what `apes grants approve --help` prints. */
function printHelp(program: Command, names: readonly string[]): Ending {
  const [command, name] = firstUnknown(program, names);
  if (name !== null) return failing(unknownVerb(command, name));
  command.outputHelp();
  return { kind: 'status', status: 0 };
}

/**
 * Follows the words from verb to verb (`grants`, `run`), and skips options. Returns the last verb, and the first word that names no verb.
 * Returns null in place of this word if every word names a verb.
 */
function firstUnknown(program: Command, words: readonly string[]): readonly [Command, string | null] {
  let command = program;
  for (const name of words.filter((each) => !each.startsWith('-'))) {
    const inner = verbNamed(command, name);
    if (inner === undefined) return [command, name];
    command = inner;
  }
  return [command, null];
}

function unknownVerb(command: Command, name: string | null): Failure {
  const near = command.commands.find((each) => isNear(each.name(), name ?? ''));
  const meant = near === undefined ? `see apes ${pathOf(command)}--help` : `did you mean ${near.name()}?`;
  return failure('usage', `there is no verb ${[pathOf(command).trim(), name ?? ''].join(' ').trim()}`, meant);
}

/** Returns the names of a verb without `apes`. A blank follows each name: `grants show `. */
const pathOf = (command: Command): string =>
  command.parent === null ? '' : `${pathOf(command.parent)}${command.name()} `;

/** Returns the words that name a verb: `apes grants run` for the arguments `grants run x --wait`. */
function namedBy(command: Command, args: readonly string[]): readonly string[] {
  const inner = verbNamed(command, args[0] ?? '');
  return [command.name(), ...(inner === undefined ? [] : namedBy(inner, args.slice(1)))];
}

const allCommands = (command: Command): Command[] => [
  command,
  ...command.commands.flatMap((inner) => allCommands(inner)),
];

async function finish(started: Started, write: Write, ending: Ending, isJson: boolean): Promise<never> {
  switch (ending.kind) {
    case 'status':
      await drained();
      return started.launcher.exit(statusAfter(ending.status));
    case 'answer': {
      const { data, text, problem, next } = ending;
      const status = ending.status ?? (problem === undefined ? 0 : exitStatusOf(problem));
      const json = problem === undefined ? dataAnswer(data, next) : errorAnswer(problem, status, data);
      write.out(isJson ? json : text);
      if (problem !== undefined && ending.hasLine) write.err(`${failureLine('apes', problem)}\n`);
      await drained();
      return started.launcher.exit(statusAfter(status));
    }
    case 'failure':
      return fail(started, write, ending.failure, ending.status ?? exitStatusOf(ending.failure), isJson);
    case 'become':
      await ending.isNoted;
      await drained();
      return started.launcher.become(ending.replacement);
    case 'die':
      return started.launcher.die(ending.signal);
  }
}

/** Prints the failure on standard error even with `--json`, for a person who reads a log. */
async function fail(started: Started, write: Write, failure: Failure, status: number, isJson: boolean): Promise<never> {
  if (isJson) write.out(errorAnswer(failure, status));
  write.err(`${failureLine('apes', failure)}\n`);
  await drained();
  return started.launcher.exit(status);
}

/** Waits until our text is written or its write has failed: the program that replaces this one must print after our text. */
async function drained(): Promise<void> {
  for (const stream of [process.stdout, process.stderr])
    if (stream.writableLength > 0) await new Promise((resolve) => stream.write('', resolve));
  await new Promise((resolve) => setImmediate(resolve)); // a failed write to a file is reported in the next turn
}

/**
 * Returns the status to exit with. If `status` is 0 and a write to standard output failed, prints a failure and returns its status.
 */
function statusAfter(status: number): number {
  if (unwritten === null || status !== 0) return status;
  const lost = failure(
    'system',
    `the result could not be written to standard output (${unwritten})`,
    'make room, and run the command again',
  );
  writeAll(2, `${failureLine('apes', lost)}\n`);
  return exitStatusOf(lost);
}
