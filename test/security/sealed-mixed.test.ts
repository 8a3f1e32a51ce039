/**
 * A server that an attacker controls answers with parts of documents that approvers really signed: for other conditions, for other tools, for
 * other grants, in another order, or with another confinement. It has the server's key, and signs every answer with it.
 */
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Confinement, ConfinementLevel } from '../../src/core/confinement/confinement.ts';
import { canonicalRequest, type ExecutionRequest } from '../../src/core/grant/request.ts';
import type { CommandPattern, CommandScope, GrantScope, ScopeConditions } from '../../src/core/scope/command-scope.ts';
import { sha256Hex } from '../../src/platform/digest.ts';
import {
  type Asked,
  GRANT_ID,
  HostileServer,
  type Lie,
  newSealer,
  sealed,
  touchScope,
  widestConfinement,
} from './hostile-server.ts';

const server = new HostileServer();
const { owner } = server;
const OTHER_GRANT = `g_${'b'.repeat(26)}`;
const ALWAYS = { kind: 'always' } as const;
const work = () => join(server.directory, 'work');
const levelOf = ({ body }: Asked): ConfinementLevel => body.findings?.confinementLevel ?? 0;
beforeAll(() => server.open());
afterAll(() => server.close());
beforeEach(() => {
  server.forget();
  server.pin(server.firstList);
  server.configure('');
});

const runs = (lie: Lie, text?: string) => server.runs(lie, text);
const refuses = (lie: Lie, detail: string, text?: string) => server.refuses(lie, detail, text);
const touching = ({ request }: Asked): CommandScope => touchScope(request, work()) as CommandScope;

/** The answer that these grants cover the line together, each with the decision that an approver sealed for it. */
const coveredBy = (asked: Asked, grants: readonly string[], seals: readonly object[]) => ({
  coveredBy: grants.map((grantId) => ({ grantId, title: 'anything' })),
  confinement: widestConfinement(asked) as never,
  seals,
});
const standing = (asked: Asked, scope: GrantScope, id = GRANT_ID) =>
  sealed(server.decision(asked, { term: ALWAYS, scope, id }), owner);

describe('a scope that an approver sealed', () => {
  const conditions = (change: (asked: Asked) => Partial<ScopeConditions>) => (asked: Asked) => {
    const scope = touching(asked);
    return { ...scope, conditions: { ...scope.conditions, ...change(asked) } };
  };
  const pattern = (change: Partial<CommandPattern>) => (asked: Asked) => {
    const scope = touching(asked);
    return { ...scope, patterns: scope.patterns.map((each) => ({ ...each, ...change })) };
  };
  const covering =
    (scopeOf: (asked: Asked) => CommandScope): Lie =>
    (asked) =>
      coveredBy(asked, [GRANT_ID], [standing(asked, scopeOf(asked))]);
  const path = (access: readonly string[]) => ({ kind: 'path', access, values: { match: 'below', value: work() } });

  it('covers the line', async () => {
    await runs(covering(touching));
    await runs(covering(pattern({ options: ['-m'] })), 'touch -m ran');
  });

  it.each([
    ['another host', conditions(() => ({ host: 'another' }))],
    ['another directory of the call', conditions(() => ({ cwdBelow: '/srv' }))],
    ['more confinement than this host has', conditions((asked) => ({ confinement: (levelOf(asked) + 1) as never }))],
    ['a variable that the call does not have', conditions(() => ({ environment: [{ name: 'LD_AUDIT', value: 'x' }] }))],
    ['a lower risk', pattern({ highestRisk: 'low' })],
    ['other programs', pattern({ programs: { listed: ['/usr/bin/other'], rootOwned: false } })],
    ['reading only', pattern({ resources: [path(['read'])] as never })],
    ['reading only, by its operations', pattern({ operations: { reading: true, tool: null } })],
    ['no place', pattern({ resources: [] })],
  ] as const)('for %s covers nothing', async (_, scopeOf) => {
    await refuses(covering(scopeOf), 'does not cover');
  });

  it('covers no other options than it names', async () => {
    await refuses(covering(pattern({ options: ['-a'] })), 'does not cover', 'touch -m ran');
  });

  it('ends with its time, whatever term the server names', async () => {
    const over: Lie = (asked) => {
      const term = { kind: 'timed', untilMs: Date.now() - 1 } as const;
      const one = sealed(server.decision(asked, { term, scope: touching(asked) }), owner);
      return { ...coveredBy(asked, [GRANT_ID], [one]), term: ALWAYS };
    };
    await refuses(over, 'has ended');
  });
});

describe('two grants that cover a line together', () => {
  const listing = ({ request }: Asked) => touchScope(request, work(), 'mkdir');
  const both = (asked: Asked) => [standing(asked, touching(asked)), standing(asked, listing(asked), OTHER_GRANT)];
  const LINE = 'mkdir d && touch ran';

  it('run it', async () => {
    await runs((asked) => coveredBy(asked, [GRANT_ID, OTHER_GRANT], both(asked)), LINE);
  });

  it.each([
    ['in another order', ([one, other]: readonly object[]) => [other, one], [GRANT_ID, OTHER_GRANT], 'another grant'],
    ['one of them twice', ([one]: readonly object[]) => [one, one], [GRANT_ID, OTHER_GRANT], 'another grant'],
    ['one of them twice, with its own id', ([one]: readonly object[]) => [one, one], [GRANT_ID, GRANT_ID], 'not cover'],
    ['one of them alone', ([one]: readonly object[]) => [one], [GRANT_ID], 'does not cover'],
    ['with one of them left out', ([one]: readonly object[]) => [one], [GRANT_ID, OTHER_GRANT], 'unknown shape'],
    ['with one more', (two: readonly object[]) => [...two, ...two], [GRANT_ID, OTHER_GRANT], 'unknown shape'],
    [
      'with the scope of the one and the seal of the other',
      ([one, other]: readonly object[]) => [one, { ...one, seal: (other as { seal: object }).seal }],
      [GRANT_ID, GRANT_ID],
      'does not fit',
    ],
  ] as const)('run nothing if the server sends them %s', async (_, change, grants, detail) => {
    await refuses((asked) => coveredBy(asked, grants, change(both(asked)) as readonly object[]), detail, LINE);
  });

  it('are each counted, also if only the other one limits its uses', async () => {
    const once = (asked: Asked) => ({ ...listing(asked), mostUses: 1 }) as CommandScope;
    const lie: Lie = (asked) => {
      const seals = [standing(asked, touching(asked)), standing(asked, once(asked), OTHER_GRANT)];
      return coveredBy(asked, [GRANT_ID, OTHER_GRANT], seals);
    };
    await runs(lie, LINE);
    await refuses(lie, 'used up', LINE);
  });
});

describe('an approval of exact bytes with a confinement', () => {
  const all = { level: 1, read: ['/'], execute: ['/'], connect: 'any', readOnly: [], tools: [] } as const;
  const held = (write: readonly string[]): Confinement => ({ ...all, write });

  it.each([
    ['leaves it out', () => ({})],
    ['names a wider one', () => ({ confinement: held(['/']) })],
  ] as const)('runs confined if the server %s', async (_, more) => {
    const confined =
      (write: readonly string[]): Lie =>
      (asked) => ({
        ...more(),
        seals: [sealed(server.decision(asked, { confinement: held(write) }), owner)],
      });
    const ended = await server.command(confined([]));
    expect({ hasRun: ended.hasRun, failed: ended.status !== 0 }).toEqual({ hasRun: false, failed: true });
    server.forget();
    await runs(confined([work()]));
  });
});

describe('the reason that this host prints and records', () => {
  it('is what the approver sealed, whatever the server says about it', async () => {
    const untilMs = Date.now() + 3_600_000;
    const lie: Lie = (asked) => {
      const one = sealed(server.decision(asked, { term: { kind: 'timed', untilMs }, scope: touching(asked) }), owner);
      const said = { coveredBy: [{ grantId: GRANT_ID, title: 'everything' }], term: ALWAYS };
      return { ...coveredBy(asked, [GRANT_ID], [one]), ...said };
    };
    const { err, hasRun } = await server.command(lie);
    expect(hasRun).toBe(true);
    expect(err).toContain(`granted (until ${new Date(untilMs).toISOString()}, touch with any options`);
    expect(err).not.toMatch(/everything|always/);
    const exact = await server.command((asked) => ({
      seals: [sealed(server.decision(asked, { term: { kind: 'timed', untilMs } }), owner)],
      term: ALWAYS,
    }));
    expect(exact.err).toContain(`granted (until ${new Date(untilMs).toISOString()})`);
  });
});

describe('an answer for another call', () => {
  const honest = (asked: Asked) => ({ seals: [sealed(server.decision(asked), owner)] });

  it.each([
    ['another nonce', { nonce: 'n'.repeat(22) }],
    ['another requester', { requesterId: `s_${'x'.repeat(26)}` }],
    ['another request', { fingerprint: '0'.repeat(64) }],
    ['another grant', { grantId: OTHER_GRANT }],
    ['other host facts', { findingsDigest: '0'.repeat(64) }],
    ['another type', { typ: 'ape-token/1' }],
  ] as const)('with %s runs nothing', async (_, change) => {
    await refuses((asked) => ({ ...honest(asked), ...change }) as never, 'nothing ran');
  });

  it('that was sealed for the same line in another directory, as another user, or with other variables runs nothing', async () => {
    for (const change of [{ cwd: '/' }, { user: 'other' }, { environment: [{ name: 'LD_PRELOAD', value: '/x.so' }] }]) {
      const lie: Lie = (asked) => {
        const request = { ...asked.request, ...change } as ExecutionRequest;
        const fingerprint = sha256Hex(canonicalRequest(request));
        return { seals: [{ ...sealed(server.decision({ request, fingerprint }), owner), asked: asked.request }] };
      };
      await refuses(lie, 'about another request');
    }
  });
});

describe('the gate of a file tool', () => {
  const isAllowed = (out: string) => /"permissionDecision":\s*"allow"/.test(out);
  async function answers(lie: Lie): Promise<string> {
    const { out, err, status } = await server.fileTool(lie, 'new');
    return isAllowed(out) ? 'allow' : `${status} ${out} ${err}`;
  }
  const below = (pathPrefix: string, operations = ['write', 'edit']) => ({ operations, pathPrefix }) as GrantScope;
  const standingFor =
    (scope: () => GrantScope, more: (asked: Asked) => object = () => ({})): Lie =>
    (asked) => {
      const before = { ...asked.request, text: 'Write /before', files: asked.request.files ?? [] };
      const given = { request: before, fingerprint: sha256Hex(canonicalRequest(before)) };
      const one = sealed(server.decision(given, { term: ALWAYS, scope: scope() }), owner);
      return { scope: below('/'), seals: [{ ...one, asked: before, ...more(asked) }] } as never;
    };

  it('allows what was sealed for exactly this call, or for a directory', async () => {
    expect(await answers((asked) => ({ seals: [sealed(server.decision(asked), owner)] }))).toBe('allow');
    expect(await answers(standingFor(() => below(work())))).toBe('allow');
  });

  it.each([
    ['without a seal', () => ({}), 'without a seal'],
    [
      'sealed with a key of the server',
      (asked: Asked) => ({ seals: [sealed(server.decision(asked), newSealer('the owner'))] }),
      'not among the approvers',
    ],
    ['for another directory', standingFor(() => below('/srv')), 'does not cover'],
    ['for other operations', standingFor(() => below(work(), ['read'])), 'does not cover'],
    [
      'for another request than the server sends',
      standingFor(
        () => below(work()),
        ({ request }) => ({ asked: request }),
      ),
      'another request',
    ],
    [
      'without the request for which it was sealed',
      standingFor(
        () => below(work()),
        () => ({ asked: undefined }),
      ),
      'another request',
    ],
    [
      'for commands',
      (asked: Asked) => ({
        scope: below('/'),
        seals: [standing({ ...asked, fingerprint: '0'.repeat(64) }, touching(asked))],
      }),
      'another request',
    ],
  ] as const)('denies what comes %s', async (_, lie, detail) => {
    const answer = await answers(lie as Lie);
    expect(answer).not.toBe('allow');
    expect(answer).toContain(detail);
  });
});
