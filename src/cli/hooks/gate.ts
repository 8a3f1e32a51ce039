/**
 * `apes hooks gate HARNESS`: `hook-guard` runs this command before each tool call. Either the command prints one answer, or it prints a
 * reason and exits with status 2.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { EXIT_STATUS, type Failure, failure, failureLine, nothingRan } from '../../core/failure.ts';
import { installationWords } from '../../core/grant/own-call.ts';
import { failed, type Result, success } from '../../core/result.ts';
import { type FileGate, openFileGate } from '../../gate/file-operation.ts';
import { answerHook } from '../../harness/answer-hook.ts';
import { framedAnswer } from '../../harness/guard-answer.ts';
import { findHarness, HARNESS_NAMES } from '../../harness/harnesses.ts';
import { systemClock } from '../../platform/clock.ts';
import { isOwnControl } from '../../platform/own-program.ts';
import { currentDirectory } from '../../platform/surroundings.ts';
import { pendingBlock } from '../../run/pending-block.ts';
import type { CliContext } from '../context.ts';
import { done, type Ending, ended } from '../ending.ts';
import { withGate, withInstallation } from '../opened.ts';

/** With this exit status a hook program denies the call. A harness with `obeysExitTwo: false` ignores the status. */
const DENIED = 2;

export function registerHooksGate(hooks: Command, context: CliContext): void {
  hooks
    .command('gate <harness>', { hidden: true })
    .option('--led-elsewhere', 'the hooks name one installation, and the environment of the harness names another')
    .description('decide about one tool call (called by hook-guard; the event on standard input)')
    .action(context.settle((name: string, options: GateOptions) => gate(context, name, options)));
}

interface GateOptions {
  readonly ledElsewhere?: true;
}

async function gate(context: CliContext, name: string, options: GateOptions): Promise<Ending> {
  try {
    const answer = await decide(context, name, options);
    if (!answer.ok) return denied(context, name, answer.failure);
    context.out(framedAnswer(answer.value));
    return done;
  } catch (error) {
    return denied(context, name, nothingRan(failure('software', `DENIED: internal error: ${String(error)}`)));
  }
}

async function decide(context: CliContext, name: string, options: GateOptions): Promise<Result<string, Failure>> {
  const harness = findHarness(name);
  if (harness === null)
    return failed(failure('usage', `DENIED: unknown harness ${name}`, `one of ${HARNESS_NAMES.join(', ')}`));
  const cwd = currentDirectory();
  if (!cwd.ok) return cwd;
  const { environment } = context.caller;
  const own = {
    shell: join(context.dist, 'bin/ape-shell'),
    installation: installationWords((wanted) => environment.get(wanted)?.toString('utf8')),
    isLedElsewhere: options.ledElsewhere === true,
  };
  const path = environment.get('PATH')?.toString('utf8') ?? '';
  const control = isOwnControl('apes', path, cwd.value, context.dist) ? 'apes' : join(context.dist, 'bin/apes');
  const event = readFileSync(0);
  // This hook itself reports the event. In some harnesses, a separate hook for the report would run in parallel. Then a dialog could open
  // before that hook has reported.
  const reported = harness.sample.event === null ? null : report(context, name, event);
  const answer = await answerHook(harness, event, {
    own,
    environment,
    cwd: cwd.value,
    openFiles: () => openFiles(context),
    ungatedTools: async () => {
      const found = await withInstallation(context, ({ settings }) => success(settings.hooks.ungatedTools));
      return found.ok ? found.value : [];
    },
    explain: (grant, isNew) =>
      pendingBlock(grant, {
        audience: 'agent',
        status: EXIT_STATUS.pending,
        isNew,
        nowMs: systemClock.nowMs(),
        control,
        assessment: null,
      }),
  });
  await reported;
  return answer;
}

/** If this hook runs in a session, reports the event to this session. A failure of the report does not change the decision. */
async function report(context: CliContext, name: string, event: Uint8Array): Promise<void> {
  try {
    const { reportRead } = await import('./report-here.ts');
    await reportRead({ ...context, err: () => undefined }, name, event);
  } catch {
    // reportRead logs its failures itself, if it can. Any other error, such as a failed import, is ignored.
  }
}

const openFiles = (context: CliContext): Promise<Result<FileGate, Failure>> =>
  withGate(context, (gate, installation) => success(openFileGate(gate, installation)));

/** Denies the call with exit status 2. If the harness ignores this status, prints a denial in the dialect of the harness instead. */
function denied(context: CliContext, name: string, why: Failure): Ending {
  const harness = findHarness(name);
  if (harness?.obeysExitTwo === false) {
    context.out(framedAnswer(harness.dialect.deny(failureLine('ape-shell', why))));
    return done;
  }
  context.err(`${failureLine('ape-shell', why)}\n`);
  return ended(DENIED);
}
