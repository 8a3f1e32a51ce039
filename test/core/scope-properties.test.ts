/** Properties of coverage, with random scopes and permissions. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RequiredPermission } from '../../src/core/effects/assess-line.ts';
import { canonicalPermission, type Resource, RISKS } from '../../src/core/effects/permission.ts';
import { readCanonicalPermission } from '../../src/core/rules/read-canonical-permission.ts';
import type { CommandPattern, CommandScope, ResourcePattern } from '../../src/core/scope/command-scope.ts';
import { coverLine } from '../../src/core/scope/cover-line.ts';
import { isCommandScope } from '../../src/core/scope/scope-shape.ts';
import { quoteWord } from '../../src/core/text/quote.ts';
import { readCorpus } from '../corpus/corpus.ts';
import { commandPattern, commandScope, LINES, line } from './scope-arbitrary.ts';
import { APP, assess, covers, factsIn, NOON, pattern, requiredPermissionsOf, scope, world } from './scope-fixture.ts';

const isCovered = (requiredPermissions: readonly RequiredPermission[], one: CommandScope): boolean =>
  coverLine(requiredPermissions, [{ grantId: 'g', scope: one }], factsIn()).kind === 'covered';

/** Scopes that often fit a line: made from the required permissions of the line, each member wide or narrow. */
const fitting = fc
  .tuple(line, fc.infiniteStream(fc.boolean()))
  .map(([text, coins]): readonly [string, CommandScope] => {
    const isWide = () => coins.next().value === true;
    const patterns = requiredPermissionsOf(text).map(({ permission, programs }): CommandPattern => {
      const resources = permission.resources.map(({ kind, access, value, isExact }): ResourcePattern => {
        const directory = kind === 'path' && value.startsWith(APP) && isWide() ? APP : value;
        const values =
          kind === 'path' && (!isExact || isWide())
            ? ({ match: 'below', value: directory } as const)
            : isExact
              ? ({ match: 'exact', value } as const)
              : ({ match: 'any' } as const);
        return { kind, access: [access], values };
      });
      return pattern({
        operations: [permission.operation],
        options: isWide() ? 'any' : permission.options,
        resources: [...new Map(resources.map((each) => [JSON.stringify(each), each])).values()],
        highestRisk: permission.risk === 'critical' ? 'high' : permission.risk,
        programs: {
          listed: isWide() ? [] : [...new Set(programs.flatMap(({ realPath }) => realPath ?? []))],
          rootOwned: true,
        },
      });
    });
    const distinct = [...new Map(patterns.map((each) => [JSON.stringify(each), each])).values()];
    return [text, scope(distinct, { cwdBelow: isWide() ? APP : null }, isWide() ? 5 : null)];
  });

/** One way to let a scope reach further. */
const widening: fc.Arbitrary<(one: CommandScope) => CommandScope> = fc.oneof(
  commandPattern.map((more) => (one: CommandScope) => ({ ...one, patterns: [...one.patterns, more] })),
  fc
    .tuple(
      fc.nat(),
      fc.constantFrom<(each: CommandPattern) => CommandPattern>(
        (each) => ({ ...each, options: 'any' }),
        (each) => ({ ...each, options: each.options === 'any' ? 'any' : [...each.options, '--zz'] }),
        (each) => ({ ...each, highestRisk: 'high' }),
        (each) => ({ ...each, programs: { ...each.programs, rootOwned: true } }),
        (each) => ({ ...each, programs: { ...each.programs, listed: [...each.programs.listed, '/opt/zz'] } }),
        (each) => ({
          ...each,
          operations: 'reading' in each.operations ? { reading: true, tool: null } : [...each.operations, 'zz'],
        }),
        (each) => ({
          ...each,
          resources: [...each.resources, { kind: 'path', access: ['read'], values: { match: 'any' } }],
        }),
        (each) => ({ ...each, resources: each.resources.map(wider) }),
        (each) => ({
          ...each,
          resources: each.resources.map((one) => ({ ...one, access: [...new Set([...one.access, 'read' as const])] })),
        }),
      ),
    )
    .map(([nat, change]) => (one: CommandScope) => ({
      ...one,
      patterns: one.patterns.map((each, at) => (at === nat % one.patterns.length ? change(each) : each)),
    })),
  fc.constantFrom<(one: CommandScope) => CommandScope>(
    (one) => ({ ...one, mostUses: null }),
    (one) => ({ ...one, conditions: { ...one.conditions, cwdBelow: null } }),
    (one) => ({ ...one, conditions: { ...one.conditions, hours: null } }),
    (one) => ({
      ...one,
      conditions: { ...one.conditions, cwdBelow: one.conditions.cwdBelow === null ? null : '/home' },
    }),
  ),
);

function wider(each: ResourcePattern): ResourcePattern {
  const { kind, values } = each;
  if (values.match === 'any') return each;
  if (kind !== 'path') return { ...each, values: { match: 'any' } };
  const parent = values.value.slice(0, values.value.lastIndexOf('/'));
  return {
    ...each,
    values: { match: 'below', value: values.match === 'exact' ? values.value : parent || values.value },
  };
}

it('a scope that reaches further covers no less', () => {
  let checked = 0;
  const scopes = fc.oneof({ weight: 3, arbitrary: fitting }, { weight: 1, arbitrary: fc.tuple(line, commandScope) });
  fc.assert(
    fc.property(scopes, fc.array(widening, { minLength: 1, maxLength: 4 }), ([text, one], changes) => {
      const wide = changes.reduce((each, change) => change(each), one);
      if (!isCommandScope(wide) || !covers(one, text)) return;
      checked += 1;
      expect(covers(wide, text)).toBe(true);
    }),
    { numRuns: 800 },
  );
  expect(checked).toBeGreaterThan(250);
});

/** One way to let a required permission ask for more. */
const more = fc.oneof(
  fc.constantFrom('--zz', '--force', '--output').map(
    (option) =>
      (required: RequiredPermission): RequiredPermission => ({
        ...required,
        permission: { ...required.permission, options: [...required.permission.options, option] },
      }),
  ),
  fc
    .record({
      kind: fc.constantFrom('path', 'host', 'ref', 'variable', 'url', 'package'),
      access: fc.constantFrom('read', 'write', 'delete', 'execute', 'contact'),
      value: fc.constantFrom(
        `${APP}/a`,
        '/etc/passwd',
        '/home/u/.ssh/id',
        'main',
        'FOO=1',
        'web',
        'https://a.example.com/',
      ),
      isExact: fc.boolean(),
    } satisfies { [K in keyof Resource]: fc.Arbitrary<Resource[K]> })
    .map(
      (resource) =>
        (required: RequiredPermission): RequiredPermission => ({
          ...required,
          permission: { ...required.permission, resources: [...required.permission.resources, resource] },
        }),
    ),
  fc.constant(
    (required: RequiredPermission): RequiredPermission => ({
      ...required,
      permission: { ...required.permission, risk: RISKS[RISKS.indexOf(required.permission.risk) + 1] ?? 'critical' },
    }),
  ),
  fc.constantFrom('root' as const, 'user' as const).map(
    (changeable) =>
      (required: RequiredPermission): RequiredPermission => ({
        ...required,
        programs: [...required.programs, { name: 'zz', realPath: '/opt/other/zz', changeable }],
      }),
  ),
);

it('a required permission that asks for more is covered by no more scopes', () => {
  let checked = 0;
  fc.assert(
    fc.property(fc.oneof(fitting, fc.tuple(line, commandScope)), fc.nat(), more, ([text, one], nat, add) => {
      const requiredPermissions = requiredPermissionsOf(text);
      const grown = requiredPermissions.map((each, at) => (at === nat % requiredPermissions.length ? add(each) : each));
      if (!isCovered(grown, one)) return;
      checked += 1;
      expect(isCovered(requiredPermissions, one)).toBe(true);
    }),
    { numRuns: 1000 },
  );
  expect(checked).toBeGreaterThan(90);
});

it('a scope that covers a longer line also covers the line without its last command or redirection', () => {
  let checked = 0;
  const added = fc.oneof(
    fc
      .tuple(fc.constantFrom('; ', ' && ', ' || ', ' | ', ' & ', '\n'), line)
      .map(([separator, text]) => separator + text),
    fc.constantFrom(
      ' > out',
      ' >> src/out',
      ' 2> /tmp/err',
      ' < a',
      ' > ~/.bashrc',
      ' &> log',
      ' > /dev/null',
      ' 2>&1',
    ),
  );
  fc.assert(
    fc.property(
      fc.oneof(fitting, fc.tuple(line, commandScope)),
      fc.boolean(),
      line,
      added,
      ([text, one], isOwn, other, end) => {
        const longer = isOwn ? text + end : other + end;
        const shorter = isOwn ? text : other;
        if (/<<|#|\n\S*$/.test(shorter) || !covers(one, longer)) return;
        checked += 1;
        expect([shorter, covers(one, shorter)]).toEqual([shorter, true]);
      },
    ),
    { numRuns: 500 },
  );
  expect(checked).toBeGreaterThan(15);
});

it('each grant that is named for a permission covers that permission alone', () => {
  fc.assert(
    fc.property(fc.array(fitting, { minLength: 1, maxLength: 4 }), (parts) => {
      const requiredPermissions = parts.flatMap(([text]) => requiredPermissionsOf(text));
      const candidates = parts.map(([, each], at) => ({ grantId: `g_${at}`, scope: each }));
      const found = coverLine(requiredPermissions, candidates, factsIn());
      if (found.kind === 'uncovered') return;
      found.by.forEach((grantId, at) => {
        const required = requiredPermissions[at];
        const one = candidates.find((each) => each.grantId === grantId);
        expect(required !== undefined && one !== undefined && isCovered([required], one.scope)).toBe(true);
      });
      expect([...found.grantIds].sort()).toEqual([...new Set(found.by)].sort());
    }),
    { numRuns: 500 },
  );
});

it('a scope is unchanged by JSON', () => {
  fc.assert(
    fc.property(
      line,
      fc.oneof(
        commandScope,
        fitting.map(([, one]) => one),
      ),
      (text, one) => {
        const read = JSON.parse(JSON.stringify(one)) as CommandScope;
        expect(read).toEqual(one);
        expect(isCommandScope(read)).toBe(isCommandScope(one));
        expect(covers(read, text)).toBe(covers(one, text));
      },
    ),
    { numRuns: 500 },
  );
});

it('any value may pose as a scope: it is checked without an error, and covers nothing unless it is a scope', () => {
  const requiredPermissions = requiredPermissionsOf('git log');
  fc.assert(
    fc.property(fc.oneof(fc.anything(), commandScope.chain(damaged)), (claimed) => {
      const covered =
        coverLine(requiredPermissions, [{ grantId: 'g', scope: claimed as CommandScope }], factsIn()).kind ===
        'covered';
      if (!isCommandScope(claimed)) expect(covered).toBe(false);
    }),
    { numRuns: 600 },
  );
});

/** One value somewhere inside the scope is replaced. */
const damaged = (one: CommandScope): fc.Arbitrary<unknown> =>
  fc.tuple(fc.nat(), fc.anything()).map(([nat, value]) => {
    const places: (readonly [Record<string, unknown>, string])[] = [];
    const copy = JSON.parse(JSON.stringify(one)) as Record<string, unknown>;
    const walk = (at: unknown): void => {
      if (typeof at !== 'object' || at === null) return;
      for (const [key, inner] of Object.entries(at)) {
        places.push([at as Record<string, unknown>, key]);
        walk(inner);
      }
    };
    walk(copy);
    const [at, key] = places[nat % places.length] ?? [copy, 'kind'];
    at[key] = value;
    return copy;
  });

describe('the canonical text of a permission', () => {
  it('can be read back, for every command of the corpus', () => {
    for (const text of LINES)
      for (const { permission } of requiredPermissionsOf(text)) {
        const { sentence: _, ...rest } = permission;
        expect(readCanonicalPermission(canonicalPermission(permission))).toEqual(rest);
      }
  });
  it('is the same only for equal permissions', () => {
    const text = fc.string({ maxLength: 6 });
    const permission = fc.record({
      tool: text,
      operation: text,
      options: fc.array(text, { maxLength: 3 }),
      resources: fc.array(
        fc.record({
          kind: fc.constantFrom('path', 'host', 'ref'),
          access: fc.constantFrom('read', 'write', 'contact'),
          value: text,
          isExact: fc.boolean(),
        } satisfies { [K in keyof Resource]: fc.Arbitrary<Resource[K]> }),
        { maxLength: 3 },
      ),
      risk: fc.constantFrom(...RISKS),
      sentence: text,
    });
    fc.assert(
      fc.property(permission, (one) => {
        const read = readCanonicalPermission(canonicalPermission(one));
        expect(read).toEqual({ ...one, sentence: undefined });
        expect(canonicalPermission({ ...one, ...read, sentence: 'other' })).toBe(canonicalPermission(one));
      }),
    );
  });
  it('is refused with anything else in it', () => {
    const good = canonicalPermission(requiredPermissionsOf('git log')[0]?.permission ?? ({} as never));
    expect(readCanonicalPermission(good)).not.toBe(null);
    for (const bad of [
      '',
      '{}',
      '[]',
      'null',
      good.replace('/1', '/2'),
      good.replace('"low"', '"none"'),
      good.replace('"read"', '"look"'),
      good.slice(0, -1),
      good.replace('false', '0'),
    ])
      expect([bad, readCanonicalPermission(bad)]).toEqual([bad, null]);
    fc.assert(fc.property(fc.oneof(fc.json(), fc.string()), (text) => readCanonicalPermission(text) === null));
  });
});

describe('a wrapper around a line never lowers its risk', () => {
  const rank = (text: string): number => {
    const { risk } = assess(text);
    return risk === null ? RISKS.length : RISKS.indexOf(risk);
  };
  /** Lines that begin with a program. In front of an assignment or of `cd`, a wrapper would make another line. */
  const texts = readCorpus()
    .map(({ text }) => text)
    .filter((text) => text.length < 2_000 && /^(?!cd\b)[\w./~-]+(?=\s|$)/.test(text));
  it.each([
    ['timeout 5', (text: string) => `timeout 5 ${text}`],
    ['nice', (text: string) => `nice ${text}`],
    ['env', (text: string) => `env ${text}`],
    ['nohup', (text: string) => `nohup ${text}`],
    ['command', (text: string) => `command ${text}`],
    ['bash -c', (text: string) => `bash -c ${quoteWord(text)}`],
    ['sh -lc', (text: string) => `sh -lc ${quoteWord(text)}`],
    ['sudo', (text: string) => `sudo ${text}`],
    ['xargs', (text: string) => `xargs ${text}`],
  ])('whichever line of the corpus %s runs', (_, wrap) => {
    const lower = texts.filter((text) => rank(wrap(text)) < rank(text));
    expect(lower).toEqual([]);
  });
});

it('the fixture asks on a Monday, in the directory of the app', () => {
  expect(new Date(NOON).getUTCDay()).toBe(1);
  expect(world.cwd).toBe(APP);
});
