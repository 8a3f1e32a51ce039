/** Which files a process sees under which names (mount_namespaces(7)). */
import { statSync } from 'node:fs';

/** The number of this process's mount namespace, as `bin/launcher.c` tells its own; 0 where there is none to see. */
export function mountNamespace(): string {
  try {
    return String(statSync('/proc/self/ns/mnt', { bigint: true }).ino);
  } catch {
    return '0';
  }
}
