/**
 * The fast path for the most frequent case: a standing grant is for exactly the request, and the server has no policy that forbids
 * anything. Such requests share one call of the store if they arrive together. Every other request gets a transaction of its own.
 */
import type { AuditEvent } from '../../core/grant/audit-event.ts';
import { compareForUse, type Grant, hasNeededSeal, isTermOver, transition } from '../../core/grant/grant.ts';
import { isDoneByTool } from '../../core/grant/request.ts';
import { type Result, success } from '../../core/result.ts';
import { type DecideUses, requestKey, type SameRequest, type UsedGrant } from '../../store/standing-uses.ts';
import { Coalescer } from '../coalescer.ts';
import type { Refusal } from '../refusal.ts';
import { delivered, read, type ServerParts } from '../server-ports.ts';
import type { AskOutcome } from './ask-outcome.ts';
import type { Asked } from './asked.ts';
import { confinementFacts, usedEvent, useOf } from './use.ts';

/** The result for a request is null if no grant was used for the request. The caller then decides this request in its own transaction. */
export type SharedUses = Coalescer<Asked, Result<AskOutcome | null, Refusal>>;

export const newSharedUses = (parts: () => ServerParts): SharedUses =>
  new Coalescer(
    async (all) => {
      const used = await useTogether(parts(), all);
      return all.map((asked) => (used.ok ? success(used.value.get(asked) ?? null) : used));
    },
    // Equal requests never run in two batches at the same time. Two such batches would read the same grant. The second write could fail, and
    // all requests of its batch would take the slow path.
    { keyOf: (asked: Asked) => requestKey(asked) },
  );

type Outcomes = ReadonlyMap<Asked, AskOutcome>;
const NONE: Outcomes = new Map();

async function useTogether(parts: ServerParts, all: readonly Asked[]): Promise<Result<Outcomes, Refusal>> {
  const { standing, clock, store } = parts;
  const lines = all.filter(({ request }) => !isDoneByTool(request.kind));
  while (lines.length > 0 && !standing.hasDenies) {
    const { asOf } = standing;
    if (asOf !== null) {
      const nowMs = clock.nowMs();
      const question = { requests: distinct(lines), after: asOf, nowMs };
      const used = await delivered(parts, store.useStanding(question, chooseGrants(parts, lines, nowMs)));
      if (!used.ok) return used;
      const { value: permitted, counted } = used.value;
      if (permitted !== 'look again')
        // The term can end while the database is busy. The use is then on record, but the requester gets no permit for the use.
        return success(
          new Map(permitted.filter(([, { use }]) => counted.has(use.grantId) && !isTermOver(use.term, clock.nowMs()))),
        );
    }
    const followed = await read(parts, async (rows) => success(await standing.catchUp(rows)));
    if (!followed.ok) return followed;
  }
  return success(NONE);
}

type Permitted = readonly [Asked, AskOutcome & { readonly kind: 'permitted' }];

/**
 * Returns the function that chooses the grants for these requests. The function returns `look again` if `standing` may be out of date, or
 * if a policy now forbids requests.
 */
const chooseGrants =
  (
    { standing }: Pick<ServerParts, 'standing'>,
    lines: readonly Asked[],
    nowMs: number,
  ): DecideUses<readonly Permitted[] | 'look again'> =>
  ({ hasChanges, stopped, grants, approversSequence }) => {
    if (hasChanges || standing.hasDenies) return { used: [], value: 'look again' };
    const found = new FoundGrants(grants);
    const permitted = lines
      .filter(({ requesterId }) => !stopped.has(requesterId))
      .flatMap((asked): readonly Permitted[] => {
        const grant = found.use(asked, nowMs);
        if (grant === null) return [];
        const use = useOf(grant, asked.fingerprint);
        return [[asked, { kind: 'permitted', use, approversSequence: use.seals === null ? null : approversSequence }]];
      });
    return { used: found.used, value: permitted };
  };

const distinct = (all: readonly Asked[]): readonly SameRequest[] => [
  ...new Map(all.map((asked) => [requestKey(asked), asked])).values(),
];

/** The grants that the store found. A second use of a grant starts from the state after the first use. */
class FoundGrants {
  readonly #byRequest = new Map<string, Grant[]>();
  readonly #used = new Map<string, { readonly grant: Grant; readonly events: AuditEvent[] }>();

  constructor(grants: readonly Grant[]) {
    for (const grant of grants.filter(isForFastPath).toSorted(compareForUse)) {
      const same = this.#byRequest.get(requestKey(grant)) ?? [];
      this.#byRequest.set(requestKey(grant), [...same, grant]);
    }
  }

  /** Uses a grant for this request, and returns the grant in its state after the use; null if no grant may be used for the request. */
  use(asked: Asked, nowMs: number): Grant | null {
    const isSealedOnly = asked.body.sealedOnly === true;
    const found = this.#byRequest.get(requestKey(asked))?.find((grant) => hasNeededSeal(grant, isSealedOnly));
    if (found === undefined) return null;
    const { grant: before, events } = this.#used.get(found.id) ?? { grant: found, events: [] };
    const after = transition(before, { kind: 'use' }, nowMs);
    if (!after.ok) return null;
    events.push(usedEvent(after.value, nowMs, confinementFacts(after.value)));
    this.#used.set(found.id, { grant: after.value, events });
    return after.value;
  }

  /** Returns each used grant in its state after the grant's last use. */
  get used(): readonly UsedGrant[] {
    return [...this.#used.values()].map((each) => ({ ...each, uses: each.events.length }));
  }
}

/** Whether the grant may be used on the fast path: it has a term for more than one use, and no scope. */
export const isForFastPath = ({ term, scope }: Grant): boolean =>
  scope === null && term !== null && term.kind !== 'once';
