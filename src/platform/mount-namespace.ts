/** The mount namespace decides which file a path names for a process (mount_namespaces(7)). */
import { statSync } from 'node:fs';

/** The inode number of this process's mount namespace; 0 if it cannot be read. `bin/launcher.c` sends the number of its own namespace. */
export function mountNamespace(): string {
  try {
    return String(statSync('/proc/self/ns/mnt', { bigint: true }).ino);
  } catch {
    return '0';
  }
}
