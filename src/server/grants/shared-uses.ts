/**
 * The fast path for the most frequent request: a standing grant covers exactly these bytes, and no rule forbids anything. Requests
 * that arrive at the same moment use their grants in one transaction. Every other request gets a transaction of its own.
 */
import { compareForUse, type Grant, transition } from '../../core/grant/grant.ts';
import { isDoneByTool } from '../../core/grant/request.ts';
import { type Result, success } from '../../core/result.ts';
import type { StoreWriter } from '../../store/store.ts';
import type { Refusal } from '../refusal.ts';
import { change, type ServerParts } from '../server-ports.ts';
import { Together } from '../together.ts';
import type { AskOutcome } from './ask-outcome.ts';
import type { Asked } from './asked.ts';
import { heldFacts, usedEvent, useOf } from './use.ts';

/** Null: this path used no grant; the caller has to look for one in a transaction of its own. */
export type SharedUses = Together<Asked, Result<AskOutcome | null, Refusal>>;

export const newSharedUses = (parts: () => ServerParts): SharedUses =>
  new Together(
    async (all) => {
      const used = await change(parts(), async (rows) => success(await useTogether(parts(), rows, all)));
      return all.map((asked) => (used.ok ? success(used.value.get(asked) ?? null) : used));
    },
    // A grant that one transaction has locked is left out by the other: its request would take the slow path.
    { keyOf: (asked: Asked) => nameOf(asked) },
  );

async function useTogether(
  { standing, clock }: Pick<ServerParts, 'standing' | 'clock'>,
  rows: StoreWriter,
  all: readonly Asked[],
): Promise<ReadonlyMap<Asked, AskOutcome>> {
  await standing.inStep(rows);
  const lines = all.filter(({ request }) => !isDoneByTool(request.kind));
  if (standing.hasDenies || lines.length === 0) return new Map();
  const paused = await rows.pausedAmong([...new Set(lines.map(({ requesterId }) => requesterId))]);
  const nowMs = clock.nowMs();
  const free = lines.filter(({ requesterId }) => !paused.has(requesterId));
  const held = new HeldGrants(await rows.holdGrantsFor(distinct(free), nowMs));
  const used = free.flatMap((asked) => held.use(asked, nowMs) ?? []);
  if (used.length === 0) return new Map();
  await rows.countUses(held.used);
  const newest = used.some(({ grant }) => grant.sealed !== undefined) ? await rows.approversSequence() : null;
  return new Map(
    used.map(({ asked, grant }) => {
      rows.record(usedEvent(grant, nowMs, heldFacts(grant)));
      const use = useOf(grant, asked.fingerprint);
      return [asked, { kind: 'permitted', use, approversSequence: use.seals === null ? null : newest }];
    }),
  );
}

type SameRequest = Pick<Asked, 'requesterId' | 'fingerprint'>;
const nameOf = ({ requesterId, fingerprint }: SameRequest): string => `${requesterId}/${fingerprint}`;
const distinct = (all: readonly Asked[]): readonly SameRequest[] => [
  ...new Map(all.map((asked) => [nameOf(asked), asked])).values(),
];

/** The grants whose rows this transaction has locked; a second use of a grant starts from the state after the first. */
class HeldGrants {
  readonly #byRequest = new Map<string, Grant[]>();
  readonly #used = new Map<string, { readonly grant: Grant; readonly uses: number }>();

  constructor(grants: readonly Grant[]) {
    for (const grant of grants.filter(isStandingForItself).toSorted(compareForUse)) {
      const same = this.#byRequest.get(nameOf(grant)) ?? [];
      this.#byRequest.set(nameOf(grant), [...same, grant]);
    }
  }

  /** Uses a grant for this request; null when none of them may be used for it. */
  use(asked: Asked, nowMs: number): { readonly asked: Asked; readonly grant: Grant } | null {
    const counts = ({ sealed }: Grant): boolean => sealed !== undefined || asked.body.sealedOnly !== true;
    const held = this.#byRequest.get(nameOf(asked))?.find(counts);
    if (held === undefined) return null;
    const { grant: before, uses } = this.#used.get(held.id) ?? { grant: held, uses: 0 };
    const after = transition(before, { kind: 'use' }, nowMs);
    if (!after.ok) return null;
    this.#used.set(held.id, { grant: after.value, uses: uses + 1 });
    return { asked, grant: after.value };
  }

  /** Each grant that was used, after its last use. */
  get used(): readonly { readonly grant: Grant; readonly uses: number }[] {
    return [...this.#used.values()];
  }
}

/** Grants with a scope, and grants for one use, take the other path. */
const isStandingForItself = ({ term, scope }: Grant): boolean =>
  scope === null && term !== null && term.kind !== 'once';
