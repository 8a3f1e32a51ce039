/** Which lines a policy forbids, by text and by pattern. */
import { describe, expect, it } from 'vitest';
import { denies, denyRuleFault, firstDenial } from '../../src/core/policy/deny-rule.ts';
import { denySubject } from '../../src/core/policy/deny-subject.ts';
import type { DenyPattern, DenyRule, ResourcePattern } from '../../src/core/scope/command-scope.ts';
import { APP, assess, world } from './scope-fixture.ts';

const rule = (over: Partial<DenyRule>): DenyRule => ({
  id: 'd_1',
  requesterId: null,
  text: null,
  pattern: null,
  reason: 'because',
  ...over,
});
const byText = (text: string) => rule({ text });
const byPattern = (operations: readonly string[], resources: readonly ResourcePattern[] = []) =>
  rule({ pattern: { operations, resources } });
const vetoes = (one: DenyRule, text: string, place = world) =>
  denies(one, 'r_1', denySubject({ text }, assess(text, place)));
const vetoed = (one: DenyRule, texts: readonly string[]) => texts.map((text) => [text, vetoes(one, text)]);
const all = (texts: readonly string[], is: boolean) => texts.map((text) => [text, is]);

describe('a rule by text', () => {
  it('fits the whole line and each command, with quoting removed, and behind wrappers', () => {
    const texts = [
      'git push',
      '  git push --force',
      'git   push',
      `'git' pu"sh"`,
      '/usr/bin/git push',
      'cd x && git push origin main',
      'ls; timeout 5 git push',
      'sudo -u u git push',
      `bash -c 'git push'`,
      'ssh web git push',
      'FOO=1 git push',
      'for i in a; do git push; done',
      'git \\\npush',
    ];
    expect(vetoed(byText('git push*'), texts)).toEqual(all(texts, true));
  });
  it('does not fit a line that contains the text somewhere else', () => {
    const texts = ['git status', 'echo git push', 'git log --grep "git push"', 'GIT push'];
    expect(vetoed(byText('git push*'), texts)).toEqual(all(texts, false));
  });
  it('fits a command inside wrappers, and the wrappers themselves', () => {
    expect(vetoes(byText('sudo *'), 'cd x && sudo ls')).toBe(true);
    expect(vetoes(byText('sudo *'), 'ls sudo')).toBe(false);
    expect(vetoes(byText('timeout*'), 'ls; timeout 5 ls')).toBe(true);
  });
  it('fits the readable part of an opaque line', () => {
    const texts = [
      'eval x; git push',
      '$(git push)',
      'x=`eval y; git push`',
      '(git push) | $SHELL',
      'a() { git push; }',
      'git push &>(x)',
    ];
    for (const text of texts) expect([text, assess(text).requiredPermissions]).toEqual([text, null]);
    expect(vetoed(byText('git push*'), texts)).toEqual(all(texts, true));
  });
  it('fits a line of any length', () => {
    expect(vetoes(byText('git push*secret*'), `git push ${'x'.repeat(50_000)} secret`)).toBe(true);
  });
  it('fits a line that was not looked up', () => {
    expect(denies(byText('rm *'), 'r_1', denySubject({ text: 'ls; rm x' }, null))).toBe(true);
  });
  it('fits a command inside the text that a harness puts around it', () => {
    const text = `source /home/u/.claude/shell-snapshots/snapshot-bash-1-a.sh 2>/dev/null || true && shopt -u extglob 2>/dev/null || true && eval 'git push' && pwd -P >| /tmp/claude-0a1b-cwd`;
    expect(assess(text).folded?.harness).toBe('claude');
    expect(vetoes(byText('git push'), text)).toBe(true);
  });
});

describe('a rule by operation', () => {
  it('fits the operation in every directory and by every user', () => {
    const texts = ['rm x', 'ls && rm -rf x', 'ssh web rm x', 'docker exec app rm x', 'timeout 5 rm x'];
    expect(vetoed(byPattern(['rm']), texts)).toEqual(all(texts, true));
    expect(vetoed(byPattern(['rm']), ['rmdir x', 'ls rm'])).toEqual(all(['rmdir x', 'ls rm'], false));
    expect(vetoes(byPattern(['git *']), 'git log')).toBe(true);
    expect(vetoes(byPattern(['git *']), 'ls')).toBe(false);
    expect(vetoes(byPattern(['on web: *']), 'ssh web ls')).toBe(true);
    expect(vetoes(byPattern(['*']), 'ls')).toBe(true);
  });
  it('fits a command of a shell that the line names by a parameter', () => {
    const texts = [
      `watch '"$0" -c "rm -rf x"'`,
      `watch '$0 -c "rm -rf x"'`,
      `watch '$1 "$@" rm -rf x'`,
      `sh -c 'set a; $0 -c "rm -rf x"'`,
      `sh -c '$1 -rf x' _ rm`,
      `ssh web '"$@" rm x'`,
    ];
    expect(vetoed(byPattern(['rm']), texts)).toEqual(all(texts, true));
  });
  it('fits the names of builtins and wrappers', () => {
    expect(vetoes(byPattern(['cd']), 'cd x && ls')).toBe(true);
    expect(vetoes(byPattern(['sudo']), 'sudo ls')).toBe(true);
    expect(vetoes(byPattern(['docker exec']), 'docker exec app ls')).toBe(true);
  });
  it('fits opaque commands by their words', () => {
    for (const text of ['git -c core.pager=x push', '/usr/bin/git push $(x)', 'eval x; git push'])
      expect([text, vetoes(byPattern(['git push']), text)]).toEqual([text, true]);
    expect(vetoes(byPattern(['git push']), 'git -c x=y log')).toBe(false);
  });

  const secret = (values: ResourcePattern['values']): readonly ResourcePattern[] => [
    { kind: 'path', access: ['read', 'write', 'delete'], values },
  ];
  it('fits a resource, even if only a directory that contains it or lies in it is known', () => {
    const below = byPattern(['*'], secret({ match: 'below', value: `${APP}/secret` }));
    const texts = [
      'cat secret/a',
      'echo x > secret/a',
      'grep -r x .',
      'grep -r x secret/deep',
      'rm -rf ~/app',
      'LC_ALL=C sort < secret',
    ];
    expect(vetoed(below, texts)).toEqual(all(texts, true));
    expect(vetoed(below, ['cat a', 'cat secrets', 'ls src'])).toEqual(all(['cat a', 'cat secrets', 'ls src'], false));
    expect(vetoes(below, 'cat link', { ...world, links: { [`${APP}/link`]: `${APP}/secret/a` } })).toBe(true);
    const exact = byPattern(['*'], secret({ match: 'exact', value: `${APP}/key` }));
    expect(vetoed(exact, ['cat key', 'cat -- *', 'grep -r x ..'])).toEqual(
      all(['cat key', 'cat -- *', 'grep -r x ..'], true),
    );
    expect(vetoed(exact, ['cat keys'])).toEqual(all(['cat keys'], false));
    expect(vetoes(byPattern(['cat'], secret({ match: 'below', value: '/etc' })), 'ssh web cat /etc/x')).toBe(true);
  });
  it('fits hosts, also in URLs, with users and ports, and with stars that may be anything', () => {
    const host = byPattern(
      ['*'],
      [{ kind: 'host', access: ['contact'], values: { match: 'glob', value: '*.evil.com' } }],
    );
    const texts = [
      'ssh a.evil.com ls',
      'ssh root@a.b.evil.com ls',
      'curl https://x.evil.com:8080/y',
      'ping -c 1 a.evil.com',
    ];
    expect(vetoed(host, texts)).toEqual(all(texts, true));
    expect(vetoes(host, 'curl https://evil.com.example.org/')).toBe(false);
    const admin = byPattern(
      ['curl'],
      [{ kind: 'url', access: ['contact'], values: { match: 'glob', value: 'https://x.org/admin/*' } }],
    );
    const urls = ['x.org/admin/a', 'x.org/a/../admin/b', 'x.org/%61dmin/b', `x.org/admin/${'y'.repeat(9000)}`];
    expect(
      vetoed(
        admin,
        urls.map((url) => `curl https://${url}`),
      ).map(([, is]) => is),
    ).toEqual(urls.map(() => true));
    expect(vetoes(admin, 'curl "https://x.org/$A"')).toBe(true);
    expect(vetoes(admin, 'curl https://x.org/public')).toBe(false);
  });
});

it('a rule for one requester applies to that requester only', () => {
  const subject = denySubject({ text: 'ls' }, assess('ls'));
  expect(denies(rule({ requesterId: 'r_1', text: 'ls' }), 'r_1', subject)).toBe(true);
  expect(denies(rule({ requesterId: 'r_1', text: 'ls' }), 'r_2', subject)).toBe(false);
});

it('the first rule that fits is named', () => {
  const rules = [byText('rm*'), { ...byText('l*'), id: 'd_2' }, { ...byText('ls'), id: 'd_3' }];
  expect(firstDenial(rules, 'r_1', denySubject({ text: 'ls' }, assess('ls')))?.id).toBe('d_2');
  expect(firstDenial([], 'r_1', denySubject({ text: 'ls' }, assess('ls')))).toBe(null);
});

it('a malformed rule forbids everything rather than nothing', () => {
  expect(vetoes(rule({}), 'ls')).toBe(true);
  expect(vetoes({ ...byText('rm'), more: 1 } as DenyRule, 'ls')).toBe(true);
  expect(vetoes(rule({ requesterId: 'r_9', pattern: { operations: [] } as never as DenyPattern }), 'ls')).toBe(true);
});

it.each<[string, unknown]>([
  ['neither text nor pattern', rule({})],
  ['both', rule({ text: 'x', pattern: { operations: ['x'], resources: [] } })],
  ['no reason', { ...byText('x'), reason: ' ' }],
  ['no operations', byPattern([])],
  ['a star inside an operation', byPattern(['git * push'])],
  [
    'a relative directory',
    byPattern(['rm'], [{ kind: 'path', access: ['delete'], values: { match: 'below', value: 'x' } }]),
  ],
  ['an unknown kind', byPattern(['rm'], [{ kind: 'planet' as never, access: ['delete'], values: { match: 'any' } }])],
  ['too many stars', byText('a*b*c*d*e*f*g*h*i*j')],
  ['an empty text', byText('')],
  ['nothing', null],
])('a rule with %s is refused', (_, bad) => {
  expect(denyRuleFault(bad)?.message).toMatch(/\w+ \w+/);
});

it('the rules of these tests are valid rules', () => {
  expect(denyRuleFault(byText('*'))).toBe(null);
  expect(
    denyRuleFault(
      byPattern(['git *'], [{ kind: 'host', access: ['contact'], values: { match: 'glob', value: '*.com' } }]),
    ),
  ).toBe(null);
});
