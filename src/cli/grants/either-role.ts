/**
 * Looks something up as the requester; if it is not the requester's and there is an owner key here, again as the owner.
 */
import { type Failure, failure } from '../../core/failure.ts';
import { failed, type Result } from '../../core/result.ts';
import type { GrantClient } from '../../grants/client.ts';
import type { CliContext } from '../context.ts';

const NOT_OURS: ReadonlySet<string | undefined> = new Set(['grant.not_found', 'grant.not_yours']);

export async function asEitherRole<T>(
  context: CliContext,
  look: (client: GrantClient) => Promise<Result<T, Failure>>,
): Promise<Result<T, Failure>> {
  const installation = await context.openInstallation();
  if (!installation.ok) return installation;
  const requester = context.openClient(installation.value, 'requester');
  const own = requester.ok ? await look(requester.value) : requester;
  if (own.ok || (requester.ok && !NOT_OURS.has(own.failure.detail))) return own;
  const owner = context.openClient(installation.value, 'owner');
  if (!owner.ok) return own;
  const found = await look(owner.value);
  return found.ok || found.failure.detail !== 'grant.not_found' ? found : failed(NO_SUCH_GRANT);
}

const NO_SUCH_GRANT = failure(
  'refused',
  'refused: there is no such grant',
  'see `apes grants inbox`',
  'grant.not_found',
);
