/** `apes owner delegate`: shows, makes and ends delegations in the database of this installation's server. */
import type { Failure } from '../../core/failure.ts';
import { failure } from '../../core/failure.ts';
import { failed, type Result } from '../../core/result.ts';
import { formatTimeLeft } from '../../core/text/duration.ts';
import { visibleLine } from '../../core/text/visible-text.ts';
import type { PeopleRules, PersonView } from '../../core/wire/people.ts';
import { systemClock } from '../../platform/clock.ts';
import type { Store } from '../../store/store.ts';
import type { CliContext } from '../context.ts';
import { answering, type Ending, failing } from '../ending.ts';
import { withOwnDatabase } from '../server/own-server.ts';

/**
 * @property for in ms; the delegation ends after this time
 * @property end ends the delegation now
 */
export interface DelegateOptions {
  readonly for?: number;
  readonly end?: true;
}

interface RulesAndPeople {
  readonly rules: PeopleRules;
  readonly people: readonly PersonView[];
}

/**
 * Makes the wanted change, and then lists the delegations. If `from` is null, only lists the delegations, and ignores `to` and the options.
 * If `from` is given, the call fails (64) unless `to` and exactly one of the two options are given.
 * @param from name or whole id of the person who delegates
 * @param to   name or whole id of the person who may decide for `from`
 */
export async function delegate(
  context: CliContext,
  from: string | null,
  to: string | null,
  options: DelegateOptions,
): Promise<Ending> {
  const nowMs = systemClock.nowMs();
  const found = await withOwnDatabase(context, async (store): Promise<Result<RulesAndPeople, Failure>> => {
    const { allPeople } = await import('../../server/identity/device-administration.ts');
    const { readPeopleRules } = await import('../../server/identity/people-administration.ts');
    const rules =
      from === null ? await readPeopleRules(store) : await changeDelegation(store, { from, to, options, nowMs });
    if (!rules.ok) return rules;
    const people = await allPeople(store);
    return people.ok ? { ok: true, value: { rules: rules.value, people: people.value } } : people;
  });
  if (!found.ok) return failing(found.failure);
  const { rules, people } = found.value;
  const live = rules.delegations.filter(({ untilMs }) => untilMs > nowMs);
  const nameOf = (id: string) => visibleLine(people.find((each) => each.id === id)?.name ?? id);
  const lines = live.map(
    (each) =>
      `${nameOf(each.to)} may decide for ${nameOf(each.from)}; this ends in ${formatTimeLeft(each.untilMs - nowMs)}\n`,
  );
  return answering({ delegations: live }, lines.length === 0 ? 'no delegations\n' : lines.join(''));
}

async function changeDelegation(
  store: Store,
  wanted: {
    readonly from: string;
    readonly to: string | null;
    readonly options: DelegateOptions;
    readonly nowMs: number;
  },
): Promise<Result<PeopleRules, Failure>> {
  const { personId, setDelegation } = await import('../../server/identity/people-administration.ts');
  const { from, to, options, nowMs } = wanted;
  const { for: lastsMs, end } = options;
  if (to === null || (lastsMs === undefined) === (end === undefined))
    return failed(
      failure(
        'usage',
        'a delegation needs two people, and either --for or --end',
        'apes owner delegate Ada Grace --for 8h lets Grace decide for Ada',
      ),
    );
  const [giver, taker] = [await personId(store, from), await personId(store, to)];
  if (!giver.ok) return giver;
  if (!taker.ok) return taker;
  const untilMs = lastsMs === undefined ? null : nowMs + lastsMs;
  return setDelegation(store, { from: giver.value, to: taker.value, untilMs }, { nowMs });
}
