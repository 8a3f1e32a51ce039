/** The schema of each argument of `apes mcp`, and the function that reads it, refuse the same values. */
import type { TSchema } from 'typebox';
import { Value } from 'typebox/value';
import { describe, expect, test } from 'vitest';
import { readPlan } from '../../src/core/plan/plan-file.ts';
import {
  ARGUMENTS,
  readCommand,
  readDirectory,
  readFlag,
  readGrantId,
  readReason,
  readTimeout,
  type ToolArguments,
} from '../../src/mcp/arguments.ts';

const ID = 'g_abcdefghijklmnopqrstuvwx23';

const READERS: Readonly<Record<keyof typeof ARGUMENTS, (given: ToolArguments) => { readonly ok: boolean }>> = {
  id: readGrantId,
  command: readCommand,
  cwd: readDirectory,
  plan: ({ plan }) => readPlan(plan, 0),
  reason: readReason,
  wait: (given) => readFlag(given, 'wait'),
  timeoutSeconds: (given) => readTimeout(given, 1000),
};

/** Values that are read and that fit the schema. */
const GOOD: Readonly<Record<keyof typeof ARGUMENTS, readonly unknown[]>> = {
  id: [ID],
  command: ['true', 'echo "ä"\n'],
  cwd: ['/', '/tmp'],
  plan: [{ for: '1h', parts: [{ line: 'true' }] }],
  reason: ['', 'r'.repeat(2000)],
  wait: [true, false],
  timeoutSeconds: [1, 1.5, 86_400],
};

const OTHERS: readonly unknown[] = [
  ...[null, true, 0, 0.999, -1, 86_400.5, 86_401, Number.NaN, Number.POSITIVE_INFINITY, '', ' ', 'true', '1', [], {}],
  ...[[ID], { id: ID }, `${ID}x`, ` ${ID}`, `${ID}\n`, ID.toUpperCase(), ID.slice(0, -1), `${ID.slice(0, -1)}1`],
  ...['r'.repeat(2001), 'relative', './x', ['/'], ['true']],
];

const NAMES = Object.keys(ARGUMENTS) as (keyof typeof ARGUMENTS)[];
const isDescribed = (name: keyof typeof ARGUMENTS, value: unknown): boolean =>
  Value.Check(ARGUMENTS[name] as unknown as TSchema, value);

describe.each(NAMES)('the argument %s', (name) => {
  test.each(GOOD[name].map((value) => [value]))('may be %j', (value) => {
    expect(isDescribed(name, value)).toBe(true);
    expect(READERS[name]({ [name]: value }).ok).toBe(true);
  });

  test('is refused by the function whenever the schema refuses it', () => {
    const refused = [...OTHERS, ...Object.values(GOOD).flat()].filter((value) => !isDescribed(name, value));
    expect(refused.length).toBeGreaterThan(10);
    expect(refused.filter((value) => READERS[name]({ [name]: value }).ok)).toEqual([]);
  });
});
