/**
 * `apes run [options] -- CMD ARG…`: runs a program with its arguments if the gate permits this. The pending block shows a request that is
 * not decided. If `apes run` waits, it prints the pending block on stderr. If `apes run` does not wait, the pending block is the result, on
 * stdout.
 */
import { type Failure, failure } from '../core/failure.ts';
import type { Term } from '../core/grant/grant.ts';
import type { ExecutionRequest } from '../core/grant/request.ts';
import { failed, type Result, success } from '../core/result.ts';
import { quoteWord } from '../core/text/quote.ts';
import { type ApprovalWait, authorize, coveringOnlyExactly, type Gate } from '../gate/authorize.ts';
import { systemClock } from '../platform/clock.ts';
import type { Installation } from '../platform/installation.ts';
import { controlName, isOwnControl } from '../platform/own-program.ts';
import { checkHeldPlaceUnchanged, identityOf } from '../platform/place-identity.ts';
import { boundEntriesFor, currentDirectory, currentHost, currentUser } from '../platform/surroundings.ts';
import { type PendingFacts, pendingBlock, pendingFacts, pendingJson } from '../run/pending-block.ts';
import type { CliContext, Register } from './context.ts';
import { type Ending, ended, failing } from './ending.ts';
import { waitReports } from './grants/await-decision.ts';
import { finishAuthorization } from './grants/run-grant.ts';
import { lifetimeOption, type TermOptions, termOf, termOption } from './grants/term.ts';
import { orFailing, withGate } from './opened.ts';
import { timeoutOf } from './option-values.ts';

interface RunOptions extends TermOptions {
  readonly wait?: true;
  readonly timeout?: number;
  readonly reason?: string;
  readonly json?: true;
  readonly exact?: true;
}

export const registerRun: Register = (program, context) => {
  program
    .enablePositionalOptions()
    .command('run')
    .description('run a program with its arguments if a grant covers this call, else ask for a grant')
    .option('--wait', 'wait for the decision')
    .option(
      '--timeout <duration>',
      'how long to wait (default: the setting shell.wait_timeout, 5m)',
      timeoutOf('--timeout'),
    )
    .addOption(termOption('propose a term'))
    .addOption(lifetimeOption('for --term timed: such as 15m, 8h'))
    .option('--reason <text>', 'the reason, which the approver reads')
    .option('--exact', 'use no scope of a standing grant: ask for exactly this call, which then runs unconfined')
    .option('--json', 'the pending block as one JSON object')
    .argument('<command...>', 'after --: the program and its arguments')
    .passThroughOptions()
    .action(context.settle((command: readonly string[], options: RunOptions) => run(context, command, options)));
};

async function run(context: CliContext, argv: readonly string[], options: RunOptions): Promise<Ending> {
  const proposal = proposalOf(options);
  if (!proposal.ok) return failing(proposal.failure);
  const request = describeArguments(context, argv);
  if (!request.ok) return failing(request.failure);
  return orFailing(
    withGate(context, async (gate, installation) =>
      success(await askFor(context, gate, installation, request.value, proposal.value, options)),
    ),
  );
}

async function askFor(
  context: CliContext,
  gate: Gate,
  installation: Installation,
  request: ExecutionRequest,
  proposedTerm: Term | null,
  options: RunOptions,
): Promise<Ending> {
  const { shell } = installation.settings;
  const timeoutMs = options.timeout ?? shell.waitTimeoutMs;
  const control = controlName(context.caller.environment, request.cwd, context.dist);
  const facts = (isNew: boolean, assessment: PendingFacts['assessment']): PendingFacts =>
    pendingFacts(shell, { isNew, nowMs: systemClock.nowMs(), control, assessment });
  const show = options.json === true ? pendingJson : pendingBlock;
  const asking = options.exact === true ? coveringOnlyExactly(gate) : gate;
  const outcome = await authorize(asking, request, {
    ...(options.reason === undefined ? {} : { reason: options.reason }),
    ...(proposedTerm === null ? {} : { proposedTerm }),
    waitOptions:
      options.wait === true || shell.waitsInPlace
        ? waitOptionsOf(context, timeoutMs, (grant, isNew, assessment) =>
            context.err(show(grant, facts(isNew, assessment))),
          )
        : null,
  });
  if (outcome.kind !== 'pending') return finishAuthorization(context, installation, outcome, false);
  context.out(show(outcome.grant, facts(outcome.isNew, outcome.assessment)));
  return ended(shell.asyncExitCode); // with --json, the pending block is the envelope
}

function proposalOf(options: RunOptions) {
  return options.term === undefined ? success(null) : termOf(options.term, options.for, systemClock.nowMs());
}

/**
 * Makes the request for these arguments in the current directory. Fails with exit status 64 in two cases: the name of the program is empty,
 * or the program is `apes` itself. Fails also if the path of the current directory cannot be determined.
 */
export function describeArguments(context: CliContext, argv: readonly string[]): Result<ExecutionRequest, Failure> {
  const cwd = currentDirectory();
  if (!cwd.ok) return cwd;
  const environment = context.caller.environment;
  const program = argv[0] ?? '';
  if (program === '') return failed(failure('usage', 'the name of the program is empty', 'write: apes run -- PROGRAM'));
  if (isOwnControl(program, environment.get('PATH')?.toString('utf8') ?? '', cwd.value, context.dist))
    return failed(failure('usage', 'apes itself needs no grant', `call it directly: ${argv.map(quoteWord).join(' ')}`));
  const text = argv.map(quoteWord).join(' ');
  return success({
    kind: 'argv',
    text,
    argv,
    cwd: cwd.value,
    place: identityOf('.'),
    host: currentHost(),
    user: currentUser(),
    environment: boundEntriesFor(environment, [text, ...argv], { cwd: cwd.value }), // the program can be a shell that runs a text
  });
}

/**
 * Makes the wait options for the current directory. A wait ends with a failure if the path of this directory leads to another directory
 * when the wait is over.
 */
export function waitOptionsOf(
  context: CliContext,
  timeoutMs: number,
  onPending: ApprovalWait['onPending'],
): ApprovalWait {
  const before = identityOf('.');
  return {
    timeoutMs,
    withdrawsOnCancel: false,
    whyChanged: () => checkHeldPlaceUnchanged(before, '.', process.cwd()),
    onPending,
    ...waitReports(context),
  };
}
