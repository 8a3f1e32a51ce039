/** `ape-shell`: the shell. It reads its arguments, then loads the code for a one-shot call or for the interactive shell. */
import { isatty } from 'node:tty';
import { exitStatusOf, type Failure, failureLine } from '../core/failure.ts';
import { type Flags, type Invocation, readInvocation } from '../core/grant/invocation.ts';
import { SHELL_HELP } from '../core/shell-help.ts';
import { dataAnswer } from '../core/text/json-answer.ts';
import { loadBuilt } from '../platform/built-file.ts';
import { distDirectory } from '../platform/own-program.ts';
import { decodeUtf8 } from '../platform/utf8.ts';
import { versionFacts } from '../platform/version-facts.ts';
import { writeAll } from '../platform/write-all.ts';
import { dieOfSignals, startedBy } from './started-by.ts';

declare const APE_VERSION: string;
declare const APE_BUILD: string;

/**
 * What a crash message says about effects. A one-shot call never changes `known`: the command of the call runs after this process has
 * ended.
 */
let known = 'nothing ran';
const started = startedBy('ape-shell', () => known);
const { caller, launcher } = started;
const stopDying = dieOfSignals(launcher);

async function main(): Promise<never> {
  const argv = caller.argv.map(decodeUtf8);
  if (!argv.every((word) => word !== null))
    return fail({
      code: 'unreadable',
      message: 'the command is not valid UTF-8',
      advice: "write such bytes as $'\\xNN'",
      consequence: 'nothing-ran',
    });
  const invocation = readInvocation(argv);
  if (!invocation.ok) return fail(invocation.failure);
  if (invocation.value.kind === 'version') return say(versionText(invocation.value.isJson));
  if (invocation.value.kind === 'help') return say(SHELL_HELP);
  const dist = distDirectory(__filename);
  if (isForPeople(invocation.value)) return interactive(invocation.value.flags, dist);
  const { runOneShot } = loadBuilt<typeof import('./one-shot.ts')>(__dirname, 'one-shot');
  return runOneShot(started, invocation.value, dist, stopDying);
}

/** With `--json`, returns the same envelope as `apes --version --json`. */
function versionText(isJson: boolean): string {
  return isJson ? dataAnswer(versionFacts('ape-shell', APE_VERSION, APE_BUILD)) : `ape-shell ${APE_VERSION}\n`;
}

/** Whether a person calls ape-shell: no command, no script, and standard input is a terminal. */
function isForPeople(invocation: Invocation): boolean {
  return invocation.kind === 'stdin' && !caller.isClosed[0] && isatty(0);
}

async function interactive(flags: Flags, dist: string): Promise<never> {
  if (!flags.isPlain)
    return fail({
      code: 'usage',
      message: 'the interactive shell takes -l, -i and --login only',
      advice: 'set other options inside it (set, shopt)',
    });
  stopDying();
  known = 'lines before may have run';
  const { runInteractiveShell } = loadBuilt<typeof import('./interactive.ts')>(__dirname, 'interactive');
  return runInteractiveShell(started, flags, dist);
}

function say(text: string): Promise<never> {
  writeAll(1, text);
  return launcher.exit(0);
}

function fail(failure: Failure, status = exitStatusOf(failure)): Promise<never> {
  writeAll(2, `${failureLine('ape-shell', failure)}\n`);
  return launcher.exit(status);
}

void main();
