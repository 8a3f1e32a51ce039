/** `apes session start -- CMD…`: starts a program in a session of its own. The program needs a grant, like any other command. */
import { join } from 'node:path';
import { type Failure, failure } from '../../core/failure.ts';
import type { Permit } from '../../core/grant/authorization.ts';
import { failed, type Result, success } from '../../core/result.ts';
import { matchSuffix } from '../../core/text/match-text.ts';
import type { GrantView } from '../../core/wire/grant-view.ts';
import { authorize } from '../../gate/authorize.ts';
import type { Installation } from '../../platform/installation.ts';
import { ensurePrivateDirectory } from '../../platform/private-files.ts';
import { connectSession } from '../../session/client/client.ts';
import { findSession } from '../../session/client/find-session.ts';
import { startHost } from '../../session/client/start-host.ts';
import { sessionDirectory } from '../../session/registry.ts';
import { startResident } from '../../shell/start-resident.ts';
import type { TerminalSize } from '../../terminal/user-terminal.ts';
import type { CliContext, Register } from '../context.ts';
import { answering, type Ending, failing } from '../ending.ts';
import { interrupted } from '../grants/await-decision.ts';
import { endingWith } from '../opened.ts';
import { timeoutOf, wholeNumberOf } from '../option-values.ts';
import { describeArguments, waitOptionsOf } from '../run.ts';
import { attachHere, type DetachKeys, detachKeyOption, terminalFailure } from './attach.ts';
import { claimName, sessionName } from './session-name.ts';

interface StartOptions {
  readonly name?: string;
  readonly detached?: true;
  readonly cols?: number;
  readonly rows?: number;
  readonly timeout?: number;
  readonly wait: boolean;
  readonly reason?: string;
  readonly detachKey: DetachKeys;
}

export const registerSessionStart: Register = (sessions, context) => {
  sessions
    .command('start')
    .description('start a program once a grant covers it, and attach; the program outlives this terminal')
    .option('--name <name>', 'a name for the session', sessionName)
    .option('--detached', 'do not attach')
    .option('--cols <n>', 'width of the session in columns (default: that of this terminal, or 80)', sideOf('--cols'))
    .option('--rows <n>', 'height of the session in rows (default: that of this terminal, or 24)', sideOf('--rows'))
    .option(
      '--timeout <duration>',
      'how long to wait for the decision (default: the setting shell.wait_timeout, 5m)',
      timeoutOf('--timeout'),
    )
    .option('--no-wait', 'do not wait for the decision: exit status 75 while the request is pending')
    .option('--reason <text>', 'the reason, which the approver reads')
    .addOption(detachKeyOption())
    .option('--json', 'with --detached: id and name as one JSON object')
    .argument('<command...>', 'after --: the program and its arguments')
    .passThroughOptions()
    .action(
      context.settle((command: readonly string[], options: StartOptions) =>
        endingWith(context, (installation) => start(context, installation, command, options)),
      ),
    );
};

async function start(
  context: CliContext,
  installation: Installation,
  argv: readonly string[],
  options: StartOptions,
): Promise<Ending> {
  const { settings, paths } = installation;
  const size = sizeOf(options);
  const misuse = options.detached === true ? null : terminalFailure(context);
  if (misuse !== null) return failing({ ...misuse, advice: 'add --detached' });
  if (!size.ok) return failing(size.failure);
  const directory = sessionDirectory(paths);
  const unfit = ensurePrivateDirectory(directory);
  if (unfit !== null) return failing(unfit);
  const claim = await claimName(directory, options.name ?? null);
  if (!claim.ok) return failing(claim.failure);
  const asked = await ask(context, installation, argv, options);
  if (!asked.ok) {
    claim.value.release();
    return asked.failure;
  }
  const id = await startHost(asked.value, {
    name: options.name ?? null,
    directory,
    journal: join(paths.state, 'audit'),
    dist: context.dist,
    size: size.value,
    environment: context.caller.environment,
  });
  claim.value.release();
  if (!id.ok) return failing(id.failure.failure, id.failure.status);
  if (settings.shell.hasResidentGate) await startResident(paths, context.caller.environment, context.dist); // the resident gate carries out orders of approvers
  if (options.detached === true) {
    const { name = null } = options;
    return answering({ id: id.value, name }, `${id.value}\n`);
  }
  const entry = await findSession(directory, id.value);
  if (!entry.ok) return failing(entry.failure);
  const client = await connectSession(entry.value);
  return client.ok ? attachHere(context, client.value, options.detachKey) : failing(client.failure);
}

/** Asks with the same request as `apes run`. So a grant for the program also covers the program in a session. */
async function ask(
  context: CliContext,
  installation: Installation,
  argv: readonly string[],
  options: StartOptions,
): Promise<Result<Permit, Ending>> {
  const { shell } = installation.settings;
  const timeoutMs = options.timeout ?? shell.waitTimeoutMs;
  const request = describeArguments(context, argv);
  if (!request.ok) return failed(failing(request.failure));
  const gate = context.openGate(installation);
  if (!gate.ok) return failed(failing(gate.failure));
  const outcome = await authorize(gate.value, request.value, {
    ...(options.reason === undefined ? {} : { reason: options.reason }),
    waitOptions: options.wait
      ? waitOptionsOf(context, timeoutMs, (grant) =>
          context.err(
            `apes: waiting for approval, Ctrl-C leaves the request pending: ${grant.url}${matchSuffix(grant)} (grant ${grant.id})\n`,
          ),
        )
      : null,
  });
  switch (outcome.kind) {
    case 'permitted':
      if (!shell.isQuiet) context.err(`apes: granted (${outcome.permit.because}), grant ${outcome.permit.grantId}\n`);
      return success(outcome.permit);
    case 'cancelled':
      return failed(interrupted(context, outcome.grant));
    case 'pending':
      return failed(failing(pendingFailure(outcome.grant), shell.asyncExitCode));
    case 'refused':
      return failed(
        outcome.failure.code === 'pending'
          ? failing({ ...outcome.failure, advice: AGAIN }, shell.asyncExitCode)
          : failing(outcome.failure),
      );
  }
}

/**
 * The advice while the request is pending. It does not name `apes grants run`: that command would run the program on the caller's own
 * terminal.
 */
const AGAIN = 'once it is approved, the same call starts the session';

const pendingFailure = (grant: GrantView): Failure =>
  failure(
    'pending',
    `the program is not started yet; a human has to approve it first: ${grant.url}${matchSuffix(grant)} (grant ${grant.id})`,
    AGAIN,
  );

const MAX_SIDE_LENGTH = 1_000;

const wrongSide = (flag: string): Failure =>
  failure('usage', `${flag} has to be a whole number from 1 to ${MAX_SIDE_LENGTH}`);

function sideOf(flag: string) {
  return wholeNumberOf(1, MAX_SIDE_LENGTH, () => wrongSide(flag));
}

/** Takes each side from the options, else from the terminal, else from 80x24. Fails (64) for a side of 0 or of more than 1000. */
function sizeOf({ cols, rows }: StartOptions): Result<TerminalSize, Failure> {
  const here = process.stdout;
  const size = { columns: cols ?? here.columns ?? 80, rows: rows ?? here.rows ?? 24 };
  const isSide = (length: number) => length >= 1 && length <= MAX_SIDE_LENGTH;
  if (!isSide(size.columns)) return failed(wrongSide('--cols'));
  return isSide(size.rows) ? success(size) : failed(wrongSide('--rows'));
}
