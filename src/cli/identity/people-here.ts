/** `apes owner people`: lists and changes people in the database of this installation's server. Only `invite` needs a running server. */
import { type Failure, failure } from '../../core/failure.ts';
import { limitsText } from '../../core/people/limits-text.ts';
import { failed, type Result, success } from '../../core/result.ts';
import { visibleLine } from '../../core/text/visible-text.ts';
import type { Limits } from '../../core/wire/limits.ts';
import type { PersonView } from '../../core/wire/people.ts';
import { systemClock } from '../../platform/clock.ts';
import type { Store } from '../../store/store.ts';
import type { CliContext } from '../context.ts';
import { answering, type Ending, failing } from '../ending.ts';
import { withOwnDatabase, withOwnServer } from '../server/own-server.ts';
import { day } from './devices-here.ts';
import type { PersonOptions } from './owner-people.ts';

/** Loads the code of the server only when a verb needs this code. */
const administration = () => import('../../server/identity/device-administration.ts');
const peopleAdministration = () => import('../../server/identity/people-administration.ts');

const now = () => ({ nowMs: systemClock.nowMs() });

export async function peopleList(context: CliContext): Promise<Ending> {
  const found = await withOwnDatabase(context, async (store) => (await administration()).allPeople(store));
  if (!found.ok) return failing(found.failure);
  return answering(
    { people: found.value },
    found.value.length === 0
      ? 'no people yet: apes owner link prints a sign-in link for the owner\n'
      : found.value.map(personText).join(''),
  );
}

function personText({ id, name, passkeys, createdAtMs, revokedAtMs, role, limits, own }: PersonView): string {
  const state = revokedAtMs === null ? '' : `, revoked ${day(revokedAtMs)}`;
  const kind = role === 'auditor' ? ', auditor' : limits === null ? '' : `, ${visibleLine(limitsText(limits))}`;
  const theirs = own.length === 0 ? '' : `, owns ${own.join(' ')}`;
  return `${id}  ${visibleLine(name)}, since ${day(createdAtMs)}, devices: ${passkeys}${kind}${theirs}${state}\n`;
}

export async function personInvite(context: CliContext, name: string, options: PersonOptions): Promise<Ending> {
  const { role = 'approver' } = options;
  const invited = await withOwnServer(context, async ({ publicUrl }) => {
    const made = await withOwnDatabase(context, async (store) => {
      const limits = await limitsFrom(store, options, null);
      if (!limits.ok) return limits;
      if (role === 'auditor' && limits.value !== null) return failed(noLimits);
      return (await peopleAdministration()).invitePerson(store, name, role, limits.value, now());
    });
    return made.ok ? success({ ...made.value, publicUrl }) : made;
  });
  if (!invited.ok) return failing(invited.failure);
  const { personId, token, expiresAtMs, publicUrl } = invited.value;
  const signInUrl = `${publicUrl}/sign-in/${token}`;
  const does = role === 'auditor' ? 'sees everything' : 'decides';
  return answering(
    { personId, signInUrl, expiresAtMs },
    `For ${name} (one use, within 24 hours; the person who opens it ${does} from then on):\n  ${signInUrl}\n`,
  );
}

const noLimits = failure(
  'usage',
  'an auditor decides nothing, so an auditor has no limits',
  'leave --requesters, --hosts and --up-to out',
);

/** @param text the id or the unique name of a person */
export async function personSet(context: CliContext, text: string, options: PersonOptions): Promise<Ending> {
  if (Object.keys(options).every((name) => name === 'json'))
    return failing(
      failure('usage', 'no change is named', 'name one, such as --up-to medium; see apes owner people set --help'),
    );
  const set = await withOwnDatabase(context, async (store) => {
    const { personId, readPeopleRules, requesterIds, setPerson } = await peopleAdministration();
    const id = await personId(store, text);
    if (!id.ok) return id;
    const rules = await readPeopleRules(store);
    if (!rules.ok) return rules;
    const before = rules.value.persons.find((each) => each.id === id.value)?.limits ?? null;
    const limits = options.unlimited === true ? success(null) : await limitsFrom(store, options, before);
    if (!limits.ok) return limits;
    const own = options.own === undefined ? null : await ownRequesters(store, options.own, requesterIds);
    if (own !== null && !own.ok) return own;
    const { role } = options;
    const change = {
      ...(role === undefined ? {} : { role }),
      ...(own === null ? {} : { own: own.value }),
      limits: limits.value,
    };
    const done = await setPerson(store, id.value, change, now());
    if (!done.ok) return done;
    const people = await (await administration()).allPeople(store);
    return people.ok ? success(people.value.find((person) => person.id === id.value)) : people;
  });
  if (!set.ok) return failing(set.failure);
  const person = set.value;
  return answering({ person: person ?? null }, person === undefined ? '' : personText(person));
}

async function ownRequesters(
  store: Store,
  own: NonNullable<PersonOptions['own']>,
  find: (store: Store, texts: readonly string[]) => Promise<Result<readonly string[], Failure>>,
): Promise<Result<readonly string[], Failure>> {
  if (own === 'all')
    return failed(failure('usage', '--own takes names of requesters', 'write --own one,two or --own none'));
  return own.length === 1 && own[0] === 'none' ? success([]) : find(store, own);
}

/**
 * Applies the options to the limits `before`, and returns the new limits. An absent option changes nothing. If the result would limit
 * nothing, returns null (no limits). Limits that allow every request would still be limits, and an approver with limits has fewer rights.
 */
async function limitsFrom(
  store: Store,
  { requesters, hosts, upTo }: PersonOptions,
  before: Limits | null,
): Promise<Result<Limits | null, Failure>> {
  if (requesters === undefined && hosts === undefined && upTo === undefined) return success(before);
  const { requesterIds } = await peopleAdministration();
  const ids = requesters === undefined || requesters === 'all' ? null : await requesterIds(store, requesters);
  if (ids !== null && !ids.ok) return ids;
  const limits: Limits = {
    requesters: requesters === undefined ? (before?.requesters ?? null) : (ids?.value ?? null),
    hosts: hosts === undefined ? (before?.hosts ?? null) : hosts === 'all' ? null : hosts,
    upTo: upTo ?? before?.upTo ?? 'critical',
  };
  const isLimited = limits.requesters !== null || limits.hosts !== null || limits.upTo !== 'critical';
  return success(isLimited ? limits : null);
}

/** @param id the whole id of a person, not a name */
export async function personRevoke(context: CliContext, id: string): Promise<Ending> {
  const revoked = await withOwnDatabase(context, async (store) =>
    (await administration()).revokePersonById(store, id, now()),
  );
  if (!revoked.ok) return failing(revoked.failure);
  if (revoked.value === 'revoked')
    return answering({ revoked: id }, 'revoked; the sign-ins, devices and codes of this person no longer work\n');
  if (revoked.value === 'owner')
    return failing(failure('usage', 'the owner cannot be revoked', 'apes owner devices remove ID removes a device'));
  return failing(
    failure('usage', `there is no person with the id ${visibleLine(id)}`, 'apes owner people list shows the ids'),
  );
}
