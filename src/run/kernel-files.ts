/** Files whose content the kernel generates. The content can differ between processes, and so between bash and the gate. */
import { walkPath } from '../platform/path-walk.ts';

const PLACES = /^\/(?:proc|sys|dev)$/;

/** Whether the path, with all its symbolic links, goes through /proc, /sys or /dev; true also for more than 40 links. @param path absolute */
export const goesThroughKernelFiles = (path: string): boolean =>
  walkPath(path, (place) => PLACES.test(place)).kind !== 'end';
