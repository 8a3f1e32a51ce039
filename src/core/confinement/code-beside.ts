/**
 * All processes of a line are confined alike, so each of them may do what all its commands need together. If one of them runs the code
 * of a project, that code may do what only the others were approved for: contact hosts, write `.git` or another directory.
 */
import { beginsWithDirectory } from '../files/file-operation.ts';
import type { Hold } from './hold-required.ts';
import type { Ports } from './ports.ts';

/** Whether code in the line gets more from the other commands than any one command that runs code was approved for. */
export function givesCodeMore(holds: readonly Hold[]): boolean {
  const running = holds.filter(({ runsCode }) => runsCode);
  return running.length > 0 && !running.some((own) => holds.every((other) => other === own || isWithin(other, own)));
}

/** Whether the first may contact and write nothing that the second may not. What it reads, the line prints. */
function isWithin(one: Hold, other: Hold): boolean {
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
 * Whether code runs while git may write its own directory. The code can make a `commondir` there, a file that names other settings for
 * git: no confinement prevents that.
 */
export const isRecordOpenToCode = (holds: readonly Hold[]): boolean =>
  holds.some(({ repositories }) => repositories.length > 0) &&
  holds.some(({ runsCode, claims }) => runsCode || claims.some((path) => path.endsWith('/.git/commondir')));
