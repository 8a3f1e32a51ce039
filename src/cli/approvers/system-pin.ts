/** Writes the pin that counts for all users of this machine. Only root can write this pin. */
import { randomUUID } from 'node:crypto';
import { chmodSync, linkSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { type Failure, failure } from '../../core/failure.ts';
import { type PinContent, pinText, SYSTEM_PIN } from '../../grants/approver-pin.ts';
import { errorCode } from '../../platform/private-files.ts';

/**
 * Writes the pin. All users can read the written file, but only root can write to the file. Returns null, or why the pin cannot be written.
 * @param how `first`: fails if the file exists, even if another process has just made it; `replace`: replaces an existing file
 */
export function writeSystemPin(pin: PinContent, how: 'first' | 'replace', path: string = SYSTEM_PIN): Failure | null {
  const fresh = `${path}.${randomUUID()}.new`;
  try {
    const made = mkdirSync(dirname(path), { recursive: true, mode: 0o755 });
    // All users have to read the pin, even if root's umask forbids new files that all users can read.
    if (made !== undefined) chmodSync(dirname(path), 0o755);
    writeFileSync(fresh, pinText(pin), { mode: 0o644, flag: 'wx', flush: true });
    chmodSync(fresh, 0o644);
    if (how === 'first') linkSync(fresh, path);
    else renameSync(fresh, path);
    return null;
  } catch (error) {
    const code = errorCode(error);
    const isForbidden = code === 'EACCES' || code === 'EPERM';
    return failure('system', `cannot write ${path} (${code})`, isForbidden ? 'call this command as root' : undefined);
  } finally {
    rmSync(fresh, { force: true });
  }
}
