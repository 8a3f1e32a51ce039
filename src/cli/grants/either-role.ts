/**
 * Looks a grant up as the requester. If the grant is not the requester's, or the requester's client cannot be opened, a device with an
 * owner key looks the grant up as the owner.
 */
import type { Failure } from '../../core/failure.ts';
import type { Result } from '../../core/result.ts';
import type { GrantClient } from '../../grants/client.ts';
import type { CliContext } from '../context.ts';
import { withInstallation, withOwnerMessage } from '../opened.ts';

const NOT_OURS: ReadonlySet<string | undefined> = new Set(['grant.not_found', 'grant.not_yours']);

/** Can call `look` twice. So `look` must change nothing. If there is no owner key, returns the failure of the requester. */
export const asEitherRole = <T>(
  context: CliContext,
  look: (client: GrantClient) => Promise<Result<T, Failure>>,
): Promise<Result<T, Failure>> =>
  withInstallation(context, async (installation) => {
    const requester = context.openClient(installation, 'requester');
    const own = requester.ok ? await look(requester.value) : requester;
    if (own.ok || (requester.ok && !NOT_OURS.has(own.failure.detail))) return own;
    const owner = context.openClient(installation, 'owner');
    if (!owner.ok) return own;
    return withOwnerMessage(await look(owner.value));
  });
