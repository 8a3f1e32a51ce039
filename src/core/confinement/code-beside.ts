/**
 * All processes of a line have the same confinement, so each process may do what all commands of the line need together. Therefore the code
 * of a project may do what only another command was approved for: contact hosts, write `.git` or another directory.
 */
import { beginsWithDirectory } from '../text/path.ts';
import type { CommandNeeds } from './command-needs.ts';
import type { Ports } from './ports.ts';

/**
 * Whether code that the line runs would get rights that only other commands of the line were approved for. False in two cases:
 * - No command of the line runs code.
 * - One of the commands that run code was itself approved to contact and write all that the other commands may contact and write.
 */
export function givesCodeMoreRights(needs: readonly CommandNeeds[]): boolean {
  const running = needs.filter(({ runsCode }) => runsCode);
  return running.length > 0 && !running.some((own) => needs.every((other) => other === own || isWithin(other, own)));
}

/**
 * Whether `other` may contact and write all that `one` may. Does not compare rights to read, because the line can print everything that the
 * line reads.
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
 * Whether git may write `.git` in a line that also runs code or writes `.git/commondir`. The file `.git/commondir` makes git read the
 * settings of another directory. If the line may write `.git`, the confinement cannot prevent code from making this file.
 */
export const runsCodeWhileGitWrites = (needs: readonly CommandNeeds[]): boolean =>
  needs.some(({ repositories }) => repositories.length > 0) &&
  needs.some(({ runsCode, claims }) => runsCode || claims.some((path) => path.endsWith('/.git/commondir')));
