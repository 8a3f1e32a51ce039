/** Plans: what a plan file may contain, which parts may be used when, and that an approval gives no more than the plan asks for. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { transition } from '../../src/core/grant/grant.ts';
import { canonicalRequest, type ExecutionRequest } from '../../src/core/grant/request.ts';
import { partRequest, planText } from '../../src/core/plan/plan.ts';
import { readPlan, readPlanFile } from '../../src/core/plan/plan-file.ts';
import { planScopeFault } from '../../src/core/plan/plan-parts.ts';
import { isUsedUp, openParts, usedParts } from '../../src/core/plan/plan-scope.ts';
import type { CommandScope, PlanScope } from '../../src/core/scope/command-scope.ts';
import { countedUse } from '../../src/core/sealed/document-fault.ts';
import { sealedText } from '../../src/core/sealed/sealed-text.ts';
import type { PartOffer, Plan } from '../../src/core/wire/plan.ts';
import type { DecisionDocument } from '../../src/core/wire/sealed.ts';
import { pendingGrant } from '../fixtures/grant.ts';

const NOW = 1_900_000_000_000;
const good = { for: '2h', parts: [{ line: 'npm test' }] };

describe('a plan file', () => {
  it('is read with all its members', () => {
    const file = {
      reason: 'Release',
      until: '2030-04-01T10:00:00Z',
      order: true,
      parts: [
        { line: 'a', uses: 3 },
        { like: 'cat b', as: 'reading', paths: ['src'] },
      ],
    };
    const read = readPlanFile(JSON.stringify(file), NOW);
    expect(read).toEqual({
      ok: true,
      value: {
        reason: 'Release',
        plan: {
          order: true,
          end: { untilMs: Date.parse('2030-04-01T10:00:00Z') },
          parts: [
            { text: 'a', cwd: '.', as: 'exact', uses: 3 },
            { text: 'cat b', cwd: '.', as: 'reading', uses: 1, paths: ['src'] },
          ],
        },
      },
    });
  });

  it.each([
    [[], 'the plan is no JSON object'],
    [{ ...good, when: 1 }, 'the plan has an unknown key "when"'],
    [{ parts: good.parts }, 'the plan has no end'],
    [{ ...good, until: '2030-04-01T10:00:00Z' }, 'the plan has two ends'],
    [{ ...good, for: 'soon' }, 'the plan has a "for" that is no duration'],
    [{ ...good, for: '31d' }, 'the plan lasts longer than 30 days'],
    [{ parts: good.parts, until: '2001-01-01T00:00:00Z' }, 'the plan ends in the past'],
    [{ parts: good.parts, until: 'tomorrow' }, 'the plan has an "until" that is no moment'],
    [{ parts: good.parts, until: '2030-04-01' }, 'the plan has an "until" that is no moment'],
    [{ parts: good.parts, until: '2030-04-31T10:00:00Z' }, 'the plan has an "until" that is no moment'],
    [{ parts: good.parts, until: 'Tue Apr 2 2030 18:00 +01:00' }, 'the plan has an "until" that is no moment'],
    [{ parts: good.parts, until: '2030-04-02T18:00 (T+01:00' }, 'the plan has an "until" that is no moment'],
    [{ parts: good.parts, until: '2030-05-01T00:00:00Z' }, 'the plan lasts longer than 30 days'],
    [{ for: '2h' }, 'the plan has no parts'],
    [{ for: '2h', parts: [] }, 'the plan has no parts'],
    [{ for: '2h', parts: Array(31).fill({ line: 'a' }) }, 'the plan has 31 parts'],
    [{ ...good, order: 'yes' }, 'the plan has an order that is neither true nor false'],
    [{ ...good, reason: 7 }, 'the plan has a reason that is not a string, or is too long'],
    [{ for: '2h', parts: ['npm test'] }, 'part 1 of the plan is not an object'],
    [{ for: '2h', parts: [{ line: 'a', like: 'b' }] }, 'part 1 of the plan needs either "line" or "like"'],
    [{ for: '2h', parts: [{ line: 'a' }, { line: 'a', use: 1 }] }, 'part 2 of the plan has an unknown key "use"'],
    [{ for: '2h', parts: [{ line: 'a', uses: 0 }] }, 'part 1 of the plan has a wrong number of uses'],
    [{ for: '2h', parts: [{ line: 'a', uses: 1.5 }] }, 'part 1 of the plan has a wrong number of uses'],
    [{ for: '2h', parts: [{ line: 'a', uses: 1_001 }] }, 'part 1 of the plan has a wrong number of uses'],
    [{ for: '2h', parts: [{ line: 'a', cwd: '' }] }, 'part 1 of the plan has a "cwd" that is no path'],
    [{ for: '2h', parts: [{ like: 'a', paths: Array(21).fill('b') }] }, 'part 1 of the plan has too many paths'],
    [
      { for: '2h', parts: [{ line: 'a', as: 'reading' }] },
      'part 1 of the plan has "line" together with "as" or "paths"',
    ],
    [{ for: '2h', parts: [{ like: 'a', as: 'exact' }] }, 'part 1 of the plan has an "as" that is no kind of lines'],
    [{ for: '2h', parts: [{ like: 'a', paths: [] }] }, 'part 1 of the plan has "paths" that are not a list of paths'],
    [{ for: '2h', parts: [{ line: 'a\0b' }] }, 'part 1 of the plan contains a NUL or half a surrogate pair'],
    [{ for: '2h', parts: [{ line: ' ' }] }, 'part 1 of the plan has no line'],
    [{ for: '2h', parts: [{ line: 'a'.repeat(8_193) }] }, 'part 1 of the plan is too long'],
  ])('%j is refused with one line', (file, message) => {
    expect(readPlan(file, NOW)).toMatchObject({ ok: false, failure: { message } });
  });

  it('that is no plan is refused without showing any of its text', () => {
    const read = readPlanFile('root:secret:0:0', NOW);
    expect(JSON.stringify(read)).not.toContain('secret');
    expect(read.ok).toBe(false);
  });
});

const F = (n: number) => String(n).repeat(64);
const scope = (...parts: (readonly [number, number])[]): PlanScope => ({
  kind: 'plan',
  order: false,
  parts: parts.map(([part, uses]) => ({ part, fingerprint: F(part), scope: null, uses })),
});

describe('the parts of a plan', () => {
  it('may be used as often as they were approved, and not more often', () => {
    const given = scope([1, 2], [2, 1]);
    const uses = [1, 1, 2].reduce<readonly number[]>((now, part) => usedParts(given, now, [part]) ?? [], [0, 0]);
    expect(uses).toEqual([2, 1]);
    expect(isUsedUp(given, uses)).toBe(true);
    expect(usedParts(given, uses, [1])).toBeNull();
    expect(usedParts(given, [0, 0], [1, 1])).toBeNull();
    expect(usedParts(given, [0, 0], [])).toBeNull();
    expect(usedParts(given, [0, 0], [3])).toBeNull();
  });

  it('are used one after another if the plan says so, and a part that was struck out delays no other part', () => {
    const given = { ...scope([1, 2], [3, 1], [4, 1]), order: true };
    const open = (uses: readonly number[]) => openParts(given, uses).map(({ part }) => part);
    expect(open([0, 0, 0, 0])).toEqual([1]);
    expect(open([1, 0, 0, 0])).toEqual([1, 3]);
    expect(open([1, 0, 1, 0])).toEqual([1, 4]);
    expect(usedParts(given, [0, 0, 0, 0], [1, 3])).toBeNull();
  });

  it('never have more uses in total than were approved, whatever is tried', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 1, maxLength: 5 }),
        fc.boolean(),
        fc.array(fc.array(fc.integer({ min: 1, max: 6 }), { maxLength: 3 }), { maxLength: 40 }),
        (limits, order, tries) => {
          const given = { ...scope(...limits.map((uses, at) => [at + 1, uses] as const)), order };
          let now: readonly number[] = limits.map(() => 0);
          for (const wanted of tries) now = usedParts(given, now, wanted) ?? now;
          expect(now.every((uses, at) => uses <= (limits[at] ?? 0))).toBe(true);
          if (order) expect(now.every((uses, at) => at === 0 || uses === 0 || (now[at - 1] ?? 0) > 0)).toBe(true);
        },
      ),
    );
  });
});

describe('an approved plan', () => {
  const request = {
    kind: 'plan',
    text: 't',
    argv: [],
    cwd: '/',
    host: 'h',
    user: 'u',
    environment: [],
  } as unknown as ExecutionRequest;
  const plan = pendingGrant({
    version: 2,
    state: 'approved',
    request,
    term: { kind: 'timed', untilMs: NOW + 1 },
    scope: scope([1, 1], [2, 1]),
    decidedAtMs: 1,
    decidedBy: 'o',
    partUses: [0, 0],
  });
  it('is used only by its parts, and is used up with the last of them', () => {
    expect(transition(plan, { kind: 'use' }, NOW)).toMatchObject({ failure: { kind: 'by-parts' } });
    const first = transition(plan, { kind: 'use', parts: [2] }, NOW);
    expect(first).toMatchObject({ value: { state: 'approved', version: 3, partUses: [0, 1], uses: 1 } });
    const last = first.ok ? transition(first.value, { kind: 'use', parts: [1] }, NOW) : first;
    expect(last).toMatchObject({ value: { state: 'used', partUses: [1, 1] } });
    expect(transition(plan, { kind: 'use', parts: [1] }, NOW + 1)).toMatchObject({ failure: { state: 'expired' } });
  });
  it('can be ended by its requester, but another grant cannot', () => {
    expect(transition(plan, { kind: 'finish' }, NOW)).toMatchObject({ value: { state: 'used', usedAtMs: NOW } });
    expect(transition({ ...plan, scope: null }, { kind: 'finish' }, NOW)).toMatchObject({ ok: false });
    expect(transition({ ...plan, scope: null }, { kind: 'use', parts: [1] }, NOW)).toMatchObject({ ok: false });
  });
});

describe('an approval of a plan', () => {
  const wide = { kind: 'commands', patterns: [], conditions: {}, mostUses: null } as unknown as CommandScope;
  const plan: Plan = {
    order: true,
    end: { forMs: 1 },
    parts: [
      { text: 'a', cwd: '/', as: 'exact', uses: 2 },
      { text: 'b', cwd: '/', as: 'operation', uses: 2 },
    ],
  };
  const offer = (id: string, given: CommandScope | null): PartOffer => ({ id, title: id, scope: given, held: null });
  const offers = [[offer('exact', null)], [offer('exact', null), offer('operation', wide)]];
  const fault = (given: Partial<PlanScope>) =>
    planScopeFault({ ...scope([1, 2], [2, 2]), order: true, ...given }, plan, [F(1), F(2)], offers)?.message ?? null;
  const part = (number: number, more: object) => ({
    part: number,
    fingerprint: F(number),
    scope: null,
    uses: 1,
    ...more,
  });

  it('may take away parts and reach', () => {
    expect(fault({})).toBeNull();
    expect(fault({ parts: [part(2, { scope: { ...wide } })] })).toBeNull();
    expect(fault({ parts: [part(1, {})] })).toBeNull();
  });
  it.each([
    ['no order, although the plan has one', { order: false }],
    ['a part that was not planned', { parts: [part(3, {})] }],
    ['a part twice', { parts: [part(1, {}), part(1, {})] }],
    ['another order of parts', { parts: [part(2, {}), part(1, {})] }],
    ['another line', { parts: [part(1, { fingerprint: F(2) })] }],
    ['more uses than the plan asks for', { parts: [part(1, { uses: 3 })] }],
    ['a scope that was not asked for', { parts: [part(1, { scope: wide })] }],
    ['another scope', { parts: [part(2, { scope: { ...wide, mostUses: 5 } })] }],
  ] as const)('may not give %s', (_, given) => {
    expect(fault(given as Partial<PlanScope>)).not.toBeNull();
  });

  it('is signed as a whole: each change of a part, of its uses or of the order gives another text', () => {
    const document = {
      typ: 'ape-decision/1',
      grantId: 'g_a',
      term: { kind: 'timed', untilMs: NOW },
      expiresAtMs: null,
      scope: scope([1, 1], [2, 2]),
    } as unknown as DecisionDocument;
    const given = document.scope as PlanScope;
    const others: PlanScope[] = [
      { ...given, order: true },
      { ...given, parts: given.parts.slice(1) },
      { ...given, parts: given.parts.toReversed() },
      ...[{ part: 3 }, { uses: 7 }, { fingerprint: F(7) }, { scope: wide }].map((change) => ({
        ...given,
        parts: given.parts.map((each, at) => (at === 0 ? { ...each, ...change } : each)),
      })),
    ];
    const texts = [given, ...others].map((each) => sealedText({ ...document, scope: each }));
    expect(new Set(texts).size).toBe(texts.length);
  });

  it('is counted part by part on the host', () => {
    const given = { ...scope([1, 1], [2, 2]), order: true };
    const document = {
      typ: 'ape-decision/1',
      grantId: 'g_a',
      term: { kind: 'timed', untilMs: NOW },
      expiresAtMs: null,
      scope: given,
    } as unknown as DecisionDocument;
    expect(countedUse(document, 2)).toEqual({ key: 'g_a-2', most: 2, after: 'g_a-1', endsAtMs: NOW });
    expect(countedUse(document, 1)).toEqual({ key: 'g_a-1', most: 1, after: null, endsAtMs: NOW });
    expect(() => countedUse(document, 3)).toThrow();
    expect(() => countedUse(document, undefined)).toThrow();
    expect(() => countedUse({ ...document, term: { kind: 'always' } }, 1)).toThrow();
  });
});

it('the text of a plan names the directory of each part that is in another directory than the plan', () => {
  const part = { text: 'rm -rf build', cwd: '/work/a', as: 'exact', uses: 1 };
  const parts = [part, { ...part, cwd: '/work/b' }, { ...part, cwd: '/work/b', uses: 2 }];
  expect(
    planText({ order: false, end: { forMs: 1 }, parts }, '/work/a')
      .split('\n')
      .slice(1),
  ).toEqual(['1. rm -rf build', '2. rm -rf build, in /work/b', '3. rm -rf build, in /work/b, up to 2 times']);
});

it('equal plans have one fingerprint, and each different plan has its own', () => {
  const plan: Plan = { order: false, end: { forMs: 1 }, parts: [{ text: 'a', cwd: '/', as: 'exact', uses: 1 }] };
  const of = (each: Plan) =>
    canonicalRequest({
      kind: 'plan',
      text: planText(each, '/'),
      argv: [],
      cwd: '/',
      host: 'h',
      user: 'u',
      environment: [],
      plan: each,
    });
  const others: Plan[] = [
    { ...plan, order: true },
    { ...plan, end: { forMs: 2 } },
    { ...plan, end: { untilMs: 1 } },
    ...[{ text: 'b' }, { cwd: '/b' }, { as: 'reading' }, { uses: 2 }, { paths: ['/a'] }].map((change) => ({
      ...plan,
      parts: plan.parts.map((part) => ({ ...part, ...change })),
    })),
  ];
  expect(new Set([plan, ...others].map(of)).size).toBe(1 + others.length);
});

it('the request of a part is that of its own line, with those variables of the plan that this line binds', () => {
  const environment = ['PATH', 'TARGET'].map((name) => ({ name, value: 'x' }));
  const plan: ExecutionRequest = { kind: 'plan', text: '', argv: [], cwd: '/', host: 'h', user: 'u', environment };
  const namesOf = (text: string) =>
    partRequest(plan, { text, cwd: '/a', as: 'exact', uses: 1 }).environment.map(({ name }) => name);
  expect([namesOf('touch a'), namesOf('touch "$TARGET"')]).toEqual([['PATH'], ['PATH', 'TARGET']]);
});
