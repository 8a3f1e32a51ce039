/** Finds mounted remote file systems. A system call for a path on a remote file system may never return. */
import { readFileSync } from 'node:fs';

const REMOTE =
  /^(?:nfs4?|cifs|smb3?|smbfs|afs|coda|ceph|glusterfs|lustre|beegfs|gpfs|orangefs|pvfs2|ncpfs|davfs|autofs|fuse(?:\..*)?)$/;
/** FUSE file systems with files on this host. The process that serves any other FUSE file system may wait for another host. */
const LOCAL_FUSE =
  /^fuse\.(?:bindfs|encfs|fuse-overlayfs|gocryptfs|lxcfs|mergerfs|ntfs-3g|portal|snapfuse|squashfuse(?:_ll)?|unionfs(?:-fuse)?)$/;
/** Where macOS usually mounts remote file systems. Node cannot list the mounts of macOS. */
const USUAL_ON_DARWIN = ['/Volumes', '/Network', '/net'];

/**
 * Returns the mount points of remote file systems. Returns an empty list if the mounts cannot be read. On macOS, always returns the usual
 * directories.
 */
export function remoteMounts(): readonly string[] {
  if (process.platform === 'darwin') return USUAL_ON_DARWIN;
  try {
    return remoteMountsIn(readFileSync('/proc/self/mountinfo', 'utf8'));
  } catch {
    return [];
  }
}

/** @param text the text of a mountinfo file, proc_pid_mountinfo(5) */
export function remoteMountsIn(text: string): readonly string[] {
  return text.split('\n').flatMap((line) => {
    const [place = '', source = ''] = line.split(' - ');
    const mountPoint = place.split(' ')[4] ?? '';
    const type = source.split(' ')[0] ?? '';
    return REMOTE.test(type) && !LOCAL_FUSE.test(type) ? [unescaped(mountPoint)] : [];
  });
}

const unescaped = (text: string): string =>
  text.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));

/** Whether the path is one of the places, or lies below one of the places. */
export const isBelowAny = (path: string, places: readonly string[]): boolean =>
  places.some((place) => path === place || path.startsWith(`${place === '/' ? '' : place}/`));
