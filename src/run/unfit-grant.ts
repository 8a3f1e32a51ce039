/** Checks whether this process can run the command of a grant that another process requested. */
import { existsSync } from 'node:fs';
import { type Failure, failure, nothingRan, seesHealth } from '../core/failure.ts';
import { isDoneByTool } from '../core/grant/request.ts';
import type { GrantView } from '../core/wire/grant-view.ts';
import { finalStateFailure } from '../grants/answers.ts';
import { systemClock } from '../platform/clock.ts';
import { currentHost, currentUser, fingerprintOf } from '../platform/surroundings.ts';
import { checkUnchanged, type ExecutionPlace } from './execute.ts';

/**
 * Returns null if this process can run the grant's command after an approval. Otherwise returns the first of these failures:
 * - the request that the server sent does not match the fingerprint
 * - the request is for another host or for another user
 * - the request is for a line of a session
 * - the grant has ended
 * - the request's directory is gone, or something that the request binds has changed
 *
 * For a plan and for a tool call, the last check is skipped: `apes` runs no command of a plan or of a tool call.
 */
export function checkFit(grant: GrantView, place: ExecutionPlace): Failure | null {
  const { request } = grant;
  if (fingerprintOf(request) !== grant.fingerprint)
    return nothingRan(
      seesHealth(
        failure('protocol', 'the grant server sent a request that does not match the fingerprint of the grant'),
      ),
    );
  if (request.host !== currentHost() || request.user !== currentUser())
    return failure(
      'refused',
      `refused: the grant is for ${request.user}@${request.host} (grant ${grant.id})`,
      'run it there',
    );
  if (request.kind === 'line')
    return failure(
      'usage',
      `grant ${grant.id} belongs to a line of an interactive session`,
      'type the line there again',
    );
  if (grant.state !== 'pending' && grant.state !== 'approved') return finalStateFailure(grant, systemClock.nowMs());
  if (isDoneByTool(request.kind)) return null;
  // This check comes before the use of the grant. So a missing directory does not use up a once grant.
  if (!existsSync(request.cwd))
    return failure(
      'system',
      `the directory of the request no longer exists: ${request.cwd} (grant ${grant.id})`,
      'ask again in the directory that is meant; the grant is not used',
    );
  return checkUnchanged(request, place);
}
