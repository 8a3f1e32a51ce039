/** Connects the parts of the interactive shell: the caller's terminal, bash in a pseudo-terminal, and the gate between them. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Failure, failure, failureLine } from '../core/failure.ts';
import type { Flags } from '../core/grant/invocation.ts';
import { failed, type Result, success } from '../core/result.ts';
import { utf8Length } from '../core/text/utf8-length.ts';
import type { Installation, Started } from '../platform/installation.ts';
import { controlName } from '../platform/own-program.ts';
import { withoutOwnVariables } from '../platform/paths.ts';
import { ensurePrivateDirectory } from '../platform/private-files.ts';
import { brokenText, gatedText } from '../shell/broken-text.ts';
import { runInteractive } from '../shell/interactive.ts';
import { launcherTerminal } from '../terminal/launcher-terminal.ts';
import { LateSession } from './late-session.ts';
import { openInstallation } from './open-installation.ts';

/**
 * The path of a Unix-domain socket can have at most about 104 bytes. If the path of the runtime directory is longer than this constant,
 * the socket is made in a new temporary directory.
 */
const MAX_RUNTIME_DIRECTORY_BYTES = 50;

export async function runInteractiveShell(started: Started, flags: Flags, dist: string): Promise<never> {
  const { caller, launcher } = started;
  const installation = await openInstallation(caller, dist);
  const runtime = runtimeDirectory(installation);
  if (!runtime.ok) {
    process.stderr.write(`${failureLine('ape-shell', runtime.failure)}\n`);
    return launcher.exit(71);
  }
  const session = lazily(async () => (await import('./session-gate.ts')).openSessionGate(started, dist, installation));
  const terminal = launcherTerminal(launcher);
  const late = new LateSession(async () =>
    installation.ok
      ? (await import('./shell-session.ts')).openShellSession(installation.value, await session(), terminal)
      : null,
  );
  const ending = await runInteractive({
    terminal,
    onlooker: late,
    greeting: greetingOf(installation, caller.environment, dist),
    opened: async () => (installation.ok ? (await session()).opened() : ''),
    gate: {
      decide: async (...line) => (await session()).lines.decide(...line),
      finished: (report) => void session().then(({ lines }) => lines.finished(report)),
    },
    bash: installation.ok ? installation.value.settings.shell.bash : '/bin/bash',
    isLogin: flags.isLogin,
    cwd: process.cwd(),
    environment: withoutOwnVariables(caller.environment),
    runtimeDirectory: runtime.value.path,
    leaderPath: join(dist, 'bin', 'pty-leader'),
    pumpPath: join(dist, 'bin', 'pump'),
    setupPath: join(dist, 'pty', 'setup.bash'),
    confinePath: process.platform === 'linux' ? join(dist, 'bin', 'confine.so') : null,
  });
  runtime.value.remove();
  const { status, signal } = ending;
  await Promise.all([(await session()).close(status), late.close({ status, signal })]);
  return signal === 0 ? launcher.exit(status) : launcher.die(signal);
}

function greetingOf(
  installation: Result<Installation, Failure>,
  environment: ReadonlyMap<string, Buffer>,
  dist: string,
): string {
  if (!installation.ok) return brokenText(installation.failure, controlName(environment, process.cwd(), dist));
  return installation.value.settings.shell.isQuiet ? '' : gatedText(environment);
}

/**
 * Returns a function that makes the value at the function's first call, and keeps the value. The gate is made in this way, so that bash
 * starts without waiting for the gate.
 */
function lazily<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | null = null;
  return () => {
    made ??= make();
    return made;
  };
}

interface RuntimeDirectory {
  readonly path: string;
  readonly remove: () => void;
}

function runtimeDirectory(installation: Result<Installation, Failure>): Result<RuntimeDirectory, Failure> {
  const own = installation.ok ? installation.value.paths.run : null;
  if (own !== null && utf8Length(own) <= MAX_RUNTIME_DIRECTORY_BYTES && ensurePrivateDirectory(own) === null)
    return success({ path: own, remove: () => undefined });
  try {
    const path = mkdtempSync(join(tmpdir(), 'ape-')); // mode 0700
    return success({ path, remove: () => rmSync(path, { recursive: true, force: true }) });
  } catch (error) {
    return failed(failure('system', `no place for a private socket (${String(error)})`));
  }
}
