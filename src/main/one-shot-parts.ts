/** Opens the gate for a one-shot call (`ape-shell -c`, a script, or standard input), and starts a resident gate for later calls. */
import type { Failure } from '../core/failure.ts';
import { type Result, success } from '../core/result.ts';
import type { Settings } from '../core/settings.ts';
import type { Gate } from '../gate/authorize.ts';
import type { LauncherCaller } from '../platform/launcher.ts';
import type { Paths } from '../platform/paths.ts';
import { startResident } from '../shell/start-resident.ts';
import { openInstallation } from './open-installation.ts';
import { openGate } from './ports.ts';

/** The settings and the gate, made from the caller's environment and the files on disk. */
export interface OpenedOneShot {
  readonly settings: Settings;
  readonly gate: Gate;
  readonly paths: Paths;
}

/** Fails as `openInstallation` and `openGate` do. */
export async function openOneShot(caller: LauncherCaller, dist: string): Promise<Result<OpenedOneShot, Failure>> {
  const installation = await openInstallation(caller, dist);
  if (!installation.ok) return installation;
  const { settings, paths } = installation.value;
  const gate = openGate(installation.value);
  return gate.ok ? success({ settings, paths, gate: gate.value }) : gate;
}

/**
 * Starts a resident gate for the next call if `hasResidentGate` is true and no resident gate listens. This function ignores a failure to
 * start. Call this function only after `openOneShot` has succeeded: a broken installation must start no gate.
 */
export async function startGateForNextCall(
  { settings, paths }: OpenedOneShot,
  caller: LauncherCaller,
  dist: string,
): Promise<void> {
  if (settings.shell.hasResidentGate) await startResident(paths, caller.environment, dist);
}
