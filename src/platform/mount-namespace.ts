/** The mount namespace decides which file a path names for a process (mount_namespaces(7)). */
import { statSync } from 'node:fs';

/**
 * Returns the inode number of this process's mount namespace; `0` if the number cannot be read. The resident gate serves only a launcher
 * that sends the same number.
 */
export function mountNamespace(): string {
  try {
    return String(statSync('/proc/self/ns/mnt', { bigint: true }).ino);
  } catch {
    return '0';
  }
}
