/** Certificate authorities that this installation accepts for an https grant server, besides those of Node. */
import { readFileSync } from 'node:fs';
import { type Failure, failure } from '../core/failure.ts';
import { failed, type Result, success } from '../core/result.ts';
import type { Installation } from './installation.ts';

/**
 * Returns the PEM text of the file that `server.ca_file` names, or else of the file that the caller's NODE_EXTRA_CA_CERTS names. Returns null
 * if `url` is not https, if no file is named, or if the file of NODE_EXTRA_CA_CERTS cannot be read, which is no error for Node either. Fails
 * (78) if `server.ca_file` cannot be read. Node itself does not see NODE_EXTRA_CA_CERTS, because it runs without the caller's environment.
 */
export function readAuthorities(
  installation: Pick<Installation, 'caller' | 'settings'>,
  url: string,
): Result<string | null, Failure> {
  const named = installation.settings.server.caFile;
  const file = named ?? installation.caller.environment.get('NODE_EXTRA_CA_CERTS')?.toString('utf8') ?? null;
  if (file === null || !url.startsWith('https:')) return success(null);
  try {
    return success(readFileSync(file, 'utf8'));
  } catch {
    return named === null ? success(null) : failed(failure('configuration', `server.ca_file cannot be read: ${file}`));
  }
}
