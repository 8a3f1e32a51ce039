/** What a one-shot call is answered with, shared by the process of its own and the resident gate. */
import type { Failure } from '../core/failure.ts';
import { type Result, success } from '../core/result.ts';
import type { Settings } from '../core/settings.ts';
import type { Gate } from '../gate/authorize.ts';
import type { Caller } from '../platform/front-door.ts';
import { startResident } from '../shell/start-resident.ts';
import { openInstallation } from './open-installation.ts';
import { openGate } from './ports.ts';

export const isDashed = (caller: Caller): boolean => caller.argv[0]?.[0] === 0x2d;

/** Settings and gate as this caller's environment and files have them now. */
export async function openOneShot(
  caller: Caller,
  dist: string,
): Promise<Result<{ readonly settings: Settings; readonly gate: Gate }, Failure>> {
  const installation = await openInstallation(caller, dist);
  if (!installation.ok) return installation;
  const gate = openGate(installation.value);
  return gate.ok ? success({ settings: installation.value.settings, gate: gate.value }) : gate;
}

/** For the next call: only where this one came as far as a gate, so that a broken installation starts nothing. */
export async function keepGate(caller: Caller, dist: string): Promise<void> {
  const installation = await openInstallation(caller, dist);
  if (!installation.ok || !installation.value.settings.shell.resident) return;
  if (openGate(installation.value).ok) await startResident(installation.value.paths, caller.environment, dist);
}
