/** `apes owner requesters pause`, `resume` and `revoke`: use the owner key to change one requester, or all requesters of a host. */
import { failure } from '../../core/failure.ts';
import { success } from '../../core/result.ts';
import { visibleLine } from '../../core/text/visible-text.ts';
import { postHostChange, postRequesterChange, type RequesterChange } from '../../grants/requesters.ts';
import type { CliContext } from '../context.ts';
import { answering, type Ending, failing } from '../ending.ts';
import { orFailing, withClient } from '../opened.ts';

const DONE = { pause: 'paused', resume: 'resumed', revoke: 'revoked' } as const;

/**
 * Fails (64) if both `id` and `host` are given, or neither.
 * @param id the id of one requester
 * @param host the name of a host; all requesters of this host are changed
 */
export async function changeRequesters(
  context: CliContext,
  id: string | undefined,
  host: string | undefined,
  change: RequesterChange,
): Promise<Ending> {
  const done = DONE[change.verb];
  if (id !== undefined && host === undefined)
    return orFailing(
      withClient(context, 'owner', async (client) => {
        const changed = await postRequesterChange(client, id, change);
        return changed.ok ? success(answering({ requesterIds: [id] }, `${done}: ${visibleLine(id)}\n`)) : changed;
      }),
    );
  if (id !== undefined || host === undefined)
    return failing(
      failure('usage', 'say which requesters', 'write an id of `apes owner requesters list`, or --host NAME'),
    );
  return orFailing(
    withClient(context, 'owner', async (client) => {
      const changed = await postHostChange(client, host, change);
      if (!changed.ok) return changed;
      const { requesterIds, changedIds } = changed.value;
      const unchanged = requesterIds.length - changedIds.length;
      const rest = unchanged === 0 ? '' : `; ${unchanged} ${whyUnchanged(change)}`;
      const text = `${done}: ${changedIds.length} on ${visibleLine(host)}${rest}\n`;
      return success(answering(changed.value, text));
    }),
  );
}

const whyUnchanged = ({ verb }: RequesterChange): string =>
  verb === 'resume' ? 'were not paused' : `were ${DONE[verb]} before`;
