/**
 * The host itself enforces how many people have to approve, and up to which risk a person may approve. The attacker has the server's
 * key and old seals of every approver, and may send any answer.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { NO_RULES } from '../../src/core/people/may-decide.ts';
import type { CommandScope } from '../../src/core/scope/command-scope.ts';
import { nextApprovers } from '../../src/core/sealed/approver-list.ts';
import { policyDocument } from '../../src/core/sealed/decision-document.ts';
import type { PeopleRules } from '../../src/core/wire/people.ts';
import type { ApproversDocument, DecisionDocument, SealedApprovers } from '../../src/core/wire/sealed.ts';
import { documentDigest, keyApprover, sealWithKey } from '../../src/platform/approver-key.ts';
import { currentHost } from '../../src/platform/surroundings.ts';
import {
  type Asked,
  GRANT_ID,
  HostileServer,
  type Lie,
  newSealer,
  REQUESTER_ID,
  type Sealer,
  sealed,
  touchScope,
  widestConfinement,
} from './hostile-server.ts';

const server = new HostileServer();
const { owner } = server;
const [ada, bob, second] = [newSealer('Ada'), newSealer('Bob'), newSealer('second key of Ada')];
beforeAll(() => server.open());
afterAll(() => server.close());
beforeEach(() => {
  server.forget();
  server.lists = [];
  server.configure('');
});

const keyOf = ({ name, publicKey }: Sealer, person?: string) => ({
  ...keyApprover(name, publicKey),
  ...(person === undefined ? {} : { person }),
});
const listWith = (people: PeopleRules): SealedApprovers => {
  const document: ApproversDocument = {
    ...server.firstList.document,
    typ: 'ape-approvers/2',
    people,
    approvers: [keyOf(owner), keyOf(ada, 's_ada'), keyOf(bob, 's_bob'), keyOf(second, 's_ada')],
  };
  return { document, seal: sealWithKey(document, owner.privateKey, owner.publicKey) };
};
const TWO: PeopleRules = { ...NO_RULES, quorum: { low: 2, medium: 2, high: 2, critical: 2 } };
const limited = (more: object): PeopleRules => ({
  ...NO_RULES,
  persons: [{ id: 's_ada', limits: { requesters: null, hosts: null, upTo: 'critical', ...more }, own: [] }],
});

/** Answers with one decision, which each of these people sealed in a separate document. */
const by =
  (people: readonly Sealer[], more: (asked: Asked, at: number) => object = () => ({})): Lie =>
  (asked) => {
    const [first, ...also] = people.map((sealer, at) =>
      sealed({ ...server.decision(asked), ...more(asked, at) } as DecisionDocument, sealer),
    );
    return { seals: [{ ...first, also }] };
  };

const runs = (lie: Lie, text?: string) => server.runs(lie, text);
const refuses = (lie: Lie, detail: string, text?: string) => server.refuses(lie, detail, text);

it('a part of a plan needs as many people as the highest risk that its scope allows', async () => {
  const quorum = { low: 1, medium: 1, high: 2, critical: 2 };
  server.pin(listWith({ ...NO_RULES, quorum }));
  const planWith = (highestRisk: 'medium' | 'high') => (asked: Asked) => {
    const scope = touchScope(asked.request, server.directory) as CommandScope;
    const patterns = scope.patterns.map((pattern) => ({ ...pattern, highestRisk }));
    const part = { part: 1, fingerprint: 'f'.repeat(64), scope: { ...scope, patterns }, uses: 1 };
    return {
      term: { kind: 'timed', untilMs: Date.now() + 60_000 },
      scope: { kind: 'plan', order: false, parts: [part] },
    };
  };
  const widely =
    (people: readonly Sealer[], highestRisk: 'medium' | 'high'): Lie =>
    (asked) => ({
      coveredBy: [{ grantId: GRANT_ID, title: 'anything', part: 1 }],
      confinement: widestConfinement(asked) as never,
      ...by(people, planWith(highestRisk))(asked),
    });
  await refuses(widely([ada], 'high'), 'more people');
  await runs(widely([ada, bob], 'high'));
  server.forget();
  await runs(widely([ada], 'medium'));
});

describe('a host whose list of approvers asks for two people', () => {
  beforeEach(() => server.pin(listWith(TWO)));

  it('runs what two of them sealed, in any order', async () => {
    await runs(by([ada, bob]));
    server.forget();
    await runs(by([bob, owner]));
  });

  it('runs a single use once, whichever of the two documents the server sends first', async () => {
    const signed = new Map<Sealer, ReturnType<typeof sealed<DecisionDocument>>>();
    const sending =
      (people: readonly Sealer[]): Lie =>
      (asked) => {
        // The people signed at different moments, so the documents have different ends.
        const [first, ...also] = people.map((sealer) => {
          const document = { ...server.decision(asked) };
          const at = document.decidedAtMs - (sealer === ada ? 60_000 : 0);
          const { expiresAtMs, decidedAtMs } = document;
          const moved = { ...document, decidedAtMs: at, expiresAtMs: (expiresAtMs ?? 0) - decidedAtMs + at };
          const one = signed.get(sealer) ?? sealed(moved, sealer);
          signed.set(sealer, one);
          return one;
        });
        return { seals: [{ ...first, also }] };
      };
    await runs(sending([ada, bob]));
    await refuses(sending([bob, ada]), 'used up on this host');
    await refuses(sending([ada, bob]), 'used up on this host');
  });

  it.each([
    ['one person alone', by([ada]), 'more people'],
    ['one person twice', by([ada, ada]), 'more people'],
    ['one person with two keys', by([ada, second]), 'more people'],
    ['one person and a stranger', by([ada, newSealer('Bob')]), 'not among the approvers'],
    [
      'a second document with another term',
      by([ada, bob], (_, at) => ({ term: { kind: at === 0 ? 'once' : 'always' } })),
      'different things',
    ],
    [
      'a second document about another request',
      by([ada, bob], (_, at) => (at === 0 ? {} : { fingerprint: 'b'.repeat(64) })),
      'different things',
    ],
    [
      'a second document for another requester',
      by([ada, bob], (_, at) => (at === 0 ? {} : { requesterId: 's_other' })),
      'another requester',
    ],
    [
      'a second document for another host',
      by([ada, bob], (_, at) => (at === 0 ? {} : { host: 'other' })),
      'another host',
    ],
    [
      'a second document of another grant',
      by([ada, bob], (_, at) => (at === 0 ? {} : { grantId: `g_${'b'.repeat(26)}` })),
      'another grant',
    ],
    ['a second document that has ended', by([ada, bob], (_, at) => (at === 0 ? {} : { expiresAtMs: 1 })), 'ended'],
    [
      'a second document of another server',
      by([ada, bob], (_, at) => (at === 0 ? {} : { server: ada.publicKey })),
      'another server',
    ],
  ])('refuses %s', async (_, lie, detail) => {
    await refuses(lie, detail);
  });

  it('refuses a second seal that was made for another approval', async () => {
    const lie: Lie = (asked) => {
      const [first, other] = [
        sealed(server.decision(asked), ada),
        sealed(server.decision(asked, { id: `g_${'b'.repeat(26)}` }), bob),
      ];
      return { seals: [{ ...first, also: [{ document: first.document, seal: other.seal }] }] };
    };
    await refuses(lie, 'does not fit');
  });

  it('takes no policy for reading from one person', async () => {
    const lie: Lie = (asked) => {
      const rule = touchScope(asked.request, server.directory) as CommandScope;
      const facts = { server: server.publicKey, decidedAtMs: Date.now(), approversSequence: 1 };
      const document = policyDocument(facts, { id: GRANT_ID, requesterId: REQUESTER_ID, rule });
      return {
        coveredBy: [{ grantId: GRANT_ID, title: 'reading' }],
        confinement: widestConfinement(asked) as never,
        seals: [{ document, seal: sealWithKey(document, owner.privateKey, owner.publicKey) }],
      };
    };
    await refuses(lie, 'more people');
  });
});

describe('a host reads the risk itself', () => {
  it('and needs two people if it cannot read the line, and one person otherwise', async () => {
    server.pin(listWith({ ...NO_RULES, quorum: { low: 1, medium: 1, high: 1, critical: 2 } }));
    await runs(by([ada]));
    server.forget();
    await refuses(by([ada]), 'more people', 'eval "touch ran"');
    server.forget();
    await runs(by([ada, bob]), 'eval "touch ran"');
  });
});

describe('limits on the list', () => {
  it.each([
    ['another requester', { requesters: ['s_other'] }],
    ['another host', { hosts: ['other'] }],
    ['a lower risk', { upTo: 'high' }],
  ])('that allow only %s refuse the request', async (_, more) => {
    server.pin(listWith(limited(more)));
    await refuses(by([ada]), 'limits', 'eval "touch ran"');
    server.forget();
    await runs(by([bob]), 'eval "touch ran"');
  });

  it('allow a request that is within them', async () => {
    server.pin(listWith(limited({ requesters: [REQUESTER_ID], hosts: [currentHost()], upTo: 'high' })));
    await runs(by([ada]));
  });

  it('refuse requests of a requester that belongs to the person', async () => {
    server.pin(listWith({ ...NO_RULES, persons: [{ id: 's_ada', limits: null, own: [REQUESTER_ID] }] }));
    await refuses(by([ada]), 'limits');
  });

  it('are lifted by a delegation until it ends, but not for older seals', async () => {
    const people = (untilMs: number): PeopleRules => ({
      ...limited({ requesters: [] }),
      delegations: [{ from: 's_bob', to: 's_ada', untilMs }],
    });
    server.pin(listWith(people(Date.now() + 60_000)));
    await runs(by([ada]));
    server.forget();
    server.pin(listWith(people(Date.now() - 1)));
    await refuses(
      by([ada], () => ({ decidedAtMs: Date.now() - 60_000, term: { kind: 'always' }, expiresAtMs: null })),
      'limits',
    );
  });

  it('cannot be lifted by a list that a person with limits signed', async () => {
    const held = listWith(limited({ requesters: [] }));
    server.pin(held);
    const document = nextApprovers(held.document, documentDigest(held.document), { people: NO_RULES }, Date.now());
    const next = (sealer: Sealer): SealedApprovers => ({
      document,
      seal: sealWithKey(document, sealer.privateKey, sealer.publicKey),
    });
    const lie: Lie = (asked) => ({ ...by([ada])(asked), approversSequence: 2 });
    server.lists = [next(ada)];
    await refuses(lie, 'does not follow');
    server.lists = [next(bob)];
    await runs(lie);
  });
});

it('a list of approvers is refused if it has rules and the old type, the new type and no rules, or invalid rules', async () => {
  const { document } = listWith(TWO);
  for (const changed of [
    { ...document, typ: 'ape-approvers/1' },
    { ...document, people: undefined },
    { ...document, people: { ...TWO, more: 1 } },
    {
      ...document,
      people: { ...TWO, persons: [{ id: 's_owner', limits: { requesters: [], hosts: [], upTo: 'low' }, own: [] }] },
      approvers: [document.approvers[0]],
    },
  ]) {
    const list = JSON.parse(JSON.stringify(changed)) as ApproversDocument;
    server.pin({ document: list, seal: sealWithKey(list, owner.privateKey, owner.publicKey) });
    const ended = await server.command(by([ada, bob]));
    expect([ended.hasRun, ended.status]).toEqual([false, 78]);
  }
});
