/** Runs the resident gate until it is idle, another resident gate replaces it, or a signal stops it. */
import { join } from 'node:path';
import type { Failure } from '../core/failure.ts';
import { success } from '../core/result.ts';
import { systemClock } from '../platform/clock.ts';
import { gateSocketPath } from '../platform/paths.ts';
import { ensurePrivateDirectory, writePrivateFile } from '../platform/private-files.ts';
import { HostAgent } from '../session/agent/host-agent.ts';
import { RunningCommands, startedCommand } from '../session/hold/running-commands.ts';
import { sessionDirectory } from '../session/registry.ts';
import { openResidentGate } from '../shell/resident-gate.ts';
import type { CliContext } from './context.ts';
import { withClient } from './opened.ts';

/**
 * Returns null when the gate has ended. Fails if the installation or the gate cannot be opened, or if the process id cannot be written.
 * Changes the working directory of this process to `/`, and its umask to 077: the gate outlives the caller that started it.
 * @param idleMs if no call comes for this time, the gate ends, unless the gate is still needed
 */
export async function serveResidentGate(context: CliContext, idleMs: number): Promise<Failure | null> {
  const installation = await context.openInstallation();
  if (!installation.ok) return installation.failure;
  const { paths } = installation.value;
  process.umask(0o077);
  const directoryFailure = ensurePrivateDirectory(paths.run);
  if (directoryFailure !== null) return directoryFailure;
  process.chdir('/');
  let stop: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => {
    stop = resolve;
  });
  context.onFatalSignal(() => stop());
  const commands = new RunningCommands(paths.run);
  const agent = new HostAgent({
    openClient: () => withClient(context, 'requester', success),
    sessionDirectory: sessionDirectory(paths),
    runDirectory: paths.run,
    commands,
  });
  const opened = await openResidentGate({
    path: gateSocketPath(paths),
    build: context.build,
    dist: context.dist,
    idleMs,
    open: async (caller) => {
      const now = await context.openFor(caller);
      if (!now.ok) return now;
      const gate = context.openGate(now.value, true);
      return gate.ok ? success({ settings: now.value.settings, gate: gate.value }) : gate;
    },
    onOver: () => stop(),
    isNeeded: () => agent.isNeeded,
    onBecome: (grantId, pid) => {
      const command = startedCommand(grantId, pid, systemClock.nowMs());
      if (command !== null) commands.add(command);
    },
  });
  if (!opened.ok) return opened.failure;
  const writeFailure = writePrivateFile(join(paths.run, 'gate.pid'), `${process.pid}\n`);
  if (writeFailure !== null) return writeFailure;
  void agent.run();
  await ended;
  agent.close();
  opened.value.close();
  return null;
}
