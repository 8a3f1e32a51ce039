/**
 * A host accepts seals of a break-glass key only on single approvals, only for 15 minutes, and each key once. The attacker has the
 * server's key and a break-glass code, and so can sign anything with the code's key, with any date.
 */
import { chmodSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { NO_RULES } from '../../src/core/people/may-decide.ts';
import type { CommandScope } from '../../src/core/scope/command-scope.ts';
import { nextApprovers } from '../../src/core/sealed/approver-list.ts';
import { batchText } from '../../src/core/sealed/batch.ts';
import { policyDocument } from '../../src/core/sealed/decision-document.ts';
import type { PeopleRules } from '../../src/core/wire/people.ts';
import type { Approver, ApproversDocument, DecisionDocument, SealedApprovers } from '../../src/core/wire/sealed.ts';
import {
  breakGlassApprover,
  documentDigest,
  keyApprover,
  keyIdOf,
  sealWithKey,
} from '../../src/platform/approver-key.ts';
import {
  type Asked,
  HostileServer,
  type Lie,
  newSealer,
  REQUESTER_ID,
  type Sealer,
  sealed,
  touchScope,
  widestConfinement,
} from './hostile-server.ts';

const MINUTE_MS = 60_000;
const LASTS_MS = 15 * MINUTE_MS;
const server = new HostileServer();
const { owner } = server;
const [glass, second, ada] = [newSealer('Safe'), newSealer('Till'), newSealer('Ada')];
beforeAll(() => server.open());
afterAll(() => server.close());
beforeEach(() => {
  server.forget();
  server.lists = [];
  server.configure('');
});

/** Rules under which the owner may not approve requests of this requester, and every approval takes two people. */
const STRICT: PeopleRules = {
  quorum: { low: 2, medium: 2, high: 2, critical: 2 },
  persons: [
    { id: 's_owner', limits: null, own: [REQUESTER_ID] },
    { id: 's_ada', limits: { requesters: [], hosts: ['other'], upTo: 'low' }, own: [] },
  ],
  delegations: [],
};
const ADA: Approver = { ...keyApprover(ada.name, ada.publicKey), person: 's_ada' };
const keyOf = ({ publicKey }: Sealer, endsAtMs = Date.now() + 86_400_000) =>
  breakGlassApprover('b_1', publicKey, endsAtMs);
const listWith = (people: PeopleRules, change: object = {}): SealedApprovers => {
  const document = {
    ...server.firstList.document,
    typ: 'ape-approvers/3',
    people,
    approvers: [keyApprover(owner.name, owner.publicKey), ADA, keyOf(glass), keyOf(second)],
    ...change,
  } as ApproversDocument;
  return { document, seal: sealWithKey(document, owner.privateKey, owner.publicKey) };
};

/** Each decision has its own grant, so that a use of one grant does not affect the next decision. */
let grants = 0;
const newGrant = () => {
  grants += 1;
  return `g_${'a'.repeat(20)}${String(grants).padStart(6, 'b')}`;
};

/** The approximate moment at which the code of a test was typed. */
let signedInMs = 0;
beforeEach(() => {
  signedInMs = Date.now() - 30_000;
});

/** A decision `agoMs` ago, which ends with the code, as the decisions of an honest server do. */
const decided = (asked: Asked, agoMs = 1_000, more: object = {}): DecisionDocument => {
  const decidedAtMs = Date.now() - agoMs;
  const expiresAtMs = Math.min(decidedAtMs, signedInMs) + LASTS_MS;
  return { ...server.decision(asked), decidedAtMs, expiresAtMs, ...more } as DecisionDocument;
};
const by =
  (sealer: Sealer, agoMs?: number, more?: (asked: Asked) => object): Lie =>
  (asked) => {
    const grantId = newGrant();
    return { grantId, seals: [sealed(decided(asked, agoMs, { grantId, ...more?.(asked) }), sealer)] };
  };
const timed = (forMs: number, agoMs = 0) => ({
  term: { kind: 'timed', untilMs: Date.now() - agoMs + forMs },
  expiresAtMs: null,
});

const runs = (lie: Lie, text?: string) => server.runs(lie, text);
const refuses = (lie: Lie, detail: string, text?: string) => server.refuses(lie, detail, text);

describe('a host with a break-glass key on its list', () => {
  beforeEach(() => server.pin(listWith(STRICT)));

  it('runs a request that only this key has sealed, despite limits and quorum, also a line that cannot be read', async () => {
    await runs(by(glass));
    await runs(by(glass, 500), 'eval "touch ran"');
    await refuses(by(ada), 'limits');
    await refuses(by(owner), 'limits');
  });

  it('runs once what was approved once', async () => {
    const signed = new Map<string, unknown>();
    const same: Lie = (asked) => {
      signed.set('it', signed.get('it') ?? sealed(decided(asked), glass));
      return { seals: [signed.get('it')] };
    };
    await runs(same);
    await refuses(same, 'used up on this host');
  });

  it('runs a standing approval that ends within the 15 minutes', async () => {
    const widely: Lie = (asked) => {
      const given = by(glass, 1_000, () => ({
        ...timed(LASTS_MS - 60_000, 1_000),
        scope: touchScope(asked.request, server.directory),
      }))(asked);
      const coveredBy = [{ grantId: given.grantId ?? '', title: 'anything' }];
      return { ...given, coveredBy, confinement: widestConfinement(asked) as never };
    };
    await runs(widely);
    await runs(widely);
  });

  it.each([
    ['a decision that is 15 minutes old', by(glass, LASTS_MS, () => timed(MINUTE_MS)), 'more than 15 minutes ago'],
    ['a decision of tomorrow', by(glass, -86_400_000), 'in the future'],
    ['a decision beyond the difference of clocks', by(glass, -2 * MINUTE_MS), 'in the future'],
    [
      'a decision that lasts for ever',
      by(glass, 0, () => ({ term: { kind: 'always' }, expiresAtMs: null })),
      'lasts longer than 15 minutes',
    ],
    [
      'a decision that lasts longer than 15 minutes',
      by(glass, 0, () => timed(LASTS_MS + MINUTE_MS)),
      'lasts longer than 15 minutes',
    ],
    [
      'a single use that may wait longer than 15 minutes',
      by(glass, 0, () => ({ expiresAtMs: Date.now() + LASTS_MS + MINUTE_MS })),
      'lasts longer than 15 minutes',
    ],
    ['a date that is not a number', by(glass, 0, () => ({ ...timed(MINUTE_MS), decidedAtMs: 'now' })), 'unknown shape'],
    ['a decision for another host', by(glass, 0, () => ({ host: 'other' })), 'another host'],
    ['a decision for another requester', by(glass, 0, () => ({ requesterId: 's_other' })), 'another requester'],
    ['a decision about another request', by(glass, 0, () => ({ fingerprint: 'b'.repeat(64) })), 'another request'],
    ['a decision for another server', by(glass, 0, () => ({ server: ada.publicKey })), 'another server'],
    ['a decision of a key that is not on the list', by(newSealer('Safe')), 'not among the approvers'],
  ])('refuses %s', async (_, lie, detail) => {
    await refuses(lie, detail);
  });

  it('refuses a seal of this key together with another seal, in any order', async () => {
    const both =
      (people: readonly Sealer[]): Lie =>
      (asked) => {
        const [one, ...also] = people.map((sealer) => sealed(decided(asked), sealer));
        return { seals: [{ ...one, also }] };
      };
    await refuses(both([glass, ada]), 'different things');
    await refuses(both([ada, glass]), 'different things');
    await refuses(both([glass, second]), 'different things');
  });

  it('refuses a policy that this key has signed', async () => {
    const lie: Lie = (asked) => {
      const rule = touchScope(asked.request, server.directory) as CommandScope;
      const facts = { server: server.publicKey, decidedAtMs: Date.now(), approversSequence: 1 };
      const document = policyDocument(facts, { id: decided(asked).grantId, requesterId: REQUESTER_ID, rule });
      return {
        coveredBy: [{ grantId: document.policyId, title: 'reading' }],
        confinement: widestConfinement(asked) as never,
        seals: [{ document, seal: sealWithKey(document, glass.privateKey, glass.publicKey) }],
      };
    };
    await refuses(lie, 'something other than a single approval');
  });

  it('refuses a batch that this key has signed', async () => {
    const lie: Lie = (asked) => {
      const document = decided(asked);
      const batch = [documentDigest(document), 'b'.repeat(64)];
      const text = batchText(batch) ?? '';
      const digests = text.slice(text.indexOf('\n') + 1);
      const { signature } = sealWithKey(JSON.parse(digests), glass.privateKey, glass.publicKey) as {
        signature: string;
      };
      return { seals: [{ document, seal: { kind: 'ed25519', keyId: keyIdOf(glass.publicKey), signature, batch } }] };
    };
    await refuses(lie, 'unknown shape');
  });
});

describe('a key counts once', () => {
  beforeEach(() => server.pin(listWith(NO_RULES)));

  it('for 15 minutes: later decisions are refused, also if the server denies that the code was used', async () => {
    const firstMs = Date.now() - (LASTS_MS - 60_000);
    await runs(by(glass, LASTS_MS - 60_000, () => ({ decidedAtMs: firstMs, expiresAtMs: firstMs + LASTS_MS })));
    await runs(by(glass, 20_000, () => ({ expiresAtMs: firstMs + LASTS_MS }))); // ends with the first decision
    // Made within 15 minutes after the first decision that the host has accepted, but it would end after these 15 minutes.
    await refuses(
      by(glass, 20_000, () => ({ expiresAtMs: firstMs + LASTS_MS + 1 })),
      'this approval ends later',
    );
    await refuses(by(glass, -30_000), 'this approval ends later');
    await refuses(
      by(glass, -30_000, () => timed(MINUTE_MS)),
      'this approval ends later',
    );
    await runs(by(second, 1_000)); // another code has its own 15 minutes
  });

  it('from the first accepted decision: a decision that was refused does not count', async () => {
    await refuses(
      by(glass, LASTS_MS - 5_000, () => ({ fingerprint: 'b'.repeat(64) })),
      'another request',
    );
    await runs(by(glass, 1_000));
  });

  it('from its earliest decision, also if that arrives later; the host stores this moment for each key', async () => {
    const [early, late] = [LASTS_MS - 120_000, 1_000];
    const firstMs = Date.now() - early;
    const endingWithFirst = () => ({ expiresAtMs: firstMs + LASTS_MS });
    await runs(by(glass, late));
    // This decision is signed earlier and sent later. From now on its moment counts.
    await runs(by(glass, early, () => ({ decidedAtMs: firstMs, ...endingWithFirst() })));
    await runs(by(glass, late + 500, endingWithFirst));
    await refuses(by(glass, late), 'this approval ends later');
    const kept = readdirSync(join(server.directory, 'apes', 'state', 'break-glass-keys'));
    expect(kept).toHaveLength(2);
  });

  it('only if the host can store that the key was used', async () => {
    await runs(by(glass, LASTS_MS - 5_000));
    const directory = join(server.directory, 'apes', 'state', 'break-glass-keys');
    chmodSync(directory, 0o777); // a directory that others can write is not believed
    try {
      await refuses(by(second, 1_000), 'break-glass-keys');
    } finally {
      chmodSync(directory, 0o700);
    }
  });
});

describe('a key ends at its date on the list of approvers', () => {
  it('also on a host that has no record of its use, such as a new container', async () => {
    const held = listWith(NO_RULES, {
      approvers: [keyApprover(owner.name, owner.publicKey), keyOf(glass, Date.now() - 1_000), keyOf(second)],
    });
    server.pin(held);
    await refuses(by(glass), 'this break-glass key has expired');
    await runs(by(second));
    server.forget();
    await refuses(by(glass), 'this break-glass key has expired');
  });

  it('which the server can neither change nor leave out', async () => {
    server.pin(server.firstList);
    const previous = documentDigest(server.firstList.document);
    const listed = (entry: object) => {
      const approvers = [keyApprover(owner.name, owner.publicKey), { ...keyOf(glass), ...entry }];
      return listWith(NO_RULES, { sequence: 2, previous, approvers });
    };
    const honest = listed({ expiresAtMs: Date.now() - 1_000 });
    const lie: Lie = (asked) => ({ ...by(glass)(asked), approversSequence: 2 });
    for (const entry of [{}, { expiresAtMs: undefined }, { expiresAtMs: null }, { breakGlass: undefined }]) {
      server.lists = [{ document: listed(entry).document, seal: honest.seal }];
      await refuses(lie, 'does not follow');
    }
    server.lists = [honest];
    await refuses(lie, 'this break-glass key has expired');
  });
});

describe('a list of approvers', () => {
  it('without the key ends the key', async () => {
    const held = listWith(NO_RULES);
    server.pin(held);
    await runs(by(glass));
    const removed = keyIdOf(glass.publicKey);
    const document = nextApprovers(held.document, documentDigest(held.document), { removed }, Date.now());
    server.lists = [{ document, seal: sealWithKey(document, owner.privateKey, owner.publicKey) }];
    await refuses((asked) => ({ ...by(glass, 500)(asked), approversSequence: 2 }), 'not among the approvers');
    await runs((asked) => ({ ...by(second)(asked), approversSequence: 2 }));
  });

  it('that the key has signed is refused', async () => {
    const held = listWith(NO_RULES);
    server.pin(held);
    const added = keyApprover('Mallory', ada.publicKey);
    const document = nextApprovers(held.document, documentDigest(held.document), { added }, Date.now());
    const next = ({ privateKey, publicKey }: Sealer) => [
      { document, seal: sealWithKey(document, privateKey, publicKey) },
    ];
    const lie: Lie = (asked) => ({ ...by(glass)(asked), approversSequence: 2 });
    server.lists = next(glass);
    await refuses(lie, 'does not follow');
    server.lists = next(owner);
    await runs(lie);
  });

  it('of an older type with such a key is refused, and so is a list with no other key, or with a malformed key', async () => {
    for (const change of [
      { typ: 'ape-approvers/2' },
      { typ: 'ape-approvers/1', people: undefined },
      { approvers: [keyOf(glass)] },
      { approvers: [keyApprover(owner.name, owner.publicKey)] },
      { approvers: [keyApprover(owner.name, owner.publicKey), { ...keyOf(glass), breakGlass: false }] },
      { approvers: [keyApprover(owner.name, owner.publicKey), { ...keyOf(glass), expiresAtMs: undefined }] },
    ]) {
      server.pin(listWith(NO_RULES, change));
      const ended = await server.command(by(glass));
      expect([change, ended.hasRun, ended.status]).toEqual([change, false, 78]);
    }
  });

  it('of the new type may follow a list of an older type', async () => {
    server.pin(server.firstList);
    const { document: from } = server.firstList;
    const document = nextApprovers(from, documentDigest(from), { added: keyOf(glass) }, Date.now());
    server.lists = [{ document, seal: sealWithKey(document, owner.privateKey, owner.publicKey) }];
    await runs((asked) => ({ ...by(glass)(asked), approversSequence: 2 }));
  });
});
