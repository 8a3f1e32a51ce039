/** Finds a grant by the beginning of its id, in the way git finds a commit. */
import { type Failure, failure } from '../core/failure.ts';
import { failed, type Result, success } from '../core/result.ts';
import { type GrantClient, listGrants } from './client.ts';

/** The fewest characters after `g_`. With fewer characters, a typing error could easily select another grant. */
const MIN_LENGTH = 4;
const BEGINNING = new RegExp(`^g_[a-z2-7]{${MIN_LENGTH},25}$`);

/**
 * Returns the whole id. Asks the server only if `given` has the form of a shortened id: `g_` and 4 to 25 characters. Returns every other
 * text, also a whole id, unchanged and unchecked. Searches the caller's grants; for an approver, all grants. Fails
 * - with 77, `grant.not_found`, if no id begins with `given`,
 * - with 64, `grant.ambiguous`, if several ids begin with `given`, or
 * - as `listGrants` does.
 */
export async function wholeGrantId(client: GrantClient, given: string): Promise<Result<string, Failure>> {
  if (!BEGINNING.test(given)) return success(given);
  const found = await listGrants(client, { idPrefix: given, limit: 2 });
  if (!found.ok) return found;
  const [first, second] = found.value.filter(({ id }) => id.startsWith(given));
  if (first === undefined)
    return failed(
      failure(
        'refused',
        `refused: no grant of yours begins with ${given}`,
        'see `apes grants list`',
        'grant.not_found',
      ),
    );
  return second === undefined
    ? success(first.id)
    : failed(failure('usage', `several grants begin with ${given}`, 'write more of the id', 'grant.ambiguous'));
}

/** Calls `act` with the whole id. If `wholeGrantId` fails, returns that failure. */
export async function withGrantId<T>(
  client: GrantClient,
  given: string,
  act: (id: string) => Promise<Result<T, Failure>>,
): Promise<Result<T, Failure>> {
  const id = await wholeGrantId(client, given);
  return id.ok ? act(id.value) : id;
}
