/** Lets an approver hold a command that runs under a grant: records the command, and starts a resident gate if none runs. */
import { systemClock } from '../platform/clock.ts';
import type { Installation } from '../platform/installation.ts';
import { noteCommand, startedCommand } from '../session/hold/running-commands.ts';
import { startResident } from '../shell/start-resident.ts';
import type { CliContext } from './context.ts';

/** @param pid process id of the command's first process; null: not known, because no launcher called us */
export async function makeHoldable(
  { caller, dist }: CliContext,
  { settings, paths }: Installation,
  grantId: string | null,
  pid: number | null,
): Promise<void> {
  if (!settings.shell.hasResidentGate || grantId === null || pid === null) return;
  const command = startedCommand(grantId, pid, systemClock.nowMs());
  if (command === null) return;
  noteCommand(paths.run, command);
  await startResident(paths, caller.environment, dist);
}
