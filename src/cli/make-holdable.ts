/** Lets an approver hold a command that runs under a grant: records the command, and starts a resident gate if no resident gate runs. */
import type { Installation } from '../platform/installation.ts';
import { noteStarted } from '../session/hold/running-commands.ts';
import { startResident } from '../shell/start-resident.ts';
import type { CliContext } from './context.ts';

/**
 * @param grantId null: no grant covers the command; then the command cannot be held
 * @param pid     process id of the command's first process; null: the process id is not known; then the command cannot be held
 */
export async function makeHoldable(
  { caller, dist }: CliContext,
  installation: Installation,
  grantId: string | null,
  pid: number | null,
): Promise<void> {
  if (noteStarted(installation, grantId, pid)) await startResident(installation.paths, caller.environment, dist);
}
