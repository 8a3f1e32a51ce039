/**
 * `apes grants list` and `apes grants inbox`. `list` prints at most `limit` requests. If there are more requests, `list` also prints the
 * command that lists the next requests. `inbox` prints all pending requests.
 */
import type { Failure } from '../../core/failure.ts';
import type { GrantState } from '../../core/grant/grant.ts';
import { failed, type Result, success } from '../../core/result.ts';
import type { GrantView } from '../../core/wire/grant-view.ts';
import { fetchGrant, type GrantClient, listGrants } from '../../grants/client.ts';
import { withGrantId } from '../../grants/grant-id.ts';
import { systemClock } from '../../platform/clock.ts';
import type { CliContext } from '../context.ts';
import { answering, answeringPage, type Ending, failing } from '../ending.ts';
import { withClient } from '../opened.ts';
import { grantTable } from './grant-text.ts';
import { rememberShown } from './shown-requests.ts';

/**
 * @property state  absent: requests in every state
 * @property before the id of a request, or the beginning of its id. Only requests older than that request are listed
 */
export interface ListOptions {
  readonly state?: GrantState;
  readonly limit: number;
  readonly before?: string;
}

/** The most grants that the server sends at once. */
export const MAX_GRANTS_AT_ONCE = 200;

/** Lists the requests of this host's requester, the newest first. */
export async function listOwn(context: CliContext, options: ListOptions): Promise<Ending> {
  const { limit } = options;
  const found = await withClient(context, 'requester', async (client) => {
    const start = options.before === undefined ? success(null) : await fetchByPrefix(client, options.before);
    return start.ok ? readNewest(client, options.state, start.value, limit) : start;
  });
  if (!found.ok) return failing(found.failure);
  const { grants, hasMore } = found.value;
  const next = hasMore ? (grants.at(-1)?.id ?? null) : null;
  const state = options.state === undefined ? '' : ` --state ${options.state}`;
  if (next !== null)
    context.err(`apes: there are older requests: apes grants list${state} --limit ${limit} --before ${next}\n`);
  return answeringPage(grants, tableOf(context, grants), next);
}

/**
 * Lists all pending requests, however many there are: an approver must not miss a request. Remembers which requests were shown
 * (`rememberShown`).
 * @param isJson true: each request is printed in full; false: each request is one row
 */
export async function listInbox(context: CliContext, isJson: boolean): Promise<Ending> {
  const found = await withClient(context, 'owner', async (client) => {
    const pending = await readNewest(client, 'pending', null, Number.POSITIVE_INFINITY);
    if (pending.ok) rememberShown(client, pending.value.grants, isJson);
    return pending;
  });
  if (!found.ok) return failing(found.failure);
  return answering(found.value.grants, tableOf(context, found.value.grants));
}

const fetchByPrefix = (client: GrantClient, given: string) =>
  withGrantId(client, given, (id) => fetchGrant(client, id));

function tableOf(context: CliContext, grants: readonly GrantView[]): string {
  const columns = context.isTerminal(1) ? (process.stdout.columns ?? 80) : null;
  return grantTable(grants, systemClock.nowMs(), columns, context.paint);
}

interface Found {
  readonly grants: readonly GrantView[];
  readonly hasMore: boolean;
}

/**
 * Reads the newest `limit` grants older than `start`, page by page. If several grants were made in the same millisecond, two pages can
 * contain the same grant. The result contains this grant only once.
 * @param start null: begins with the newest of all grants
 */
async function readNewest(
  client: GrantClient,
  state: string | undefined,
  start: GrantView | null,
  limit: number,
): Promise<Result<Found, Failure>> {
  const seen = new Set<string>(start === null ? [] : [start.id]);
  const grants: GrantView[] = [];
  let beforeMs = start === null ? undefined : start.createdAtMs + 1;
  let isPastStart = start === null;
  while (grants.length <= limit) {
    const page = await listGrants(client, {
      limit: MAX_GRANTS_AT_ONCE,
      ...(state === undefined ? {} : { state }),
      ...(beforeMs === undefined ? {} : { beforeMs }),
    });
    if (!page.ok) return failed(page.failure);
    const at = isPastStart ? -1 : page.value.findIndex(({ id }) => id === start?.id);
    const fresh = page.value.slice(at + 1).filter(({ id }) => !seen.has(id));
    isPastStart = true;
    for (const grant of fresh) seen.add(grant.id);
    grants.push(...fresh);
    const last = page.value.at(-1);
    if (page.value.length < MAX_GRANTS_AT_ONCE || last === undefined) break;
    beforeMs = fresh.length === 0 ? last.createdAtMs : last.createdAtMs + 1;
  }
  return success({ grants: grants.slice(0, limit), hasMore: grants.length > limit });
}
