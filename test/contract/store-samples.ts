/** Samples of grants and subjects for the store suite, and functions that use them. */
import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { expect } from 'vitest';
import type { Confinement } from '../../src/core/confinement/confinement.ts';
import type { HostFacts } from '../../src/core/effects/host-facts.ts';
import { FILE_VERBS } from '../../src/core/files/file-operation.ts';
import { grantEvent } from '../../src/core/grant/audit-event.ts';
import { type Grant, type StoredState, type Term, transition } from '../../src/core/grant/grant.ts';
import type { ExecutionRequest } from '../../src/core/grant/request.ts';
import type { Impact } from '../../src/core/impact/impact.ts';
import type { Policy } from '../../src/core/policy/policy.ts';
import type { Result } from '../../src/core/result.ts';
import type { CommandScope, GrantScope } from '../../src/core/scope/command-scope.ts';
import type { Store, Subject } from '../../src/store/store.ts';
import { pendingGrant } from '../fixtures/grant.ts';

/** SQL for both databases that brings the schema back to an older version. */
const BEFORE_NONCES = `alter table enrolments drop column nonce; alter table enrolments drop column commitment;
  alter table enrolments add column code text not null default 'ABCDEFGH'; update schema_version set version = 25;`;
const BEFORE_ROOM = `${BEFORE_NONCES} update schema_version set version = 24;`;
const BEFORE_ORDER = `${BEFORE_ROOM} drop index grants_endless; create index grants_endless on grants (state, created_at_ms)
  where state = 'approved' and lapses_at_ms is null; update schema_version set version = 23;`;
const BEFORE_BATCHES = `${BEFORE_ORDER} alter table grants drop column batches; update schema_version set version = 22;`;
const BEFORE_PINS = `${BEFORE_BATCHES} alter table grants drop column pin; update schema_version set version = 21;`;
const BEFORE_DECIDING = `${BEFORE_PINS} drop index grants_approved_deciding; alter table grants drop column approved_deciding;
  update schema_version set version = 20;`;
const BEFORE_DEMANDS = `${BEFORE_DECIDING} alter table grants drop column sealed_only; update schema_version set version = 19;`;
const BEFORE_ENDLESS = `${BEFORE_DEMANDS} drop index grants_endless; update schema_version set version = 18;`;
const BEFORE_ROTATION = `${BEFORE_ENDLESS} drop table replaced_keys; drop table key_requests; drop index tokens_of;
  update schema_version set version = 17;`;
const BEFORE_PEOPLE = `${BEFORE_ROTATION} alter table subjects drop column duty; alter table grants drop column approvals;
  update schema_version set version = 16;`;
const BEFORE_PART_USES = `${BEFORE_PEOPLE} drop index grants_plans; alter table grants drop column part_uses; update schema_version set version = 15;`;
const BEFORE_LATE_NUMBERS = `${BEFORE_PART_USES} drop table unnumbered_events; update schema_version set version = 14;`;
const BEFORE_RETENTION = `${BEFORE_LATE_NUMBERS} drop table removed_rows; drop index events_others_oldest; drop index notification_jobs_of; drop index events_standing;
  create index events_standing on events (seq) where kind in ('grant.approved', 'grant.revoked', 'policy.created', 'policy.ended');
  update schema_version set version = 13;`;
const BEFORE_IDEMPOTENCY = `${BEFORE_RETENTION} drop table idempotent_calls; update schema_version set version = 12;`;
const BEFORE_SIGN_INS = `${BEFORE_IDEMPOTENCY} drop index sessions_of; alter table sessions drop column browser; update schema_version set version = 11;`;
const BEFORE_PAUSES = `${BEFORE_SIGN_INS} drop table requester_pauses; update schema_version set version = 10;`;
const BEFORE_MATCHES = `${BEFORE_PAUSES} drop table grant_matches; update schema_version set version = 9;`;
const BEFORE_SEALS = `${BEFORE_MATCHES} drop table approver_lists; drop index grants_sealed; alter table grants drop column sealed;
  alter table grants drop column sealed_by; alter table policies drop column sealed; alter table policies drop column sealed_by;
  update schema_version set version = 8;`;
const BEFORE_NOTIFICATIONS = `${BEFORE_SEALS} drop index events_notable; drop table notification_cursor; drop table notification_jobs;
  drop table notification_preferences; drop table notification_channels; update schema_version set version = 7;`;
const BEFORE_PASSKEYS = `${BEFORE_NOTIFICATIONS} drop index sessions_of_passkey; alter table sessions drop column passkey_id; drop table owner_settings;
  drop table recovery_codes; drop table passkeys; update schema_version set version = 6;`;
const BEFORE_PLANS = `${BEFORE_PASSKEYS} drop index grants_of_requester_lapsing; drop index grants_of_requester_by_state; drop index grants_by_state;
  drop index events_uses_newest; create index events_uses on events (seq) where kind in ('grant.used', 'policy.used', 'policy.vetoed');
  update schema_version set version = 5;`;
const BEFORE_BRIEFS = `${BEFORE_PLANS} alter table grants drop column brief; alter table grants drop column cut_from;
  update schema_version set version = 4;`;
const BEFORE_CONFINEMENT = `${BEFORE_BRIEFS} alter table grants drop column confinement; update schema_version set version = 3;`;
const BEFORE_POLICIES = `${BEFORE_CONFINEMENT} drop index events_standing; drop index events_uses; drop index policies_live; drop table policies;
  drop index grants_of_requester; drop table grant_findings; alter table grants drop column touches;
  update schema_version set version = 2;`;
const BEFORE_SCOPES = `${BEFORE_POLICIES} drop index grants_scoped; alter table grants drop column scope;
  update schema_version set version = 1;`;
export const OLDER_SCHEMAS = [
  ['approvals had a scope', BEFORE_SCOPES],
  ['there were policies', BEFORE_POLICIES],
  ['exact approvals could be confined', BEFORE_CONFINEMENT],
  ['long requests were cut in lists', BEFORE_BRIEFS],
  ['lists by state had indexes', BEFORE_PLANS],
  ['people had passkeys', BEFORE_PASSKEYS],
  ['approvers were notified', BEFORE_NOTIFICATIONS],
  ['decisions were sealed', BEFORE_SEALS],
  ['requests had numbers', BEFORE_MATCHES],
  ['requesters could be paused', BEFORE_PAUSES],
  ['sign-ins were listed', BEFORE_SIGN_INS],
  ['calls had idempotency keys', BEFORE_IDEMPOTENCY],
  ['old rows were removed', BEFORE_RETENTION],
  ['uses were numbered after their commit', BEFORE_LATE_NUMBERS],
  ['plans were filed', BEFORE_PART_USES],
  ['people had roles', BEFORE_PEOPLE],
  ['keys were replaced', BEFORE_ROTATION],
  ['standing approvals had an index', BEFORE_ENDLESS],
  ['requests said that their host demands a seal', BEFORE_DEMANDS],
  ['approvals stored the deciding variables', BEFORE_DECIDING],
  ['requests said where their host has its pin', BEFORE_PINS],
  ['requests said that their host verifies seals of batches', BEFORE_BATCHES],
  ['the index of standing approvals had their order', BEFORE_ORDER],
  ['pages of grants had room for their updates', BEFORE_ROOM],
  ['codes of enrolments had nonces', BEFORE_NONCES],
] as const;

export const NOW_MS = 1_800_000_000_000;

const olderEnrolment = (id: string, state: string) =>
  `insert into enrolments (id, state, name, host, user_name, public_key, code, created_at_ms, expires_at_ms)
    values ('${id}', '${state}', 'n', 'h', 'u', 'k', 'ABCDEFGH', ${NOW_MS}, ${NOW_MS + 10});`;
/** SQL that adds a pending and an approved enrolment, as a server before nonces stored them. */
export const OLDER_ENROLMENTS = `${BEFORE_NONCES} ${olderEnrolment('e_old', 'pending')} ${olderEnrolment('e_done', 'approved')}`;

/** Expects that the upgrade ends what was pending in `OLDER_ENROLMENTS`, and keeps what was decided. */
export async function expectEnded(store: Store): Promise<void> {
  const [old, done] = must(
    await store.read(async (rows) => [await rows.enrolment('e_old'), await rows.enrolment('e_done')]),
  );
  expect(old).toMatchObject({ state: 'pending', commitment: null, nonce: null, expiresAtMs: NOW_MS });
  expect(done).toMatchObject({ state: 'approved', commitment: null, nonce: null, expiresAtMs: NOW_MS + 10 });
  expect(must(await store.read((rows) => rows.pendingEnrolments(NOW_MS)))).toEqual([]);
}
let count = 0;

export function must<T, F extends { message: string }>(result: Result<T, F>): T {
  if (!result.ok) throw new Error(result.failure.message);
  return result.value;
}

export async function newSubject(store: Store, more: Partial<Subject> = {}): Promise<Subject> {
  count += 1;
  const publicKey = randomBytes(32).toString('base64url');
  const subject: Subject = {
    id: `s_${count}_${publicKey.slice(0, 8)}`,
    role: 'requester',
    name: 'agent',
    host: 'box',
    user: 'agent',
    publicKey,
    createdAtMs: NOW_MS,
    revokedAtMs: null,
    ...more,
  };
  must(await store.write((rows) => rows.insertSubject(subject)));
  return subject;
}

export function sampleGrant(requester: Subject, more: Partial<Grant> = {}): Grant {
  count += 1;
  const request: ExecutionRequest = {
    kind: 'command',
    text: `echo ${count}`,
    argv: [],
    cwd: '/home/agent',
    host: requester.host,
    user: requester.user,
    environment: [],
  };
  return pendingGrant({
    id: `g_${count}_${randomBytes(6).toString('hex')}`,
    requesterId: requester.id,
    requesterName: requester.name,
    request,
    fingerprint: randomBytes(32).toString('hex'),
    createdAtMs: NOW_MS,
    expiresAtMs: NOW_MS + 1_000,
    ...more,
  });
}

export const approved = (requester: Subject, term: Term, more: Partial<Grant> = {}): Grant =>
  sampleGrant(requester, { state: 'approved', term, version: 2, decidedAtMs: NOW_MS, ...more });

/** Uses a grant as the server does; `pause` widens the gap between reading and writing. */
export async function useGrant(store: Store, id: string, nowMs: number, pause: () => Promise<void>): Promise<boolean> {
  const outcome = await store.write(async (rows) => {
    const grant = await rows.grant(id);
    await pause();
    if (grant === undefined) return false;
    const next = transition(grant, { kind: 'use' }, nowMs);
    if (!next.ok || !(await rows.replaceGrant(next.value))) return false;
    rows.record(grantEvent('grant.used', next.value, null, nowMs));
    return true;
  });
  return must(outcome).value;
}

const STATES: readonly StoredState[] = ['pending', 'approved', 'denied', 'withdrawn', 'used', 'revoked'];

/** Text that the server accepts: valid Unicode without NUL. */
const anyText = fc
  .string({ unit: 'binary', maxLength: 40 })
  .filter((text) => !text.includes('\0') && !/\p{Surrogate}/u.test(text));

/** Moments around `NOW_MS`, often exactly `NOW_MS`, because comparisons fail there. */
const anyMoment = fc.oneof(fc.constant(NOW_MS), fc.integer({ min: NOW_MS - 3, max: NOW_MS + 3 }));

const anyTerm: fc.Arbitrary<Term> = fc.oneof(
  fc.constant<Term>({ kind: 'once' }),
  fc.constant<Term>({ kind: 'always' }),
  anyMoment.map((untilMs): Term => ({ kind: 'timed', untilMs })),
);

export const TOUCHED: Impact = { what: 'files', count: 3, bytes: null, items: ['/a\n', 'ü'], isCut: true, note: null };

export const FINDINGS: HostFacts = {
  bash: 'agrees',
  home: '/home/agent',
  hasSearchedCd: false,
  names: [{ name: 'ls', source: "'l's", lookup: 'bash', resolution: { kind: 'unsure', reason: 'NUL \0' } }],
  paths: [{ path: '/a', end: 'target', resolved: '/b' }],
  repositories: [{ directory: '/a', top: null }],
  bare: [{ directory: '/a', isBare: false }],
  linksOut: [{ directory: '/a', depth: 1, leadsOut: true }],
  matches: [{ directory: '/a', pattern: '*.ü', names: [{ name: 'x.ü', target: '/b', itself: null }] }],
  hidden: [{ directory: '/a', names: null }],
};

export const COMMAND_SCOPE: CommandScope = {
  kind: 'commands',
  patterns: [
    {
      operations: { reading: true, tool: null },
      options: 'any',
      resources: [{ kind: 'path', access: ['read'], values: { match: 'below', value: '/p' } }],
      highestRisk: 'low',
      programs: { listed: [], rootOwned: true },
    },
  ],
  conditions: { host: 'box', user: 'agent', cwdBelow: null, hours: null, environment: [], confinement: 2 },
  mostUses: 3,
};

export const samplePolicy = (createdBy: string, more: Partial<Policy> = {}): Policy =>
  ({
    id: `p_${randomBytes(6).toString('hex')}`,
    effect: 'deny',
    requesterId: null,
    rule: { text: 'rm *', pattern: null },
    reason: 'not that',
    createdBy,
    createdAtMs: NOW_MS,
    endedAtMs: null,
    uses: 0,
    ...more,
  }) as Policy;

const anyScope: fc.Arbitrary<GrantScope> = fc.oneof(
  fc.constant<GrantScope>(COMMAND_SCOPE),
  fc.record({
    operations: fc.subarray([...FILE_VERBS], { minLength: 1 }),
    pathPrefix: anyText.map((text) => `/${text}`),
  }),
);

const anyPath = anyText.map((text) => `/${text}`);
const anyConfinement: fc.Arbitrary<Confinement> = fc.record({
  level: fc.constantFrom(1, 2, 3),
  read: fc.array(anyPath, { maxLength: 3 }),
  write: fc.array(anyPath, { maxLength: 3 }),
  execute: fc.array(anyPath, { maxLength: 3 }),
  connect: fc.oneof(fc.constant('any' as const), fc.array(fc.integer({ min: 1, max: 65_535 }), { maxLength: 3 })),
  readOnly: fc.array(anyPath, { maxLength: 3 }),
  tools: fc.array(anyText, { maxLength: 2 }),
});

export const anyGrant = (requester: Subject, fingerprints: readonly string[]): fc.Arbitrary<Grant> =>
  fc
    .record({
      state: fc.constantFrom(...STATES),
      term: anyTerm,
      fingerprint: fc.constantFrom(...fingerprints),
      createdAtMs: anyMoment,
      expiresAtMs: anyMoment,
      text: anyText,
      reason: fc.option(anyText),
      environment: fc.array(fc.record({ name: anyText, value: anyText }), { maxLength: 3 }),
      uses: fc.nat(),
      scope: fc.option(anyScope),
      confinement: fc.option(anyConfinement),
      touches: fc.option(fc.array(fc.constant(TOUCHED), { maxLength: 2 })),
    })
    .map(({ text, environment, term, state, scope, ...rest }) => {
      const grant = sampleGrant(requester, {
        ...rest,
        state,
        term: state === 'pending' || state === 'denied' ? null : term,
        scope: state === 'pending' || state === 'denied' ? null : scope,
      });
      return { ...grant, request: { ...grant.request, text, environment } };
    });

/** Waits for the number of turns of the event loop that `rolls` has for this index, so that transactions of several connections overlap. */
export const uneven = (rolls: readonly number[], index: number) => async () => {
  for (let turn = 0; turn < (rolls[index % rolls.length] ?? 0); turn += 1)
    await new Promise((resolve) => setImmediate(resolve));
};
