/** Reads `apes …`, runs one verb, and ends as it says. */
import { isatty } from 'node:tty';
import { Command, CommanderError } from 'commander';
import type { CliContext, Register } from '../cli/context.ts';
import { type Ending, failing } from '../cli/ending.ts';
import { registerExplain } from '../cli/explain.ts';
import { registerGate } from '../cli/gate.ts';
import { registerGrants } from '../cli/grants.ts';
import { registerHealth } from '../cli/health.ts';
import { registerHooks } from '../cli/hooks.ts';
import { registerLogin } from '../cli/login.ts';
import { registerMcp } from '../cli/mcp.ts';
import { registerOwner } from '../cli/owner.ts';
import { registerRun } from '../cli/run.ts';
import { registerSend } from '../cli/send.ts';
import { registerServe } from '../cli/serve.ts';
import { registerSessions } from '../cli/sessions.ts';
import { registerShell } from '../cli/shell-verbs.ts';
import { registerUp } from '../cli/up.ts';
import { registerWhoami } from '../cli/whoami.ts';
import { registerWorkflow } from '../cli/workflow.ts';
import { exitStatusOf, failure, failureLine } from '../core/failure.ts';
import { isNear } from '../core/near-name.ts';
import type { Started } from '../platform/installation.ts';
import { decodeUtf8 } from '../platform/utf8.ts';
import { openInstallation } from './open-installation.ts';
import { openClient, openGate } from './ports.ts';
import { dieOfSignals } from './started-by.ts';

declare const APE_VERSION: string;
declare const APE_BUILD: string;

/** In the order of the help. */
const GROUPS: readonly (readonly [string, readonly Register[]])[] = [
  ['Ask and decide:', [registerGrants, registerExplain, registerRun, registerWorkflow]],
  ['Server and identity:', [registerUp, registerServe, registerOwner, registerLogin, registerWhoami, registerHealth]],
  ['Agents and shells:', [registerHooks, registerMcp, registerShell, registerGate]],
  ['Sessions:', [registerSessions, registerSend]],
];

const EXAMPLES = `
Examples:
  apes up                                     a grant server here, and a link to sign in with
  apes run -- git push                        ask; exit status 75 and how to go on while it waits
  apes grants run ID --wait                   wait for the decision, then run it
  apes grants approve ID --for 1h             decide, with an owner key

Exit statuses: 64 usage, 69 server unreachable, 75 pending, 76 answer not trusted, 77 refused, 78 configuration.
apes help VERB [VERB] tells more about one.`;

const SIGPIPE = 13;

export async function runCommandLine(started: Started, dist: string): Promise<never> {
  const stopDying = dieOfSignals(started.door);
  // Whoever read our output has seen enough (`apes … | head`): the end that every program takes then.
  process.stdout.on('error', () => void started.door.die(SIGPIPE));
  let ending: Ending = { kind: 'status', status: 0 };
  const context: CliContext = {
    ...started,
    dist,
    version: APE_VERSION,
    build: APE_BUILD,
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
    isTerminal: (descriptor) => !started.caller.isClosed[descriptor] && isatty(descriptor),
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
      started.door.onSignal((signal) => {
        if ([1, 2, 3, 15].includes(signal)) listener(signal);
      });
    },
  };
  const argv = started.caller.argv.map(decodeUtf8);
  if (!argv.every((word) => word !== null))
    return finish(started, failing(failure('unreadable', 'an argument is not valid UTF-8')));
  const misuse = await parse(buildProgram(context), argv.slice(1));
  return finish(started, misuse ?? ending);
}

function buildProgram(context: CliContext): Command {
  const program = new Command('apes');
  program
    .description('Grants, health and the grant server of ape-shell.')
    .version(`apes ${context.version}`)
    .exitOverride()
    .showSuggestionAfterError(true)
    .configureOutput({ writeErr: () => undefined });
  program.helpCommand(false).addHelpText('after', EXAMPLES);
  for (const [heading, registers] of GROUPS) {
    program.commandsGroup(heading);
    for (const register of registers) register(program, context);
  }
  program.commandsGroup('Help:');
  program
    .command('version')
    .description('the version of this program')
    .action(() => context.out(`apes ${context.version}\n`));
  program.command('help').argument('[verb...]').description('the help of a verb');
  return program;
}

/** Commander throws for help, version and misuse; here that becomes an Ending. */
async function parse(program: Command, args: readonly string[]): Promise<Ending | null> {
  for (const command of allCommands(program)) command.exitOverride().configureOutput({ writeErr: () => undefined });
  if (args.length === 0) {
    process.stderr.write(program.helpInformation());
    return { kind: 'status', status: 64 };
  }
  if (args[0] === 'help') return tellHelp(program, args.slice(1));
  try {
    await program.parseAsync(args, { from: 'user' });
    return null;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return { kind: 'status', status: 0 };
    const message =
      error.code === 'commander.help'
        ? 'a verb is missing'
        : error.message.replace(/^error: /, '').replaceAll('\n', ' ');
    return failing(failure('usage', message, `see ${[...namedBy(program, args), '--help'].join(' ')}`));
  }
}

/** `apes help grants approve`: as `apes grants approve --help`. */
function tellHelp(program: Command, names: readonly string[]): Ending {
  let command = program;
  for (const name of names.filter((each) => !each.startsWith('-'))) {
    const inner = command.commands.find((each) => each.name() === name || each.aliases().includes(name));
    if (inner === undefined) {
      const near = command.commands.find((each) => isNear(each.name(), name));
      const meant = near === undefined ? `see apes ${pathOf(command)}--help` : `did you mean ${near.name()}?`;
      return failing(failure('usage', `there is no verb ${[pathOf(command).trim(), name].join(' ').trim()}`, meant));
    }
    command = inner;
  }
  command.outputHelp();
  return { kind: 'status', status: 0 };
}

/** `grants `: the names below `apes`, with a blank behind each. */
const pathOf = (command: Command): string =>
  command.parent === null ? '' : `${pathOf(command.parent)}${command.name()} `;

/** `apes grants run` out of `grants run x --wait`: the words that name a verb. */
function namedBy(command: Command, args: readonly string[]): readonly string[] {
  const inner = command.commands.find((each) => each.name() === args[0] || each.aliases().includes(args[0] ?? ''));
  return [command.name(), ...(inner === undefined ? [] : namedBy(inner, args.slice(1)))];
}

const allCommands = (command: Command): Command[] => [
  command,
  ...command.commands.flatMap((inner) => allCommands(inner)),
];

async function finish(started: Started, ending: Ending): Promise<never> {
  switch (ending.kind) {
    case 'status':
      await drained();
      return started.door.exit(ending.status);
    case 'failure':
      process.stderr.write(`${failureLine('apes', ending.failure)}\n`);
      await drained();
      return started.door.exit(ending.status ?? exitStatusOf(ending.failure));
    case 'become':
      await drained();
      return started.door.become(ending.replacement);
    case 'die':
      return started.door.die(ending.signal);
  }
}

/** A pipe may still hold our text; what the next program prints must come after it. */
async function drained(): Promise<void> {
  for (const stream of [process.stdout, process.stderr])
    if (stream.writableLength > 0) await new Promise((resolve) => stream.write('', resolve));
}
