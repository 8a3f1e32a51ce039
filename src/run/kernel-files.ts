/** Recognises files whose content the kernel generates. Bash and the gate can see different contents of such a file. */
import { walkPath } from '../platform/path-walk.ts';

const PLACES = /^\/(?:proc|sys|dev)$/;

/**
 * Whether the path leads through /proc, /sys or /dev, by itself or by a symbolic link. True also for a path with more than 40 links.
 * @param path absolute
 */
export const goesThroughKernelFiles = (path: string): boolean =>
  walkPath(path, (place) => PLACES.test(place)).kind !== 'end';
