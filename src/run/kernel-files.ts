/** Files whose content the kernel generates. The content can differ between processes, and so between bash and the gate. */
import { lstatSync, readlinkSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

const PLACES = /^\/(?:proc|sys|dev)(?:\/|$)/;
const MAX_LINKS = 40;

/** Whether the path, with all its symbolic links, goes through /proc, /sys or /dev; true also for more than 40 links. @param path absolute */
export function goesThroughKernelFiles(path: string): boolean {
  let left = path.split('/').filter((part) => part !== '');
  let at = '/';
  for (let links = 0; ; ) {
    if (PLACES.test(at)) return true;
    const [part, ...rest] = left;
    if (part === undefined) return false;
    const next = resolve(at, part);
    left = rest;
    const target = targetOf(next);
    if (target === null) at = next;
    else {
      links += 1;
      if (links > MAX_LINKS) return true;
      left = [
        ...resolve(dirname(next), target)
          .split('/')
          .filter((each) => each !== ''),
        ...rest,
      ];
      at = '/';
    }
  }
}

function targetOf(path: string): string | null {
  try {
    return lstatSync(path).isSymbolicLink() ? readlinkSync(path) : null;
  } catch {
    return null;
  }
}
