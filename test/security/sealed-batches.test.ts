/**
 * Threat: an attacker who controls the server has signatures of a passkey over several decisions, and mixes digests, documents and
 * signatures of all earlier approvals. Only the requests in a batch run, once each, and no approval becomes wider.
 */
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { NO_RULES } from '../../src/core/people/may-decide.ts';
import type { CommandScope } from '../../src/core/scope/command-scope.ts';
import { nextApprovers } from '../../src/core/sealed/approver-list.ts';
import { MAX_IN_BATCH } from '../../src/core/sealed/batch-limits.ts';
import { policyDocument } from '../../src/core/sealed/decision-document.ts';
import { type SealableDocument, sealedText } from '../../src/core/sealed/sealed-text.ts';
import type { PeopleRules } from '../../src/core/wire/people.ts';
import type {
  Approver,
  ApproversDocument,
  DecisionDocument,
  Seal,
  SealedApprovers,
} from '../../src/core/wire/sealed.ts';
import { documentDigest, keyApprover, sealWithKey } from '../../src/platform/approver-key.ts';
import { currentHost } from '../../src/platform/surroundings.ts';
import { SoftwareAuthenticator } from '../component/software-authenticator.ts';
import {
  type Asked,
  GRANT_ID,
  HostileServer,
  type Lie,
  newSealer,
  REQUESTER_ID,
  touchScope,
} from './hostile-server.ts';

const ORIGIN = 'https://grants.example.org';
const RP_ID = 'grants.example.org';
const OTHER_ID = `g_${'b'.repeat(26)}`;

const server = new HostileServer();
const { owner } = server;
const [ada, bob, thief] = [1, 2, 3].map(() => new SoftwareAuthenticator(ORIGIN)) as [
  SoftwareAuthenticator,
  SoftwareAuthenticator,
  SoftwareAuthenticator,
];

const keyIdOf = (device: SoftwareAuthenticator): string => Buffer.from(device.credentialId).toString('base64url');
const onList = (device: SoftwareAuthenticator, name: string, person: string): Approver => ({
  kind: 'passkey',
  keyId: keyIdOf(device),
  name,
  publicKey: device.pair.publicKey.export({ format: 'jwk' }) as Record<string, string>,
  rpId: RP_ID,
  origins: [ORIGIN],
  person,
});
const listWith = (people: PeopleRules = NO_RULES): SealedApprovers => {
  const approvers = [
    keyApprover(owner.name, owner.publicKey),
    onList(ada, 'Ada', 's_ada'),
    onList(bob, 'Bob', 's_bob'),
  ];
  const document: ApproversDocument = { ...server.firstList.document, typ: 'ape-approvers/2', people, approvers };
  return { document, seal: sealWithKey(document, owner.privateKey, owner.publicKey) };
};

beforeAll(() => server.open());
afterAll(() => server.close());
beforeEach(() => {
  server.forget();
  server.pin(listWith());
  server.configure('');
  server.lists = [];
});

/** Signs any text with the passkey. An attacker can get such a signature with a page of its own. */
function signedText(text: string, by: SoftwareAuthenticator): Seal {
  const challenge = createHash('sha256').update(text).digest('base64url');
  const { credentialId: keyId, userHandle: _, ...signed } = by.get({ challenge, rpId: RP_ID });
  return { kind: 'passkey', keyId, ...signed };
}

const textOf = (digests: readonly string[]): string => sealedText({ typ: 'ape-batch/1', digests }) ?? '';

/** One signature over these documents, as the page makes it. */
function sealOver(documents: readonly SealableDocument[], by = ada): Seal {
  const batch = documents.map(documentDigest);
  return { ...signedText(textOf(batch), by), batch } as Seal;
}

const decisionFor = (asked: Asked, more: object = {}): DecisionDocument =>
  ({ ...server.decision(asked), ...more }) as DecisionDocument;
/** A decision about another request of the same group. The batch has the digests of both decisions. */
const another = (asked: Asked): DecisionDocument =>
  decisionFor(asked, { grantId: OTHER_ID, fingerprint: 'e'.repeat(64) });

const honest: Lie = (asked) => {
  const document = decisionFor(asked);
  return { seals: [{ document, seal: sealOver([another(asked), document]) }] };
};

async function refuses(lie: Lie, detail: string, text?: string) {
  expect([76, 77, 78]).toContain((await server.refuses(lie, detail, text)).status);
}

it('a request in a batch runs once', async () => {
  let kept: unknown;
  const same: Lie = (asked) => {
    kept ??= honest(asked).seals;
    return { seals: kept };
  };
  expect(await server.command(same)).toMatchObject({ status: 0, hasRun: true });
  await refuses(same, 'used up on this host');
});

it('a single use runs once, though it was signed alone and in two batches', async () => {
  const document = (asked: Asked) => decisionFor(asked);
  expect(
    await server.command((asked) => ({
      seals: [{ document: document(asked), seal: signedText(sealedText(document(asked)) ?? '', ada) }],
    })),
  ).toMatchObject({ status: 0 });
  await refuses(honest, 'used up on this host');
  await refuses(honest, 'used up on this host');
});

describe('nothing runs when the server', () => {
  const mixed = (make: (asked: Asked, document: DecisionDocument) => object): Lie => {
    return (asked) => ({ seals: [make(asked, decisionFor(asked))] });
  };

  it.each([
    [
      'sends a document with the seal of a batch that does not contain it',
      (asked: Asked, document: DecisionDocument) => ({
        document,
        seal: sealOver([another(asked), { ...another(asked), host: 'x' }]),
      }),
      'not one of them',
    ],
    [
      'puts the digest of its document into a batch that was signed without it',
      (asked: Asked, document: DecisionDocument) => {
        const seal = sealOver([another(asked), { ...another(asked), host: 'x' }]) as Seal & { batch: string[] };
        return { document, seal: { ...seal, batch: [...seal.batch, documentDigest(document)] } };
      },
      'does not fit',
    ],
    [
      'puts the digest of its document in the place of another digest',
      (asked: Asked, document: DecisionDocument) => {
        const seal = sealOver([another(asked), { ...another(asked), host: 'x' }]) as Seal & { batch: string[] };
        return { document, seal: { ...seal, batch: [documentDigest(document), seal.batch[1]] } };
      },
      'does not fit',
    ],
    [
      'removes a digest from a batch',
      (asked: Asked, document: DecisionDocument) => {
        const seal = sealOver([another(asked), document, { ...another(asked), host: 'x' }]) as Seal & {
          batch: string[];
        };
        return { document, seal: { ...seal, batch: seal.batch.slice(0, 2) } };
      },
      'does not fit',
    ],
    [
      'reverses the order of the digests',
      (asked: Asked, document: DecisionDocument) => {
        const seal = sealOver([another(asked), document]) as Seal & { batch: string[] };
        return { document, seal: { ...seal, batch: seal.batch.toReversed() } };
      },
      'does not fit',
    ],
    [
      'omits the batch',
      (asked: Asked, document: DecisionDocument) => {
        const { batch: _, ...seal } = sealOver([another(asked), document]) as Seal & { batch: string[] };
        return { document, seal };
      },
      'does not fit',
    ],
    [
      'adds a batch to the seal of one decision',
      (asked: Asked, document: DecisionDocument) => {
        const batch = [documentDigest(document), documentDigest(another(asked))];
        return { document, seal: { ...signedText(sealedText(document) ?? '', ada), batch } };
      },
      'does not fit',
    ],
    [
      "sends the batch of one approval with another approval's signature",
      (asked: Asked, document: DecisionDocument) => {
        const first = sealOver([document, another(asked)]) as Seal & { batch: string[] };
        const later = sealOver([another(asked), { ...another(asked), host: 'x' }]);
        return { document, seal: { ...later, batch: first.batch } };
      },
      'does not fit',
    ],
    [
      "sends one person's batch in another person's name",
      (asked: Asked, document: DecisionDocument) => ({
        document,
        seal: { ...sealOver([document, another(asked)], bob), keyId: keyIdOf(ada) },
      }),
      'does not fit',
    ],
    [
      'signs a batch with a passkey of its own',
      (asked: Asked, document: DecisionDocument) => ({ document, seal: sealOver([document, another(asked)], thief) }),
      'not among the approvers',
    ],
    [
      'makes a batch of one decision',
      (_: Asked, document: DecisionDocument) => ({ document, seal: sealOver([document]) }),
      'unknown shape',
    ],
    [
      'makes a batch with the same decision twice',
      (_: Asked, document: DecisionDocument) => ({ document, seal: sealOver([document, document]) }),
      'unknown shape',
    ],
    [
      'makes an empty batch',
      (_: Asked, document: DecisionDocument) => ({ document, seal: { ...signedText(textOf([]), ada), batch: [] } }),
      'unknown shape',
    ],
    [
      'makes a larger batch than an approver may sign',
      (asked: Asked, document: DecisionDocument) => {
        const others = Array.from({ length: MAX_IN_BATCH }, (_, at) => ({ ...another(asked), decidedAtMs: at }));
        return { document, seal: sealOver([document, ...others]) };
      },
      'unknown shape',
    ],
    [
      'sends a text as the batch',
      (asked: Asked, document: DecisionDocument) => ({
        document,
        seal: { ...sealOver([document, another(asked)]), batch: documentDigest(document) },
      }),
      'unknown shape',
    ],
    [
      'sends a batch with the seal of an owner key',
      (asked: Asked, document: DecisionDocument) => ({
        document,
        seal: {
          ...sealWithKey(document, owner.privateKey, owner.publicKey),
          batch: [documentDigest(document), documentDigest(another(asked))],
        },
      }),
      'unknown shape',
    ],
    [
      'sends the signed batch itself as the decision',
      (asked: Asked, document: DecisionDocument) => {
        const digests = [documentDigest(document), documentDigest(another(asked))];
        return { document: { typ: 'ape-batch/1', digests }, seal: signedText(textOf(digests), ada) };
      },
      'newest list',
    ],
    [
      'sends the signed batch as the decision, with the members of a decision',
      (asked: Asked, document: DecisionDocument) => {
        const digests = [documentDigest(document), documentDigest(another(asked))];
        const seal = signedText(textOf(digests), ada);
        return { document: { ...document, typ: 'ape-batch/1', digests }, seal };
      },
      'does not fit',
    ],
  ] as const)('%s', async (_, make, detail) => {
    await refuses(mixed(make), detail);
  });

  it.each([
    ['another server', { server: newSealer('x').publicKey }, 'for another server'],
    ['another requester', { requesterId: 's_other' }, 'for another requester'],
    ['another host', { host: 'another' }, 'for another host'],
    ['another grant', { grantId: OTHER_ID }, 'about another grant'],
    ['another request', { fingerprint: '0'.repeat(64) }, 'about another request'],
    ['a time that is over', { decidedAtMs: 1_000, expiresAtMs: 2_000 }, 'has ended'],
    ['one use without an end', { expiresAtMs: null }, 'has ended'],
    ['a denial', { decision: 'deny' }, 'unknown shape'],
  ] as const)('sends a decision that was signed in a batch for %s', async (_, change, detail) => {
    await refuses((asked) => {
      const document = decisionFor(asked, change);
      return { seals: [{ document, seal: sealOver([document, { ...another(asked), decidedAtMs: 5 }]) }] };
    }, detail);
  });
});

describe('nothing is widened', () => {
  const touching = ({ request }: Asked): CommandScope => touchScope(request, server.directory) as CommandScope;
  const level = ({ body }: Asked) => body.findings?.confinementLevel ?? 0;
  const covering = (asked: Asked, seals: unknown): ReturnType<Lie> => ({
    coveredBy: [{ grantId: GRANT_ID, title: 'anything' }],
    confinement: (level(asked) === 0
      ? { level: 0 }
      : {
          ...{ level: level(asked), read: ['/'], write: ['/'], execute: ['/'] },
          ...{ connect: 'any', readOnly: [], tools: [] },
        }) as never,
    seals,
  });

  it.each([
    ['for always', { term: { kind: 'always' }, expiresAtMs: null }],
    ['for a time', { term: { kind: 'timed', untilMs: Date.now() + 3_600_000 }, expiresAtMs: null }],
  ])('by an approval %s whose digest a page put into a batch', async (_, change) => {
    await refuses((asked) => {
      const document = decisionFor(asked, change);
      return { seals: [{ document, seal: sealOver([document, another(asked)]) }] };
    }, 'not one of them');
  });

  it('by a scope, a plan or a policy whose digest a page put into a batch', async () => {
    await refuses((asked) => {
      const document = decisionFor(asked, { term: { kind: 'always' }, expiresAtMs: null, scope: touching(asked) });
      return covering(asked, [{ document, seal: sealOver([document, another(asked)]) }]);
    }, 'not one of them');
    await refuses((asked) => {
      const document = decisionFor(asked, { scope: touching(asked) });
      return covering(asked, [{ document, seal: sealOver([document, another(asked)]) }]);
    }, 'not one of them');
    await refuses((asked) => {
      const parts = [{ part: 1, fingerprint: asked.fingerprint, scope: null, uses: 9 }];
      const term = { kind: 'timed', untilMs: Date.now() + 60_000 };
      const document = decisionFor(asked, { term, expiresAtMs: null, scope: { kind: 'plan', order: false, parts } });
      return { part: 1, seals: [{ document, seal: sealOver([document, another(asked)]) }] };
    }, 'not one of them');
    await refuses((asked) => {
      const facts = { server: server.publicKey, decidedAtMs: Date.now(), approversSequence: 1 };
      const rule = { ...touching(asked), conditions: { ...touching(asked).conditions, host: currentHost() } };
      const document = policyDocument(facts, { id: GRANT_ID, requesterId: REQUESTER_ID, rule });
      return covering(asked, [{ document, seal: sealOver([document, another(asked)]) }]);
    }, 'not one of them');
  });

  it('by a list of approvers whose digest a page put into a batch', async () => {
    const list = listWith();
    const mine = newSealer('thief');
    await refuses((asked) => {
      const added = keyApprover('thief', mine.publicKey);
      const next = nextApprovers(list.document, documentDigest(list.document), { added }, 2_000_000);
      server.lists = [{ document: next, seal: sealOver([next, another(asked)]) }];
      const document = decisionFor(asked, { approversSequence: 2 });
      return {
        approversSequence: 2,
        seals: [{ document, seal: sealWithKey(document, mine.privateKey, mine.publicKey) }],
      };
    }, 'does not follow');
  });
});

describe('if two people have to approve', () => {
  const TWO: PeopleRules = { ...NO_RULES, quorum: { low: 2, medium: 2, high: 2, critical: 2 } };
  beforeEach(() => server.pin(listWith(TWO)));
  const later = (asked: Asked) =>
    decisionFor(asked, { decidedAtMs: Date.now() - 500, expiresAtMs: Date.now() + 1_000 });

  it('both may have signed a batch', async () => {
    const ended = await server.command((asked) => {
      const [one, two] = [decisionFor(asked), later(asked)];
      const also = [{ document: two, seal: sealOver([two, { ...another(asked), decidedAtMs: 7 }], bob) }];
      return { seals: [{ document: one, seal: sealOver([another(asked), one]), also }] };
    });
    expect(ended).toMatchObject({ status: 0, hasRun: true });
  });

  it('two batches of one person count as one approval, and so does one batch with two documents about the request', async () => {
    await refuses((asked) => {
      const [one, two] = [decisionFor(asked), later(asked)];
      const also = [{ document: two, seal: sealOver([two, another(asked)]) }];
      return { seals: [{ document: one, seal: sealOver([another(asked), one]), also }] };
    }, 'more people');
    await refuses((asked) => {
      const [one, two] = [decisionFor(asked), later(asked)];
      const seal = sealOver([one, two]);
      return { seals: [{ document: one, seal, also: [{ document: two, seal }] }] };
    }, 'more people');
  });

  it("a document in one person's batch is not sealed by another person's batch", async () => {
    await refuses((asked) => {
      const [one, two] = [decisionFor(asked), later(asked)];
      const of = sealOver([one, another(asked)]) as Seal & { batch: string[] };
      const others = sealOver([two, another(asked)], bob);
      return { seals: [{ document: one, seal: of, also: [{ document: one, seal: others }] }] };
    }, 'not one of them');
    await refuses((asked) => {
      const one = decisionFor(asked);
      const of = sealOver([one, another(asked)]) as Seal & { batch: string[] };
      const others = sealOver([another(asked), { ...another(asked), decidedAtMs: 7 }], bob);
      return { seals: [{ document: one, seal: of, also: [{ document: one, seal: { ...others, batch: of.batch } }] }] };
    }, 'does not fit');
  });
});
