/** Random scopes, rules and lines from small pools of related values, so that scopes often cover lines. */
import fc from 'fast-check';
import { RISKS } from '../../src/core/effects/permission.ts';
import type {
  CommandPattern,
  CommandScope,
  DenyRule,
  ResourcePattern,
  ScopeConditions,
} from '../../src/core/scope/command-scope.ts';
import { readCorpus } from '../corpus/corpus.ts';
import { APP, assess, world } from './scope-fixture.ts';

/** Every understood line of the corpus, and some lines about the pools below. */
export const LINES: readonly string[] = [
  ...new Set([
    ...readCorpus().map(({ text }) => text),
    ...'git log|git log --oneline|git log --oneline --stat src|git status|git diff main|ls|ls -la src|cat a|cat src/a'.split(
      '|',
    ),
    ...'cat /etc/hosts|cat ~/.ssh/id_rsa|head -5|grep -rn x src|rm a|rm -rf build|echo hi|echo hi > out|cd src'.split(
      '|',
    ),
    ...'git push origin main|git fetch|npm test|curl https://api.example.com/v1/x|ssh web uptime|date|sort a -o b'.split(
      '|',
    ),
    ...'LC_ALL=C sort a|FOO=1 ls|timeout 5 git log|nice ls|true|docker ps|kill 12|./build.sh|cat -- *.ts'.split('|'),
  ]),
].filter((text) => text.length < 2_000 && assess(text).requiredPermissions !== null);

export const anyLine = fc.constantFrom(...LINES);
/** Lines about the pools have more weight. */
export const line = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom(...LINES.slice(-33)) },
  { weight: 1, arbitrary: anyLine },
);

const OPERATIONS = [
  ...new Set(
    LINES.flatMap((text) => (assess(text).requiredPermissions ?? []).map(({ permission }) => permission.operation)),
  ),
];
const COMMON = ['git log', 'git status', 'ls', 'cat', 'rm', 'shell', 'grep', 'git push', 'npm test', 'curl', 'head'];
const operation = fc.oneof(fc.constantFrom(...COMMON), fc.constantFrom(...OPERATIONS));
const option = fc.constantFrom(
  '--oneline',
  '--stat',
  '-l',
  '--all',
  '--recursive',
  '--force',
  '--line-number',
  '--lines',
);

const below = (...values: readonly string[]) => values.map((value) => ({ match: 'below', value }) as const);
const RESOURCES: readonly ResourcePattern[] = [
  ...below(APP, `${APP}/src`, '/home/u', '/tmp').map((values) => ({ kind: 'path', access: ['read'], values }) as const),
  ...below(APP, `${APP}/build`).map(
    (values) => ({ kind: 'path', access: ['read', 'write', 'delete'], values }) as const,
  ),
  { kind: 'path', access: ['read'], values: { match: 'any' } },
  { kind: 'path', access: ['read'], values: { match: 'exact', value: `${APP}/a` } },
  { kind: 'path', access: ['execute'], values: { match: 'below', value: APP } },
  { kind: 'ref', access: ['read', 'write'], values: { match: 'any' } },
  { kind: 'ref', access: ['write'], values: { match: 'glob', value: 'ma*' } },
  { kind: 'remote', access: ['contact'], values: { match: 'exact', value: 'origin' } },
  { kind: 'host', access: ['contact'], values: { match: 'exact', value: 'web' } },
  { kind: 'url', access: ['contact'], values: { match: 'glob', value: 'https://*.example.com/**' } },
  { kind: 'package', access: ['read', 'write'], values: { match: 'any' } },
  { kind: 'process', access: ['read', 'write'], values: { match: 'exact', value: '12' } },
  { kind: 'variable', access: ['write'], values: { match: 'exact', value: 'FOO=1' } },
];
const resource = fc.constantFrom(...RESOURCES);

export const commandPattern: fc.Arbitrary<CommandPattern> = fc
  .tuple(
    fc.oneof(
      { weight: 3, arbitrary: fc.uniqueArray(operation, { minLength: 1, maxLength: 5 }) },
      { weight: 1, arbitrary: fc.constantFrom('git', 'ls', null).map((tool) => ({ reading: true as const, tool })) },
    ),
    fc.oneof(
      { weight: 3, arbitrary: fc.constant('any' as const) },
      { weight: 1, arbitrary: fc.uniqueArray(option, { maxLength: 4 }) },
    ),
    fc.uniqueArray(resource, { minLength: 3, maxLength: 12 }),
    fc.constantFrom(...RISKS.slice(0, 3)),
    fc.record({
      listed: fc.uniqueArray(fc.constantFrom('/usr/bin/git', '/usr/bin/ls', '/usr/bin/cat'), { maxLength: 2 }),
      rootOwned: fc.oneof({ weight: 5, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: fc.constant(false) }),
    }),
  )
  .map(([operations, options, resources, highestRisk, programs]) => ({
    operations,
    options,
    // A pattern that only reads has no other access.
    resources: 'reading' in operations ? resources.filter(({ access }) => access.join() === 'read') : resources,
    highestRisk: highestRisk as CommandPattern['highestRisk'],
    programs,
  }));

const mostly = <T>(usual: T, ...others: readonly T[]): fc.Arbitrary<T> =>
  fc.oneof({ weight: 15, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: fc.constantFrom(usual, ...others) });

const conditions: fc.Arbitrary<ScopeConditions> = fc.record({
  host: mostly('web', 'db'),
  user: mostly('u', 'root'),
  cwdBelow: mostly(null, APP, '/home/u', `${APP}/src`),
  hours: mostly(
    null,
    { from: 540, to: 1020, days: [1], timeZone: 'Europe/Berlin' },
    { from: 1320, to: 60, days: [0], timeZone: 'UTC' },
  ),
  environment: mostly(world.environment, []),
  confinement: mostly(0, 1, 3),
});

export const commandScope: fc.Arbitrary<CommandScope> = fc.record({
  kind: fc.constant('commands' as const),
  patterns: fc.uniqueArray(commandPattern, { minLength: 1, maxLength: 4, selector: (each) => JSON.stringify(each) }),
  conditions,
  mostUses: fc.constantFrom(null, 1, 100),
});

export const denyRule: fc.Arbitrary<Omit<DenyRule, 'id'>> = fc
  .tuple(
    fc.constantFrom(null, null, 'r_1', 'r_2'),
    fc.oneof(
      anyLine,
      anyLine.map((text) => `${text.slice(0, 6)}*`),
      anyLine.map((text) => `*${text.slice(-5)}`),
      fc.constantFrom('*', 'git push*', '*rm*', 'a*', '*build*', 'sudo *', '*example.com*', 'ls', '*x*y*z*'),
      fc.tuple(
        fc.uniqueArray(fc.oneof(operation, fc.constantFrom('git *', 'g*', '*', 'on web: *', 'timeout', 'git pu*')), {
          minLength: 1,
          maxLength: 3,
        }),
        fc.uniqueArray(resource, { maxLength: 2 }),
      ),
    ),
  )
  .map(([requesterId, what]) => ({
    requesterId,
    reason: 'because',
    text: typeof what === 'string' ? what.slice(0, 500) || 'x' : null,
    pattern: typeof what === 'string' ? null : { operations: what[0], resources: what[1] },
  }));
