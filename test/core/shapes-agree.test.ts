/**
 * `core` checks scopes, confinements and deny rules without the schemas of the API, which hosts do not load. So the two checks could
 * differ. This test changes every member of a sample in every way, and `core` has to refuse what the schema refuses.
 */
import type { TSchema } from 'typebox';
import { Value } from 'typebox/value';
import { describe, expect, test } from 'vitest';
import { isConfinement, isUnconfined } from '../../src/core/confinement/confinement-shape.ts';
import { denyRuleFault } from '../../src/core/policy/deny-rule.ts';
import { scopeShapeFault } from '../../src/core/scope/scope-shape.ts';
import { ConfinementSchema, UnconfinedSchema } from '../../src/core/wire/confinement.ts';
import { DenyPatternSchema } from '../../src/core/wire/policy.ts';
import { CommandScopeSchema } from '../../src/core/wire/scope.ts';

const SCOPE = {
  kind: 'commands',
  patterns: [
    {
      operations: ['git push', 'git fetch'],
      options: ['--force-with-lease'],
      resources: [
        { kind: 'path', access: ['read', 'write'], values: { match: 'below', value: '/home/dev/project' } },
        { kind: 'host', access: ['contact'], values: { match: 'glob', value: '*.example.org' } },
        { kind: 'path', access: ['read'], values: { match: 'exact', value: '/home/dev/notes.txt' } },
      ],
      highestRisk: 'medium',
      programs: { listed: ['/usr/bin/git'], rootOwned: true },
    },
    {
      operations: { reading: true, tool: 'ls' },
      options: 'any',
      resources: [{ kind: 'path', access: ['read'], values: { match: 'any' } }],
      highestRisk: 'low',
      programs: { listed: [], rootOwned: false },
    },
  ],
  conditions: {
    host: 'workstation',
    user: 'dev',
    cwdBelow: '/home/dev/project',
    hours: { from: 540, to: 1020, days: [1, 2, 3], timeZone: 'Europe/Vienna' },
    environment: [
      { name: 'LANG', value: 'C' },
      { name: 'TOKEN', value: 'ab12', digest: true },
    ],
    confinement: 2,
  },
  mostUses: 5,
};

const CONFINEMENT = {
  level: 2,
  read: ['/usr', '/etc'],
  write: ['/home/dev/project'],
  execute: ['/usr/bin/git'],
  connect: [443],
  readOnly: ['/home/dev/project/.git/hooks'],
  absent: [
    { path: '/home/dev/project/.envrc', below: '/home/dev/project' },
    { path: '/home/dev/.npmrc', below: null },
  ],
  tools: ['git'],
};

const DENY_PATTERN = {
  operations: ['git push*'],
  resources: [{ kind: 'host', access: ['contact'], values: { match: 'glob', value: '*.example.org' } }],
};

// biome-ignore format: one list of values
const REPLACEMENTS: readonly unknown[] = [
  null, true, false, 0, -1, 1.5, 7, 10 ** 7, '', 'any', '/', 'x'.repeat(9_000), [], [null], [''], [0], [[]], {}, { match: 'none' },
  { reading: true }, { level: 0 }, { toString: 1 }, Array.from({ length: 1_100 }, (_, at) => `/d${at}`),
];

/** Every value in which one place of `value` is replaced, dropped, or has an additional member; one difference each. */
function* changed(value: unknown): Generator<unknown> {
  yield* REPLACEMENTS;
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    yield Object.assign([...value], { length: 0 });
    for (const [at, each] of value.entries()) for (const other of changed(each)) yield value.with(at, other);
    return;
  }
  yield { ...value, unknown: 1 };
  for (const [name, each] of Object.entries(value)) {
    const { [name]: _, ...rest } = value as Record<string, unknown>;
    yield rest;
    for (const other of changed(each)) yield { ...value, [name]: other };
  }
}

const DESCRIPTIONS: readonly {
  readonly name: string;
  readonly schema: TSchema;
  readonly sample: unknown;
  readonly isTaken: (value: unknown) => boolean;
}[] = [
  {
    name: 'a scope for commands',
    schema: CommandScopeSchema,
    sample: SCOPE,
    isTaken: (value) => scopeShapeFault(value) === null,
  },
  { name: 'a confinement', schema: ConfinementSchema, sample: CONFINEMENT, isTaken: isConfinement },
  { name: 'no confinement', schema: UnconfinedSchema, sample: { level: 0 }, isTaken: isUnconfined },
  {
    name: 'the pattern of a rule that denies',
    schema: DenyPatternSchema,
    sample: DENY_PATTERN,
    isTaken: (pattern) =>
      denyRuleFault({ id: 'p-1', requesterId: null, text: null, pattern, reason: 'no pushes' }) === null,
  },
];

describe.each(DESCRIPTIONS)('For $name, core and the schema agree', ({ schema, sample, isTaken }) => {
  test('both accept the sample', () => {
    expect({ schema: Value.Check(schema, sample), core: isTaken(sample) }).toEqual({ schema: true, core: true });
  });

  test('core refuses what the schema refuses', () => {
    const refused = [...changed(sample)].filter((value) => !Value.Check(schema, value));
    expect(refused.length).toBeGreaterThan(20);
    expect(refused.filter(isTaken).map((value) => JSON.stringify(value).slice(0, 2_000))).toEqual([]);
  });
});
