/** The interactive shell, wired together: the caller's terminal, the pty with bash inside, the gate in between. */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Failure, failure, failureLine } from '../core/failure.ts';
import type { Flags } from '../core/invocation.ts';
import { failed, type Result, success } from '../core/result.ts';
import type { Gate } from '../gate/authorize.ts';
import { reportEvent } from '../grants/report.ts';
import type { Started } from '../platform/installation.ts';
import { PLACE_VARIABLES } from '../platform/paths.ts';
import { ensurePrivateDirectory } from '../platform/private-files.ts';
import { runInteractive } from '../shell/interactive.ts';
import { openLineGate } from '../shell/line-gate.ts';
import { type SessionFacts, sessionStatus } from '../shell/session-status.ts';
import { frontDoorTerminal } from '../terminal/front-door-terminal.ts';
import { openGate, openInstallation } from './ports.ts';

/** Unix-domain socket paths hold about 104 bytes; with a longer runtime directory the socket goes below /tmp. */
const LONGEST_RUNTIME_DIRECTORY = 50;

export async function runInteractiveShell(started: Started, flags: Flags, dist: string): Promise<never> {
  const { caller, door } = started;
  const runtime = await runtimeDirectory(started, dist);
  if (!runtime.ok) {
    process.stderr.write(`${failureLine('ape-shell', runtime.failure)}\n`);
    return door.exit(71);
  }
  const installation = await openInstallation(caller, dist);
  const facts: SessionFacts = { sessionId: `s_${randomBytes(10).toString('hex')}`, startedAtMs: Date.now() };
  const gate = sessionGate(started, dist);
  await announceSession(facts, await gate());
  const ending = await runInteractive({
    terminal: frontDoorTerminal(door),
    gate: openLineGate({
      sessionId: facts.sessionId,
      dist,
      openGate: gate,
      statusText: async () => sessionStatus(facts, await gate()),
      control: controlVariables(caller.environment),
    }),
    bash: installation.ok ? installation.value.settings.shell.bash : '/bin/bash',
    login: flags.isLogin,
    cwd: process.cwd(),
    environment: bashEnvironment(caller.environment),
    runtimeDirectory: runtime.value.path,
    leaderPath: join(dist, 'bin', 'pty-leader'),
    setupPath: join(dist, 'pty', 'setup.bash'),
  });
  runtime.value.remove();
  const closed = await gate();
  if (closed.ok) {
    closed.value.journal({ event: 'session.closed', sessionId: facts.sessionId, status: ending.status });
    await Promise.race([
      reportEvent(closed.value.client, {
        event: 'session.closed',
        sessionId: facts.sessionId,
        status: ending.status & 255,
      }),
      new Promise((resolve) => setTimeout(resolve, 500)),
    ]);
  }
  const signal = SIGNAL_NUMBERS[ending.signal ?? ''];
  return signal === undefined ? door.exit(ending.status) : door.die(signal);
}

const SIGNAL_NUMBERS: Readonly<Record<string, number>> = { SIGHUP: 1, SIGINT: 2, SIGQUIT: 3, SIGKILL: 9, SIGTERM: 15 };

/** Opened anew for as long as it fails: the shell starts with a broken server or configuration, says so, and runs nothing. */
function sessionGate(started: Started, dist: string): () => Promise<Result<Gate, Failure>> {
  let kept: Gate | null = null;
  return async () => {
    if (kept !== null) return success(kept);
    const installation = await openInstallation(started.caller, dist);
    if (!installation.ok) return installation;
    const gate = openGate(installation.value);
    if (gate.ok) kept = gate.value;
    return gate;
  };
}

/** A server that hangs must not keep the first prompt away. */
const GREETING_PATIENCE_MS = 400;

async function announceSession(facts: SessionFacts, gate: Result<Gate, Failure>): Promise<void> {
  if (!gate.ok) return sayBroken(gate.failure);
  gate.value.journal({ event: 'session.opened', sessionId: facts.sessionId });
  const reported = reportEvent(gate.value.client, { event: 'session.opened', sessionId: facts.sessionId });
  const patience = new Promise<null>((resolve) => setTimeout(resolve, GREETING_PATIENCE_MS, null));
  const broken = await Promise.race([reported, patience]);
  if (broken !== null) sayBroken(broken);
}

function sayBroken(failure: Failure): void {
  process.stderr.write(`${failureLine('ape-shell', failure)}\n`);
  process.stderr.write('ape-shell: until that is mended no line runs; exit, :status and apes health work\n');
}

interface RuntimeDirectory {
  readonly path: string;
  readonly remove: () => void;
}

async function runtimeDirectory(started: Started, dist: string): Promise<Result<RuntimeDirectory, Failure>> {
  const installation = await openInstallation(started.caller, dist);
  const own = installation.ok ? installation.value.paths.run : null;
  if (own !== null && own.length <= LONGEST_RUNTIME_DIRECTORY && ensurePrivateDirectory(own) === null)
    return success({ path: own, remove: () => undefined });
  try {
    const path = mkdtempSync(join(tmpdir(), 'ape-')); // mode 0700
    return success({ path, remove: () => rmSync(path, { recursive: true, force: true }) });
  } catch (error) {
    return failed(failure('system', `no place for a private socket (${String(error)})`));
  }
}

const isOurs = (name: string): boolean => (name.startsWith('APES_') && name !== 'APES_HOME') || name.startsWith('APE_');

/** What bash and its children see: everything but our own variables. */
const bashEnvironment = (environment: ReadonlyMap<string, Buffer>): ReadonlyMap<string, Buffer> =>
  new Map([...environment].filter(([name]) => !isOurs(name)));

/** The variables that say which installation this is; null where they were not set. */
function controlVariables(environment: ReadonlyMap<string, Buffer>): readonly (readonly [string, string | null])[] {
  const own = [...environment.keys()].filter((name) => isOurs(name) && name !== 'APES_SHELL_WRAPPER');
  return [...PLACE_VARIABLES, ...own].map((name) => [name, environment.get(name)?.toString('utf8') ?? null] as const);
}
