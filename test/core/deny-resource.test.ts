/** A rule that forbids a resource matches each resource that may be the forbidden one. */
import { describe, expect, it } from 'vitest';
import type { Resource, ResourceKind } from '../../src/core/effects/permission.ts';
import { DenyIndex } from '../../src/core/policy/deny-index.ts';
import { mayTouch } from '../../src/core/policy/deny-resource.ts';
import { firstDenial } from '../../src/core/policy/deny-rule.ts';
import { denySubject } from '../../src/core/policy/deny-subject.ts';
import type { ResourcePattern } from '../../src/core/scope/command-scope.ts';
import { dangerOfResource } from '../../src/core/sensitive/dangerous-resource.ts';
import { assess } from './scope-fixture.ts';

type Values = ResourcePattern['values'];
const exact = (value: string): Values => ({ match: 'exact', value });
const glob = (value: string): Values => ({ match: 'glob', value });

function touches(kind: ResourceKind, values: Values, of: ResourceKind, value: string, isExact = true): boolean {
  const resource: Resource = { kind: of, access: 'contact', value, isExact };
  return mayTouch({ kind, access: ['contact'], values }, resource);
}

describe.each([
  ['by name', exact('evil.com')],
  ['by glob', glob('*evil.com')],
])('a forbidden host, %s, may be', (_, values) => {
  it.each<[ResourceKind, string, boolean]>([
    ['host', '', false],
    ['host', 'a', false],
    ['url', '', false],
    ['url', 'https:', false],
    ['url', 'https://', false],
    ['url', 'https://a', false],
    ['url', 'https://evil.com/x', false],
    ['url', 'https://EVIL.com/x', true],
    ['url', 'https://u@evil.com:443/x', true],
    ['url', 'https://evil.com', true],
    ['host', 'Evil.com.', true],
    ['host', 'u@evil.com:22', true],
  ])('%s %j, exact %s', (kind, value, isExact) => expect(touches('host', values, kind, value, isExact)).toBe(true));

  it.each<[ResourceKind, string, boolean]>([
    ['host', 'a.com', true],
    ['host', '127.0.0.1', true],
    ['url', 'https://a.com/x', true],
    ['url', 'https://a.com/evil.com', false],
    ['url', 'https://a.com?x', false],
  ])('but not %s %j, exact %s', (kind, value, isExact) =>
    expect(touches('host', values, kind, value, isExact)).toBe(false),
  );
});

it.each<[ResourceKind, Values, string, boolean]>([
  ['host', exact('Evil.com'), 'evil.com', true],
  ['host', exact('::1'), '[::1]', true],
  ['url', exact('https://x.org/a'), '', false],
  ['url', glob('https://x.org/admin/*'), 'https://x.org/pub/', false],
  ['url', glob('https://x.org/admin/*'), 'https://x', false],
  ['url', glob('https://x.org/admin/*'), 'https://u@x.org/admin/a', true],
  ['url', glob('https://x.org/admin/*'), 'https://X.org:443/admin/a', true],
  ['url', exact('https://x.org/'), 'https://x.org', true],
  ['url', exact('https://x.org'), 'https://x.org/', true],
  ['url', exact('https://x.org/a'), 'https://x.org?/../a', true],
  ['url', exact('https://x.org/a'), 'https://x.org/a#b', true],
  ['url', exact('https://x.org/a'), 'https://x.org//a', true],
  ['url', exact('https://x.org/a'), 'https://x.org/a;b=c', true],
  ['url', glob('http://h:8080/**'), 'http://h.:8080/x', true],
  ['url', glob('http://h:8080/**'), 'http://h:08080/x', true],
  ['url', glob('http://h/**'), 'http://h:080/x', true],
  ['url', glob('ftp://h/**'), 'ftp://h:21/x', true],
  ['url', glob('ftp://h/**'), 'ftp://h./x', true],
  ['url', glob('git://h/**'), 'git://h.:09418/x', true],
  ['url', glob('http://127.0.0.1/**'), 'http://2130706433/x', true],
  ['url', glob('http://127.0.0.1:8080/**'), 'http://0x7f.1:8080/x', true],
  ['url', glob('http://[::1]/**'), 'http://[0:0:0:0:0:0:0:1]/x', true],
  ['host', exact('127.0.0.1'), '127.1', true],
  ['host', exact('127.0.0.1'), '0177.0.0.01', true],
  ['host', exact('127.0.0.1'), '[::ffff:7f00:1]:80', true],
  ['host', exact('127.0.0.1'), '0', true],
  ['host', exact('2130706433'), '127.0.0.1', true],
  ['host', glob('169.254.*'), '0xa9fea9fe', true],
  ['host', exact('::1'), '[::]', true],
  ['host', exact('fe80::1'), 'fe80:0:0:0::1', true],
  ['ref', exact('main'), 'refs/heads/main', true],
  ['ref', exact('main'), 'heads/main', true],
  ['ref', exact('refs/heads/main'), 'main', true],
  ['ref', glob('refs/heads/release/*'), 'release/1', true],
  ['ref', exact('main'), 'main~2', true],
  ['ref', exact('main'), 'HEAD', true],
  ['ref', exact('main'), '@', true],
  ['ref', exact('HEAD'), 'main', true],
  ['package', exact('lodash'), 'lodash@4.17.20', true],
  ['package', exact('@a/b'), '@a/b@1', true],
  ['package', exact('requests'), 'Requests[socks]==2.0', true],
  ['package', exact('a_b'), 'A.b', true],
  ['package', exact('lodash@4.17.20'), 'lodash', true],
  ['package', exact('lodash@4.17.20'), 'lodash@^4', true],
  ['package', exact('lodash'), 'x@npm:lodash@4', true],
  ['ref', exact('main'), '@{-', false],
  ['ref', exact('main'), 'HEA', false],
  ['ref', exact('main'), '-', false],
  ['ref', exact('main'), 'refs/h', false],
  ['ref', exact('main'), 'refs/he', false],
  ['ref', exact('main'), 'hea', false],
  ['ref', glob('refs/heads/main'), 'heads', false],
  ['container', exact('x'), 'docker.i', false],
  ['container', exact('x'), 'Docker.io/lib', false],
  ['container', exact('0123456789ab'), 'web', true],
  ['container', exact(`sha256:${'0a'.repeat(32)}`), 'web', true],
  ['container', exact('x'), 'x:1', true],
  ['container', exact('x:latest'), 'x', true],
  ['container', exact('localhost:5000/app:latest'), 'localhost:5000/app', true],
  ['container', exact('docker.io/library/x'), 'x', true],
  ['container', exact('x'), 'index.docker.io/library/x', true],
  ['container', exact('docker.io/u/x'), 'u/x:2', true],
  ['container', exact('web'), '3f', true],
  ['container', exact('web'), 'sha256:3fa9', true],
  ['container', exact('x'), 'docker.io/library/x@sha256:00', true],
  ['target', exact('a'), './a', true],
  ['process', exact('sshd'), 'ssh', true],
  ['process', exact('sshd'), '12', true],
  ['process', exact('1'), '0', true],
  ['process', glob('ssh*'), '12', true],
  ['variable', exact('FOO'), 'FOO=a', true],
  ['variable', exact('FOO'), 'FOO=', false],
  ...['po', 'pod', 'pods', 'Pod', 'pods.v1.', 'pods.v1', 'pod/web', 'PO/web', 'pods.v1./web', 'all'].flatMap(
    (value): [ResourceKind, Values, string, boolean][] =>
      [exact('pods'), exact('po'), glob('pod*'), exact('pods.v1.')].map((values) => ['service', values, value, true]),
  ),
  ...['deploy/web', 'deployments.apps/web', 'deployments.v1.apps/web', 'Deployment/web', 'deploy', 'all'].flatMap(
    (value): [ResourceKind, Values, string, boolean][] =>
      [exact('deployments/web'), exact('deploy/web'), glob('deployments.apps/*'), glob('*/web')].map((values) => [
        'service',
        values,
        value,
        true,
      ]),
  ),
  ['service', exact('pods/web'), 'po/w', false],
  ['service', exact('secrets'), '', false],
  ['service', exact('pods/web'), 'po', false],
  ['service', exact('certificates/web'), 'cert/web', true],
  ['service', glob('certificates.cert-manager.io/*'), 'cert/web', true],
  ['service', exact('certificates/web'), 'certificates', true],
  ['service', exact('nginx'), 'nginx.service', true],
  ['service', exact('nginx.service'), 'nginx', true],
  ['service', exact('nginx'), 'ng*', true],
  ['path', exact('/b'), '(on web) /a) /b', true],
  ['path', exact('/a) /b'), '(on web) /a) /b', true],
])('a forbidden %s %j may be %j, exact %s', (kind, values, value, isExact) =>
  expect(touches(kind, values, kind, value, isExact)).toBe(true),
);

it.each<[ResourceKind, Values, string]>([
  ['ref', exact('main'), 'feature'],
  ['ref', exact('main'), 'FETCH_HEAD'],
  ['ref', exact('main'), 'feature/main'],
  ['package', exact('lodash'), 'lodash-es@4'],
  ['package', exact('lodash@4.17.20'), 'lodash@4.17.21'],
  ['package', exact('requests==2.0'), 'requests==2.1'],
  ['container', exact('x'), 'xy:1'],
  ['container', exact('db'), 'web'],
  ['process', exact('12'), '13'],
  ['variable', exact('FOO'), 'FOOD=a'],
  ['target', exact('a'), 'ab'],
  ['service', exact('pods/web'), 'po/api'],
  ['service', exact('pods/web'), 'svc/web'],
  ['service', exact('secrets'), 'configmaps/a'],
  ['service', exact('secrets'), 'all'],
  ['service', exact('certificates/web'), 'po/web'],
  ['service', exact('certificates/web'), 'nginx'],
  ['service', exact('nginx'), 'kubernetes'],
  ['service', exact('pods'), 'docker'],
  ['path', exact('/b'), '(on web) /a/b'],
  ['url', glob('http://h:8080/**'), 'http://h:80/x'],
  ['url', glob('http://h:80/**'), 'http://h:8080/x'],
])('a forbidden %s %j is not %j', (kind, values, value) => expect(touches(kind, values, kind, value)).toBe(false));

it('a git push that names no branch may push every branch', () => {
  const pushed = (text: string): readonly Resource[] =>
    assess(text).requiredPermissions?.flatMap(({ permission }) => permission.resources) ?? [];
  const main: ResourcePattern = { kind: 'ref', access: ['write', 'delete'], values: exact('main') };
  const isForbidden = (text: string) => pushed(text).some((resource) => mayTouch(main, resource));
  expect(
    ['git push origin', 'git push origin HEAD', 'git push', 'git push origin x:refs/heads/main'].map(isForbidden),
  ).toEqual([true, true, true, true]);
  expect(['git push origin feature', 'git fetch origin'].map(isForbidden)).toEqual([false, false]);
});

describe('a forbidden object of a custom kind', () => {
  const forbids = (values: Values, text: string): boolean => {
    const pattern = {
      operations: ['*'],
      resources: [{ kind: 'service', access: ['write', 'delete'], values }],
    } as const;
    const rule = { id: 'd_1', requesterId: null, text: null, pattern, reason: 'because' };
    const subject = denySubject({ text }, assess(text));
    const index = new DenyIndex();
    index.insert(rule);
    const found = firstDenial([rule], 'r_1', subject) !== null;
    expect(index.firstDenial('r_1', subject) !== null).toBe(found);
    return found;
  };

  it.each([
    'kubectl delete crontab prod',
    'kubectl delete crontabs --all',
    'kubectl delete ct --all',
    'kubectl delete crontabs.stable.example.com -l app=x',
    'kubectl delete crontabs.v1.stable.example.com prod',
    'kubectl delete pods,ct --all',
    'kubectl delete all --all',
    'kubectl label ct --all a=b',
    'sudo kubectl delete ct --all',
  ])('is possibly an object of %s', (text) => {
    for (const values of [exact('crontab/prod'), exact('crontabs.stable.example.com/prod'), glob('cront*/prod')])
      expect([values, forbids(values, text)]).toEqual([values, true]);
  });

  it('is forbidden with its kind', () => {
    for (const text of ['kubectl delete ct --all', 'kubectl delete ct x', 'kubectl label ct/x a=b'])
      for (const values of [exact('crontab'), exact('crontabs'), glob('cront*')])
        expect([text, values, forbids(values, text)]).toEqual([text, values, true]);
  });

  it.each(['kubectl delete pods --all', 'kubectl delete po prod', 'systemctl stop nginx', 'sudo systemctl stop nginx'])(
    'is no object of %s',
    (text) =>
      expect([exact('crontab/prod'), exact('crontab'), glob('cront*/prod')].some((each) => forbids(each, text))).toBe(
        false,
      ),
  );

  it('is no object of a kind that each cluster has, and no unit', () => {
    const text = 'kubectl delete ct --all';
    expect([exact('pods/prod'), glob('pod*'), exact('nginx.service')].map((each) => forbids(each, text))).toEqual([
      false,
      false,
      false,
    ]);
  });
});

it.each([
  ['wget', 'wget -r https://a.com/x', 'host', exact('evil.com')],
  ['helm *', 'helm install x repo/chart', 'host', glob('*evil.com')],
  ['git push', 'git push origin', 'ref', exact('main')],
  ['kubectl delete', 'kubectl delete po web', 'service', exact('pods/web')],
  ['kubectl delete', 'kubectl delete deploy --all', 'service', glob('deployments/*')],
  ['systemctl stop', 'systemctl stop "ng*"', 'service', exact('nginx.service')],
] as const)('the index of all rules finds that %s is forbidden in %s', (operation, text, kind, values) => {
  const index = new DenyIndex();
  const access = kind === 'host' ? (['contact'] as const) : (['write', 'delete'] as const);
  const pattern = { operations: [operation], resources: [{ kind, access, values }] };
  index.insert({ id: 'd_1', requesterId: null, text: null, pattern, reason: 'because' });
  expect(index.firstDenial('r_1', denySubject({ text }, assess(text)))?.id).toBe('d_1');
});

it.each(['(on web) /root/.ssh/a) /b', '(on web) /root/.ssh/ab', '(on x) /y) /root/.ssh/ab'])(
  'the path %s is dangerous on another host',
  (value) => expect(dangerOfResource({ kind: 'path', access: 'read', value, isExact: true }, [])).not.toBeNull(),
);
