/**
 * An attacker who controls the server can withhold answers, but can never make a host run anything. The attacker has the server's
 * key and signs every lie with it; the host is the real `ape-shell`, `apes grants run` and an interactive session.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ConfinementLevel } from '../../src/core/confinement/confinement.ts';
import { UNUSED_ONCE_LIFETIME_MS } from '../../src/core/grant/grant.ts';
import type { CommandScope } from '../../src/core/scope/command-scope.ts';
import { nextApprovers } from '../../src/core/sealed/approver-list.ts';
import { policyDocument } from '../../src/core/sealed/decision-document.ts';
import type { DecisionDocument, SealedApprovers } from '../../src/core/wire/sealed.ts';
import { documentDigest, keyApprover, sealWithKey } from '../../src/platform/approver-key.ts';
import { programPath } from '../fixtures/programs.ts';
import { Keyboard } from '../terminal/keyboard.ts';
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
} from './hostile-server.ts';

const server = new HostileServer();
const { owner } = server;
const thief = newSealer('the owner'); // a key of the attacker, with the name of the owner
beforeAll(() => server.open());
afterAll(() => server.close());
beforeEach(() => {
  server.forget();
  server.pin(server.firstList);
  server.configure('');
  server.lists = [];
  server.grant = null;
});

const honest: Lie = (asked) => ({ seals: [sealed(server.decision(asked), owner)] });

/** Seals a decision, and then changes one member of the document. */
const altered =
  (change: (document: DecisionDocument) => object): Lie =>
  (asked) => {
    const seal = sealed(server.decision(asked), owner);
    return { seals: [{ ...seal, document: { ...seal.document, ...change(seal.document) } }] };
  };

/** A decision that an approver sealed for something else. */
const sealedFor =
  (change: (document: DecisionDocument, asked: Asked) => object): Lie =>
  (asked) => {
    const document = server.decision(asked);
    return { seals: [sealed({ ...document, ...change(document, asked) } as DecisionDocument, owner)] };
  };

const work = () => join(server.directory, 'work');
const levelOf = ({ body }: Asked): ConfinementLevel => body.findings?.confinementLevel ?? 0;
const everything = (asked: Asked) => ({
  level: levelOf(asked),
  read: ['/'],
  write: ['/'],
  execute: ['/'],
  connect: 'any',
  readOnly: [],
  tools: [],
});

/** Answers as if a standing grant covered the line, with the widest confinement that a server can name. */
const covering =
  (scopeOf: (asked: Asked) => CommandScope, by: Sealer = owner, more: object = {}): Lie =>
  (asked) => ({
    coveredBy: [{ grantId: GRANT_ID, title: 'anything' }],
    confinement: (levelOf(asked) === 0 ? { level: 0 } : everything(asked)) as never,
    seals: [sealed(server.decision(asked, { term: { kind: 'always' }, scope: scopeOf(asked) }), by)],
    ...more,
  });
const touching = ({ request }: Asked): CommandScope => touchScope(request, work()) as CommandScope;

async function refuses(lie: Lie, detail: string, text?: string) {
  expect([76, 77, 78]).toContain((await server.refuses(lie, detail, text)).status);
}

describe('a host that takes sealed approvals only', () => {
  it('runs a request that a pinned approver sealed', async () => {
    const ended = await server.command(honest);
    expect(ended).toMatchObject({ status: 0, hasRun: true });
  });

  it.each([
    ['omits the seal', () => ({}), 'approved without a seal'],
    ['sends an empty list of seals', () => ({ seals: [] }), 'unknown shape'],
    ['sends a text in place of the seals', () => ({ seals: 'sealed' }), 'unknown shape'],
    ['sends null as a seal', () => ({ seals: [null] }), 'unknown shape'],
    ['sends an empty object as a seal', () => ({ seals: [{}] }), 'unknown shape'],
    [
      'sends a seal without its document',
      (asked: Asked) => ({ seals: [{ ...sealed(server.decision(asked), owner), document: null }] }),
      'unknown shape',
    ],
    [
      'sends the seal twice',
      (asked: Asked) => ({ seals: [sealed(server.decision(asked), owner), sealed(server.decision(asked), owner)] }),
      'unknown shape',
    ],
    [
      'seals the decision with a key of its own',
      (asked: Asked) => ({ seals: [sealed(server.decision(asked), thief)] }),
      'not among the approvers',
    ],
    [
      "seals the decision with a key of its own, in an approver's name",
      (asked: Asked) => {
        const { document, seal } = sealed(server.decision(asked), thief);
        return { seals: [{ document, seal: { ...seal, keyId: server.firstList.seal.keyId } }] };
      },
      'does not fit',
    ],
    [
      'takes the seal of the list of approvers',
      (asked: Asked) => ({ seals: [{ document: server.decision(asked), seal: server.firstList.seal }] }),
      'does not fit',
    ],
    ['sends the list of approvers as a decision', () => ({ seals: [server.firstList] }), 'newest list'],
    [
      'calls an owner key a passkey',
      (asked: Asked) => {
        const { document, seal } = sealed(server.decision(asked), owner);
        return {
          seals: [{ document, seal: { ...seal, kind: 'passkey', authenticatorData: 'AA', clientDataJSON: 'AA' } }],
        };
      },
      'does not fit',
    ],
  ] as const)('runs nothing when the server %s', async (_, lie, detail) => {
    await refuses(lie, detail);
  });

  it.each([
    ['server', () => ({ server: thief.publicKey })],
    ['grant', () => ({ grantId: `g_${'b'.repeat(26)}` })],
    ['requester', () => ({ requesterId: 's_other' })],
    ['request', () => ({ fingerprint: '0'.repeat(64) })],
    ['host', () => ({ host: 'another' })],
    ['term', () => ({ term: { kind: 'always' }, expiresAtMs: null })],
    ['expiry', (d: DecisionDocument) => ({ expiresAtMs: (d.expiresAtMs ?? 0) + 1 })],
    ['moment of the decision', (d: DecisionDocument) => ({ decidedAtMs: d.decidedAtMs + 1 })],
    ['confinement', () => ({ confinement: { level: 1 } })],
    ['list of approvers', () => ({ approversSequence: 0 })],
    ['scope', () => ({ scope: { operations: ['write'], pathPrefix: '/' } })],
    ['set of members', () => ({ more: true })],
  ] as const)('runs nothing when the %s in a sealed document is changed', async (_, change) => {
    await refuses(altered(change as (document: DecisionDocument) => object), 'does not fit');
  });

  it.each([
    ['another server', () => ({ server: newSealer('x').publicKey }), 'for another server'],
    ['another requester', () => ({ requesterId: 's_other' }), 'for another requester'],
    ['another host', () => ({ host: 'another' }), 'for another host'],
    ['another grant', () => ({ grantId: `g_${'b'.repeat(26)}` }), 'about another grant'],
    ['another request', () => ({ fingerprint: '0'.repeat(64) }), 'about another request'],
    ['a time that is over', () => ({ term: { kind: 'timed', untilMs: Date.now() - 1 } }), 'has ended'],
    ['one use that is over', () => ({ decidedAtMs: 1_000, expiresAtMs: 2_000 }), 'has ended'],
    ['one use without an end', () => ({ expiresAtMs: null }), 'has ended'],
    [
      'one use that lasts too long',
      (d: DecisionDocument) => ({ expiresAtMs: d.decidedAtMs + UNUSED_ONCE_LIFETIME_MS + 1 }),
      'has ended',
    ],
    ['an unknown term', () => ({ term: { kind: 'ever' } }), 'unknown shape'],
    ['a denial', () => ({ decision: 'deny' }), 'unknown shape'],
    ['a newer list of approvers than the server shows', () => ({ approversSequence: 9 }), 'newest list'],
  ] as const)('runs nothing by what an approver sealed for %s', async (_, change, detail) => {
    await refuses(sealedFor(change as never), detail);
  });

  it('runs a sealed single use once, however often the server sends it', async () => {
    let kept: unknown;
    const same: Lie = (asked) => {
      kept ??= sealed(server.decision(asked), owner);
      return { seals: [kept] };
    };
    expect(await server.command(same)).toMatchObject({ status: 0, hasRun: true });
    await refuses(same, 'used up on this host');
    await refuses(same, 'used up on this host');
  });

  it('runs a single use once, though its approver signed it again after the server had answered with an error', async () => {
    const signed: ReturnType<typeof sealed>[] = [];
    const nth =
      (at: number): Lie =>
      (asked) => {
        signed[at] ??= sealed(server.decision(asked), owner);
        return { seals: [signed[at]] };
      };
    expect(await server.command(nth(0))).toMatchObject({ status: 0, hasRun: true });
    await refuses(nth(1), 'used up on this host');
    expect(signed[0]?.document.expiresAtMs).not.toBe(signed[1]?.document.expiresAtMs);
  });

  it('limits a scope to the number of uses for which it was sealed', async () => {
    const twice = covering((asked) => ({ ...touching(asked), mostUses: 2 }));
    expect(await server.command(twice)).toMatchObject({ status: 0, hasRun: true });
    expect(await server.command(twice)).toMatchObject({ status: 0, hasRun: true });
    await refuses(twice, 'used up on this host');
  });

  it('refuses everything without a pin or with a wrong one, and an unsealed approval if only the setting asks for seals', async () => {
    server.pin(null);
    server.configure('[approvals]\nsealed = "required"\n');
    await refuses(honest, 'no approvers are pinned');
    server.pin(server.firstList, 'optional');
    await refuses(() => ({}), 'approved without a seal');
    const other = { ...server.firstList, document: { ...server.firstList.document, server: thief.publicKey } };
    writeFileSync(
      join(server.directory, 'apes', 'keys', 'approvers'),
      JSON.stringify({ server: thief.publicKey, sealed: 'required', list: other }),
      { mode: 0o600 },
    );
    await refuses(honest, 'those of another server');
    writeFileSync(join(server.directory, 'apes', 'keys', 'approvers'), '{', { mode: 0o600 });
    await refuses(honest, 'holds no list of approvers');
  });
});

describe('a scope', () => {
  it('that was sealed covers a line by the assessment of this host, and the line runs with the host’s own confinement', async () => {
    const ended = await server.command(covering(touching));
    expect(ended).toMatchObject({ status: 0, hasRun: true });
    expect(ended.err).not.toContain('writes /;');
    if (ended.err.includes('confined: level')) expect(ended.err).toContain(`writes ${work()}`);
  });

  it.each([
    ['another tool', (asked: Asked) => touchScope(asked.request, work(), 'ls') as CommandScope, 'does not cover'],
    ['another directory', (asked: Asked) => touchScope(asked.request, '/srv') as CommandScope, 'does not cover'],
    [
      'another environment',
      (asked: Asked) => {
        const scope = touching(asked);
        return { ...scope, conditions: { ...scope.conditions, environment: [{ name: 'PATH', value: '/x' }] } };
      },
      'does not cover',
    ],
    [
      'another user',
      (asked: Asked) => {
        const scope = touching(asked);
        return { ...scope, conditions: { ...scope.conditions, user: 'other' } };
      },
      'does not cover',
    ],
    [
      'hours of another day',
      (asked: Asked) => {
        const scope = touching(asked);
        const day = (new Date().getUTCDay() + 3) % 7;
        const hours = { from: 0, to: 1, days: [day === 0 ? 7 : day], timeZone: 'UTC' };
        return { ...scope, conditions: { ...scope.conditions, hours } };
      },
      'does not cover',
    ],
    ['no pattern', (asked: Asked) => ({ ...touching(asked), patterns: [] }), 'does not cover'],
    ['an unknown shape', () => ({ kind: 'commands' }) as unknown as CommandScope, 'nothing ran'],
  ] as const)('that was sealed for %s covers nothing', async (_, scopeOf, detail) => {
    await refuses(covering(scopeOf), detail);
  });

  it('that the server widened after it was sealed covers nothing', async () => {
    const widened: Lie = (asked) => {
      const seal = sealed(
        server.decision(asked, { term: { kind: 'always' }, scope: touchScope(asked.request, '/srv') }),
        owner,
      );
      const document = { ...seal.document, scope: touching(asked) };
      return { ...covering(touching)(asked), seals: [{ ...seal, document }] };
    };
    await refuses(widened, 'does not fit');
  });

  it('covers no line that this host cannot read, and an exact approval covers no other line', async () => {
    await refuses(covering(touching), 'cannot read the line', 'eval "touch ran"');
    const exact: Lie = (asked) => ({
      ...covering(touching)(asked),
      seals: [sealed(server.decision({ ...asked, fingerprint: '0'.repeat(64) }, { term: { kind: 'always' } }), owner)],
    });
    await refuses(exact, 'unknown shape');
  });

  it('of files covers no command, and only the files that the sealed request names', async () => {
    const files = { operations: ['write' as const], pathPrefix: work() };
    const asked: Lie = (by) => {
      const { document, seal } = sealed(
        { ...server.decision(by, { term: { kind: 'always' } }), scope: files, fingerprint: '0'.repeat(64) },
        owner,
      );
      return { scope: files, seals: [{ document, seal, asked: by.request }] };
    };
    await refuses(asked, 'about another request');
  });
});

describe('a policy', () => {
  const policyId = `p_${'p'.repeat(26)}`;
  const reading =
    (by: Sealer | null, more: object = {}): Lie =>
    (asked) => {
      const facts = { server: server.publicKey, decidedAtMs: Date.now(), approversSequence: 1 };
      const document = {
        ...policyDocument(facts, { id: policyId, requesterId: REQUESTER_ID, rule: touching(asked) }),
        ...more,
      };
      const seals =
        by === null ? {} : { seals: [{ document, seal: sealWithKey(document, by.privateKey, by.publicKey) }] };
      return {
        ...covering(touching)(asked),
        grantId: policyId,
        coveredBy: [{ grantId: policyId, title: 'x' }],
        seals: undefined,
        ...seals,
      };
    };

  it('allows only what an approver sealed it for', async () => {
    expect(await server.command(reading(owner))).toMatchObject({ status: 0, hasRun: true });
    await refuses(reading(null), 'approved without a seal');
    await refuses(reading(thief), 'not among the approvers');
    await refuses(reading(owner, { policyId: 'p_other' }), 'about another grant');
    await refuses(reading(owner, { host: 'another' }), 'for another host');
    await refuses(reading(owner, { requesterId: 's_other' }), 'for another requester');
    await refuses(reading(owner, { effect: 'allow-everything' }), 'unknown shape');
  });
});

describe('the list of approvers', () => {
  const second = newSealer('the second');
  const following = (
    held: SealedApprovers,
    by: Sealer,
    change: Parameters<typeof nextApprovers>[2],
    more: object = {},
  ) => {
    const document = { ...nextApprovers(held.document, documentDigest(held.document), change, 2_000_000), ...more };
    return { document, seal: sealWithKey(document, by.privateKey, by.publicKey) } as SealedApprovers;
  };
  const admitted = () => following(server.firstList, owner, { added: keyApprover(second.name, second.publicKey) });
  const bySecond =
    (sequence: number): Lie =>
    (asked) => ({
      approversSequence: sequence,
      seals: [sealed({ ...server.decision(asked), approversSequence: 2 }, second)],
    });

  it('is followed list by list: an approver that a pinned approver admits may seal, without a change on the host', async () => {
    server.lists = [server.firstList, admitted()];
    expect(await server.command(bySecond(2))).toMatchObject({ status: 0, hasRun: true });
  });

  it('loses a removed person at once, also when the server shows an older list again', async () => {
    const two = admitted();
    const three = following(two, owner, { removed: keyApprover(second.name, second.publicKey).keyId });
    server.lists = [server.firstList, two];
    expect(await server.command(bySecond(2))).toMatchObject({ status: 0, hasRun: true });
    server.lists = [server.firstList, two, three];
    await refuses(bySecond(3), 'not among the approvers');
    server.lists = [server.firstList, two];
    await refuses(bySecond(2), 'not among the approvers');
  });

  it('loses a removed person for good, although a slower process still has an older list', async () => {
    const two = admitted();
    const three = following(two, owner, { removed: keyApprover(second.name, second.publicKey).keyId });
    server.lists = [server.firstList, two, three];
    let asked = () => {};
    let answer = (_lists: object) => {};
    const isAsked = new Promise<void>((resolve) => {
      asked = resolve;
    });
    const late = new Promise<object>((resolve) => {
      answer = resolve;
    });
    server.answers = {
      '/v1/approver-lists?after=1': () => {
        server.answers = {};
        asked();
        return late;
      },
    };
    const slow = server.command(bySecond(2));
    await isAsked;
    await refuses(bySecond(3), 'not among the approvers');
    server.lists = [server.firstList, two];
    answer({ lists: [two] });
    expect(await slow).toMatchObject({ status: 76, hasRun: false });
    await refuses(bySecond(2), 'not among the approvers');
  });

  it('cannot be pinned again as it was before an approver was removed', async () => {
    const two = admitted();
    const three = following(two, owner, { removed: keyApprover(second.name, second.publicKey).keyId });
    server.pin(three);
    server.lists = [server.firstList, two];
    const again = await server.pinAgain();
    expect(again.status).not.toBe(0);
    expect(again.err).toContain('list 2 of the approvers, but this host has already seen list 3');
    server.lists = [server.firstList, two, three];
    expect(await server.pinAgain()).toMatchObject({ status: 0 });
  });

  it.each([
    [
      'that its new approver signed',
      () => following(server.firstList, second, { added: keyApprover('x', second.publicKey) }),
    ],
    [
      'with a wrong sequence number',
      () => following(server.firstList, owner, { added: keyApprover('x', second.publicKey) }, { sequence: 3 }),
    ],
    [
      'that follows another list',
      () =>
        following(server.firstList, owner, { added: keyApprover('x', second.publicKey) }, { previous: '0'.repeat(64) }),
    ],
    [
      'of another server',
      () =>
        following(server.firstList, owner, { added: keyApprover('x', second.publicKey) }, { server: thief.publicKey }),
    ],
    [
      'that begins a chain',
      () => following(server.firstList, second, { added: keyApprover('x', second.publicKey) }, { previous: null }),
    ],
    ['without an approver', () => following(server.firstList, owner, {}, { approvers: [] })],
    [
      'with one key twice',
      () => {
        const one = keyApprover('x', second.publicKey);
        return following(server.firstList, owner, {}, { approvers: [one, one] });
      },
    ],
    ['of an unknown shape', () => ({ document: { sequence: 2 }, seal: {} })],
  ] as const)('is not replaced by a list %s', async (_, forged) => {
    server.lists = [forged()];
    await refuses(bySecond(2), 'does not follow');
  });

  it('is not fetched without end if the server answers each call with a list that the host has already', async () => {
    server.answers = { '/v1/approver-lists?after=1': () => ({ lists: [server.firstList] }) };
    await refuses(bySecond(2), 'newest list');
    server.pin(null);
    const same = { lists: [server.firstList] };
    server.answers = { '/v1/approver-lists?after=0': () => same, '/v1/approver-lists?after=1': () => same };
    expect((await server.pinAgain()).err).toContain('unknown shape');
    server.answers = {};
  });

  it('is not taken from a file that was written into the state directory', async () => {
    const state = join(server.directory, 'apes', 'state');
    mkdirSync(state, { mode: 0o700 });
    const forged = following(server.firstList, second, { added: keyApprover('x', second.publicKey) });
    writeFileSync(join(state, 'approver-lists.json'), JSON.stringify([forged]), { mode: 0o600 });
    await refuses(bySecond(2), 'newest list');
  });
});

describe('other ways to run', () => {
  const grantOf = (asked: Pick<Asked, 'request' | 'fingerprint'>) => ({
    id: GRANT_ID,
    version: 2,
    state: 'approved',
    requesterId: REQUESTER_ID,
    requesterName: 'agent',
    request: asked.request,
    fingerprint: asked.fingerprint,
    url: 'http://127.0.0.1/',
    expiresAtMs: Date.now() + 900_000,
    term: { kind: 'once' },
    scope: null,
    confinement: null,
  });

  it('apes grants run runs only the sealed request', async () => {
    let seen: Asked | undefined;
    await server.command((asked) => {
      seen = asked;
      return {};
    });
    if (seen === undefined) throw new Error('nothing was asked');
    server.grant = grantOf(seen);
    for (const [lie, detail] of [
      [() => ({}), 'approved without a seal'],
      [(asked: Asked) => ({ seals: [sealed(server.decision(asked), thief)] }), 'not among the approvers'],
      [altered(() => ({ host: 'another' })), 'does not fit'],
      [sealedFor(() => ({ fingerprint: '0'.repeat(64) })), 'about another request'],
    ] as const) {
      const ended = await server.grantsRun(lie);
      expect(ended).toMatchObject({ hasRun: false, err: expect.stringContaining(detail) });
    }
    expect(await server.grantsRun(honest)).toMatchObject({ status: 0, hasRun: true });
  });

  it('the resident gate runs only what is sealed, call after call', async () => {
    server.configure('', true);
    await refuses(() => ({}), 'approved without a seal'); // this call starts the resident gate
    await expect.poll(() => server.residentGate).not.toBeNull();
    const pid = server.residentGate?.pid ?? 0;
    try {
      const byThief: Lie = (asked) => ({ seals: [sealed(server.decision(asked), thief)] });
      await refuses(byThief, 'not among the approvers');
      expect(await server.command(honest)).toMatchObject({ status: 0, hasRun: true });
      // The gate does not accept a verified seal again if it is used up, changed, or of another key.
      await refuses(honest, 'used up');
      await refuses(() => ({}), 'approved without a seal');
      await refuses(byThief, 'not among the approvers');
      await refuses(
        altered(() => ({ term: { kind: 'always' }, expiresAtMs: null })),
        'does not fit',
      );
      server.pin({ ...server.firstList, document: { ...server.firstList.document, server: thief.publicKey } });
      await refuses(honest, 'holds no list of approvers');
      expect(server.residentGate?.pid).toBe(pid);
    } finally {
      if (pid > 1) process.kill(pid);
    }
  });

  it('a session runs only the sealed line', async () => {
    rmSync(join(work(), 'ran'), { force: true });
    server.setLie(() => ({}));
    const keys = new Keyboard({ argv: [programPath('ape-shell')], cwd: work(), environment: server.environment });
    await keys.see(/[#$] $/);
    keys.type('touch ran\r');
    await keys.see(/approved without a seal/);
    server.setLie((asked) => ({ seals: [sealed(server.decision(asked), thief)] }));
    keys.type('touch ran\r');
    await keys.see(/not among the approvers/);
    expect(server.hasRun).toBe(false);
    server.setLie(honest);
    keys.type('touch ran\r');
    await expect.poll(() => server.hasRun).toBe(true);
    keys.type('exit\r');
    await keys.exit;
  });
});
