/** `apes session start -- CMD…`: a program in a session of its own. It is asked for like any other program. */
import { join } from 'node:path';
import { type Failure, failure } from '../../core/failure.ts';
import type { ExecutionRequest } from '../../core/grant/request.ts';
import { parseDuration } from '../../core/text/duration.ts';
import { type Authorization, authorize } from '../../gate/authorize.ts';
import type { Installation } from '../../platform/installation.ts';
import { ensurePrivateDirectory } from '../../platform/private-files.ts';
import { connectSession } from '../../session/client/client.ts';
import { findSession } from '../../session/client/find-session.ts';
import { startHost } from '../../session/client/start-host.ts';
import { sessionDirectory } from '../../session/registry.ts';
import type { TerminalSize } from '../../terminal/user-terminal.ts';
import type { CliContext, Register } from '../context.ts';
import { answering, type Ending, failing } from '../ending.ts';
import { dyingOfSignal } from '../grants/run-grant.ts';
import { describeArguments, waitOptionsOf } from '../run.ts';
import { attachHere, DETACH_KEY, readDetachKey, terminalFailure } from './attach.ts';
import { claimName } from './session-name.ts';

interface StartOptions {
  readonly name?: string;
  readonly detached?: true;
  readonly cols?: string;
  readonly rows?: string;
  readonly timeout?: string;
  readonly wait: boolean;
  readonly reason?: string;
  readonly detachKey: string;
}

export const registerSessionStart: Register = (sessions, context) => {
  sessions
    .command('start')
    .description('start a program once a grant covers it, and attach; it outlives this terminal')
    .option('--name <name>', 'to find it by')
    .option('--detached', 'do not attach')
    .option('--cols <n>', 'columns of its window (default: of this terminal, or 80)')
    .option('--rows <n>', 'rows of its window (default: of this terminal, or 24)')
    .option('--timeout <duration>', 'how long to wait for the decision (default: 5m)')
    .option('--no-wait', 'do not wait for the decision: 75 when it is pending')
    .option('--reason <text>', 'why, for the approver')
    .option('--detach-key <key>', 'a control key such as ^] or ^q', DETACH_KEY)
    .option('--json', 'with --detached: id and name as one JSON object')
    .argument('<command...>', 'after --: the program and its arguments')
    .passThroughOptions()
    .action(context.settle((command: readonly string[], options: StartOptions) => start(context, command, options)));
};

async function start(context: CliContext, argv: readonly string[], options: StartOptions): Promise<Ending> {
  const installation = await context.openInstallation();
  if (!installation.ok) return failing(installation.failure);
  const detachKey = readDetachKey(options.detachKey);
  if (!detachKey.ok) return failing(detachKey.failure);
  const size = sizeOf(options);
  const misuse = options.detached === true ? null : terminalFailure(context);
  if (misuse !== null) return failing({ ...misuse, advice: 'add --detached' });
  if ('code' in size) return failing(size);
  const directory = sessionDirectory(installation.value.paths);
  const unfit = ensurePrivateDirectory(directory);
  if (unfit !== null) return failing(unfit);
  const claim = await claimName(directory, options.name ?? null);
  if (!claim.ok) return failing(claim.failure);
  const asked = await ask(context, installation.value, argv, options);
  if ('ending' in asked) {
    claim.value.release();
    return asked.ending;
  }
  const id = await startHost(asked.permit, {
    name: options.name ?? null,
    directory,
    journal: join(installation.value.paths.state, 'audit'),
    dist: context.dist,
    size,
    environment: context.caller.environment,
  });
  claim.value.release();
  if (!id.ok) return failing(id.failure.failure, id.failure.status);
  if (options.detached === true) {
    const { name = null } = options;
    return answering({ id: id.value, name }, `${id.value}\n`);
  }
  const entry = await findSession(directory, id.value);
  if (!entry.ok) return failing(entry.failure);
  const client = await connectSession(entry.value);
  return client.ok ? attachHere(context, client.value, detachKey.value) : failing(client.failure);
}

type Asked = Extract<Authorization, { kind: 'permitted' }> | { readonly ending: Ending };

/** The same request as that of `apes run`, so that whoever may run the program may run it in a session. */
async function ask(
  context: CliContext,
  installation: Installation,
  argv: readonly string[],
  options: StartOptions,
): Promise<Asked> {
  const { shell } = installation.settings;
  const timeoutMs = options.timeout === undefined ? shell.waitTimeoutMs : parseDuration(options.timeout);
  if (timeoutMs === null)
    return {
      ending: failing(failure('usage', `--timeout is ${options.timeout}`, 'write a duration such as 90s or 15m')),
    };
  const request = describeArguments(context, argv);
  if ('kind' in request && 'failure' in request) return { ending: request };
  const gate = context.openGate(installation);
  if (!gate.ok) return { ending: failing(gate.failure) };
  const outcome = await authorize(gate.value, request as ExecutionRequest, {
    ...(options.reason === undefined ? {} : { reason: options.reason }),
    waitOptions: options.wait
      ? waitOptionsOf(context, timeoutMs, (grant) =>
          context.err(`apes: waiting for approval, Ctrl-C leaves it pending: ${grant.url} (grant ${grant.id})\n`),
        )
      : null,
  });
  switch (outcome.kind) {
    case 'permitted':
      if (!shell.quiet) context.err(`apes: granted (${outcome.permit.because}), grant ${outcome.permit.grantId}\n`);
      return outcome;
    case 'cancelled':
      context.err(`apes: interrupted; the request stays pending (grant ${outcome.grant.id})\n`);
      return { ending: dyingOfSignal() };
    case 'pending':
      return { ending: failing(pendingFailure(outcome.grant.id, outcome.grant.url), shell.asyncExitCode) };
    case 'refused':
      return outcome.failure.code === 'pending'
        ? { ending: failing({ ...outcome.failure, advice: AGAIN }, shell.asyncExitCode) }
        : { ending: failing(outcome.failure) };
  }
}

/** Not `apes grants run`: that would run it on the caller's own terminal. */
const AGAIN = 'once it is approved, the same call starts the session';

const pendingFailure = (grantId: string, url: string): Failure =>
  failure('pending', `not started yet: a human has to approve it first: ${url} (grant ${grantId})`, AGAIN);

const MAX_SIDE_LENGTH = 1_000;

function sizeOf(options: StartOptions): TerminalSize | Failure {
  const { columns = 80, rows = 24 } = process.stdout;
  const size = { columns: Number(options.cols ?? columns), rows: Number(options.rows ?? rows) };
  for (const [flag, side] of [
    ['--cols', size.columns],
    ['--rows', size.rows],
  ] as const)
    if (!Number.isInteger(side) || side < 1 || side > MAX_SIDE_LENGTH)
      return failure('usage', `${flag} is not a whole number from 1 to ${MAX_SIDE_LENGTH}`);
  return size;
}
