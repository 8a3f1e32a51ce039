/** Certificate authorities that this installation accepts for an https grant server, besides those of Node. */
import { readFileSync } from 'node:fs';
import { type Failure, failure } from '../core/failure.ts';
import { failed, type Result, success } from '../core/result.ts';
import type { Installation } from './installation.ts';

/**
 * Returns the PEM text of the file that `server.ca_file` names. If `server.ca_file` is not set, takes the file that the caller's
 * NODE_EXTRA_CA_CERTS names. (Node itself does not see this variable, because Node runs without the caller's environment.) Returns null if
 * `url` is not https, or if no file is named. Fails (78) if the file of `server.ca_file` cannot be read. If the file of NODE_EXTRA_CA_CERTS
 * cannot be read, returns null: Node ignores such a file too.
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
