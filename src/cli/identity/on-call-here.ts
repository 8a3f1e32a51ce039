/** `apes owner on-call`: shows and sets who is notified first in each week. Uses the database of this installation's server. */
import { failure } from '../../core/failure.ts';
import { lastMonday, onCallAt } from '../../core/people/on-call.ts';
import { failed, type Result, success } from '../../core/result.ts';
import { formatTimeLeft } from '../../core/text/duration.ts';
import { visibleLine } from '../../core/text/visible-text.ts';
import type { Rota } from '../../core/wire/people.ts';
import { systemClock } from '../../platform/clock.ts';
import type { Store } from '../../store/store.ts';
import type { CliContext } from '../context.ts';
import { answering, type Ending, failing } from '../ending.ts';
import { withOwnDatabase } from '../server/own-server.ts';

/**
 * @property from when the first week begins, such as `2026-11-30T09:00` (default: the most recent Monday at 9:00)
 * @property zone the time zone of `from`, such as `Europe/Berlin` (default: the zone of this machine)
 * @property then how long (ms) a request waits before the other approvers are notified too (default: 15 minutes)
 * @property end  ends the on-call weeks; not allowed if persons are named
 */
export interface OnCallOptions {
  readonly from?: string;
  readonly zone?: string;
  readonly then?: number;
  readonly end?: true;
}

const MINUTE_MS = 60_000;
const DEFAULT_THEN_MS = 15 * MINUTE_MS;

/**
 * @param persons names or ids, in the order of their weeks. If there are no persons and `end` is absent, the weeks are only shown. If there
 *                are no persons, each of the options `from`, `zone` and `then` is an error
 */
export async function onCall(context: CliContext, persons: readonly string[], options: OnCallOptions): Promise<Ending> {
  const nowMs = systemClock.nowMs();
  const isChange = persons.length > 0 || options.end === true;
  if (persons.length === 0 && (options.from ?? options.zone ?? options.then) !== undefined)
    return failing(
      options.end === true
        ? failure('usage', '--end takes no other option', 'leave out --end, or the other options')
        : failure('usage', 'no person is named', 'apes owner on-call Ada Grace --from 2026-11-30T09:00'),
    );
  const found = await withOwnDatabase(context, async (store) => {
    const { allPeople } = await import('../../server/identity/device-administration.ts');
    const { readRota, writeRota } = await import('../../server/identity/people-administration.ts');
    const wanted =
      !isChange || (options.end === true && persons.length === 0)
        ? success(null)
        : await rotaFrom(store, persons, options, nowMs);
    if (!wanted.ok) return wanted;
    const rota = isChange ? await writeRota(store, wanted.value, { nowMs }) : await readRota(store);
    if (!rota.ok) return rota;
    const people = await allPeople(store);
    return people.ok ? success({ rota: rota.value, people: people.value }) : people;
  });
  if (!found.ok) return failing(found.failure);
  const { rota, people } = found.value;
  const nameOf = (id: string) => visibleLine(people.find((each) => each.id === id)?.name ?? id);
  const now = rota === null ? null : onCallAt(rota, nowMs);
  return answering({ rota, now }, onCallText(rota, now, nameOf, nowMs));
}

function onCallText(
  rota: Rota | null,
  now: ReturnType<typeof onCallAt>,
  nameOf: (id: string) => string,
  nowMs: number,
): string {
  if (rota === null) return 'no on-call weeks: each approver is notified at once\n';
  const { persons, from, timeZone, thenMinutes } = rota;
  const duty =
    now === null
      ? `the first week begins ${from}`
      : `${nameOf(now.personId)} is on call for another ${formatTimeLeft(now.untilMs - nowMs)}`;
  const weeks = `weeks in turn from ${from} ${timeZone}: ${persons.map(nameOf).join(', ')}`;
  return `${duty}\n${weeks}; the others are notified after ${thenMinutes} min\n`;
}

async function rotaFrom(
  store: Store,
  names: readonly string[],
  { from, zone, then = DEFAULT_THEN_MS, end }: OnCallOptions,
  nowMs: number,
): Promise<Result<Rota, ReturnType<typeof failure>>> {
  if (end === true) return failed(failure('usage', '--end takes no persons', 'leave out --end, or the persons'));
  const { personId } = await import('../../server/identity/people-administration.ts');
  const timeZone = zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
  const persons: string[] = [];
  for (const name of names) {
    const id = await personId(store, name);
    if (!id.ok) return id;
    persons.push(id.value);
  }
  return success({
    persons,
    from: from ?? lastMonday(timeZone, nowMs),
    timeZone,
    thenMinutes: Math.round(then / MINUTE_MS),
  });
}
