/**
 * All processes of a line have the same confinement, so each process may do what all commands of the line need together. If one command
 * runs the code of a project, that code may also do what only another command was approved for: contact hosts, write `.git` or another
 * directory.
 */
import { beginsWithDirectory } from '../files/file-operation.ts';
import type { CommandNeeds } from './command-needs.ts';
import type { Ports } from './ports.ts';

/**
 * Whether code that the line runs would get rights that only other commands of the line were approved for. False in two cases:
 * - No command of the line runs code.
 * - One command that runs code was itself approved to contact and write everything that each other command may contact and write.
 */
export function givesCodeMoreRights(needs: readonly CommandNeeds[]): boolean {
  const running = needs.filter(({ runsCode }) => runsCode);
  return running.length > 0 && !running.some((own) => needs.every((other) => other === own || isWithin(other, own)));
}

/**
 * Whether `other` may contact and write all that `one` may. Rights to read are not compared, because the line can print anything that
 * it reads.
 */
function isWithin(one: CommandNeeds, other: CommandNeeds): boolean {
  const written = [...other.trees, ...other.files];
  return (
    isAmong(one.connect, other.connect) &&
    [...one.trees, ...one.files].every((path) => written.some((place) => beginsWithDirectory(path, place))) &&
    one.repositories.every((top) => other.repositories.includes(top))
  );
}

const isAmong = (ports: Ports, others: Ports): boolean =>
  others === 'any' || (ports !== 'any' && ports.every((port) => others.includes(port)));

/**
 * Whether git may write its own directory in a line that also runs code or has a command that writes `.git/commondir`. That file names a
 * directory with other settings for git, and no confinement keeps code from making that file.
 */
export const runsCodeWhileGitWrites = (needs: readonly CommandNeeds[]): boolean =>
  needs.some(({ repositories }) => repositories.length > 0) &&
  needs.some(({ runsCode, claims }) => runsCode || claims.some((path) => path.endsWith('/.git/commondir')));
