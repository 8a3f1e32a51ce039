/** Which scopes an approver may not give for a request. */
import { describe, expect, it } from 'vitest';
import type { ExecutionRequest } from '../../src/core/grant/request.ts';
import type {
  CommandPattern,
  CommandScope,
  ResourcePattern,
  ValuePattern,
} from '../../src/core/scope/command-scope.ts';
import { commandScopeFault } from '../../src/core/scope/scope-fault.ts';
import { commandScopeText } from '../../src/core/scope/scope-text.ts';
import { APP, assess, pattern, programAt, READ_APP, requestOf, scope, world } from './scope-fixture.ts';

const faultOf = (one: unknown, text = 'git log --oneline', over: Partial<ExecutionRequest> = {}, place = world) =>
  commandScopeFault(one, { request: { ...requestOf(text, place), ...over }, assessment: assess(text, place) }, false);
const withPattern = (over: Partial<CommandPattern>) => scope([pattern(over)]);
const withValues = (values: ValuePattern, over: Partial<ResourcePattern> = {}) =>
  withPattern({ resources: [READ_APP, { ...READ_APP, values, ...over } as ResourcePattern] });

it('a scope that covers the request may be given', () => {
  expect(faultOf(scope())).toBe(null);
  expect(faultOf(withPattern({ operations: { reading: true, tool: null } }))).toBe(null);
  expect(faultOf(scope([pattern(), pattern({ operations: ['ls'] })], { cwdBelow: '/home/u' }, 1_000_000))).toBe(null);
});

it('the hours of a scope need not include the moment of the decision', () => {
  expect(faultOf(scope(undefined, { hours: { from: 0, to: 1, days: [3], timeZone: 'UTC' } }))).toBe(null);
});

describe('no scope may be given', () => {
  it('for one use', () => {
    const fault = commandScopeFault(scope(), { request: requestOf('git log'), assessment: assess('git log') }, true);
    expect(fault).toMatchObject({ code: 'unfit', message: expect.stringMatching(/one use/) });
  });
  it.each(['stdin', 'script', 'file'] as const)('for a %s', (kind) => {
    expect(faultOf(scope(), 'git log', { kind })).toMatchObject({
      code: 'unfit',
      message: `a ${kind} is approved exactly`,
    });
  });
  it.each([
    ['opaque', 'git log $(./x)'],
    ['critical', 'rm -rf ~'],
  ])('for a line that is %s', (_, text) => {
    expect(faultOf(withPattern({ operations: ['rm', 'git log'], highestRisk: 'high' }), text)).toMatchObject({
      code: 'forbidden',
      message: expect.stringMatching(/^this can only be approved exactly: it /),
    });
  });
  it('for a line that was not looked up', () => {
    expect(commandScopeFault(scope(), { request: requestOf('git log'), assessment: null }, false)).toMatchObject({
      code: 'forbidden',
    });
  });
});

describe('a scope that does not cover its own request says what is missing', () => {
  it.each<[string, CommandScope, string, RegExp]>([
    ['the operation', withPattern({ operations: ['git status'] }), 'git log', /covers git status only/],
    ['an option', withPattern({ options: ['--stat'] }), 'git log --oneline', /git log without --oneline/],
    ['a risk', withPattern({ operations: ['git push'] }), 'git push', /up to low risk only/],
    [
      'a program',
      withPattern({ programs: { listed: [], rootOwned: false } }),
      'git log',
      /the program \/usr\/bin\/git/,
    ],
    [
      'a path',
      withPattern({ operations: ['cat'] }),
      'cat /srv/x/y',
      /reading below \/home\/u\/app only, not \/srv\/x\/y/,
    ],
    [
      'a redirection',
      withPattern({ highestRisk: 'medium' }),
      'git log > out',
      /does not cover writing \/home\/u\/app\/out/,
    ],
    ['a second command', scope(), 'git log; ls', /^ls is not covered/],
    ['the host', scope(undefined, { host: 'db' }), 'git log', /is for host db/],
    ['the user', scope(undefined, { user: 'root' }), 'git log', /is for user root/],
    ['the directory', scope(undefined, { cwdBelow: '/srv/x' }), 'git log', /is for \/srv\/x and below/],
    [
      'the environment',
      scope(undefined, { environment: [] }),
      'git log',
      /other values of variables that change what programs do: HOME, PATH$/,
    ],
  ])('if it does not cover %s', (_, one, text, message) => {
    expect(faultOf(one, text)).toMatchObject({ code: 'not-covering', message: expect.stringMatching(message) });
  });
  it('a sensitive path', () => {
    const home = withPattern({
      operations: ['cat'],
      highestRisk: 'high',
      resources: [{ ...READ_APP, values: { match: 'below', value: '/home/u' } }],
    });
    expect(faultOf(home, 'cat ~/.aws/credentials')).toMatchObject({
      code: 'forbidden',
      message: expect.stringMatching(/passwords/),
    });
  });
});

describe('a malformed scope', () => {
  const one = scope();
  it.each<[string, unknown, RegExp]>([
    ['nothing', null, /no scope/],
    ['a scope for files', { operations: ['read'], pathPrefix: APP }, /no scope/],
    ['an unknown member', { ...one, extra: 1 }, /not known/],
    ['no patterns', scope([]), /1 to 50 patterns/],
    [
      '51 patterns',
      scope(Array.from({ length: 51 }, (_, at) => pattern({ operations: [`x ${at}`] }))),
      /1 to 50 patterns/,
    ],
    ['the same pattern twice', scope([pattern(), pattern()]), /the same/],
    ['no operations', withPattern({ operations: [] }), /1 to 200 operations/],
    ['an operation twice', withPattern({ operations: ['ls', 'ls'] }), /each once/],
    ['201 options', withPattern({ options: Array.from({ length: 201 }, (_, at) => `--o${at}`) }), /options/],
    ['reading of no tool', withPattern({ operations: { reading: true, tool: '' } }), /reading/],
    [
      'reading that writes',
      withPattern({
        operations: { reading: true, tool: null },
        resources: [{ ...READ_APP, access: ['read', 'write'] }],
      }),
      /cannot have the access write/,
    ],
    ['no access', withValues({ match: 'any' }, { access: [] }), /at least one access/],
    ['an access twice', withValues({ match: 'any' }, { access: ['read', 'read'] }), /each once/],
    ['an unknown kind of resource', withValues({ match: 'any' }, { kind: 'moon' as never }), /no kind/],
    ['a glob for a path', withValues({ match: 'glob', value: '/home/*' }), /not by a glob/],
    ['a directory for a ref', withValues({ match: 'below', value: '/x' }, { kind: 'ref' }), /only paths/],
    ['a relative directory', withValues({ match: 'below', value: 'src' }), /absolute/],
    ['a directory with ..', withValues({ match: 'below', value: '/home/u/../v' }), /absolute/],
    ['a directory with a slash at its end', withValues({ match: 'below', value: `${APP}/` }), /absolute/],
    ['three stars', withValues({ match: 'glob', value: 'a***' }, { kind: 'ref' }), /malformed/],
    ['nine stars', withValues({ match: 'glob', value: 'a*'.repeat(9) }, { kind: 'ref' }), /malformed/],
    ['a URL glob without a host', withValues({ match: 'glob', value: 'https://*/**' }, { kind: 'url' }), /host/],
    ['a host glob that is too wide', withValues({ match: 'glob', value: '*.com' }, { kind: 'host' }), /host/],
    ['a host glob of many owners', withValues({ match: 'glob', value: '*.github.io' }, { kind: 'host' }), /one owner/],
    ['a relative program', withPattern({ programs: { listed: ['git'], rootOwned: false } }), /absolute/],
    ['no uses', { ...one, mostUses: 0 }, /from 1 to 1000000/],
    ['too many uses', { ...one, mostUses: 1_000_001 }, /from 1 to 1000000/],
    [
      'an unknown time zone',
      scope(undefined, { hours: { from: 0, to: 60, days: [1], timeZone: 'Nowhere' } }),
      /no time zone/,
    ],
    ['hours of no length', scope(undefined, { hours: { from: 60, to: 60, days: [1], timeZone: 'UTC' } }), /minute/],
    ['hours after midnight', scope(undefined, { hours: { from: 0, to: 1441, days: [1], timeZone: 'UTC' } }), /minute/],
    ['no days', scope(undefined, { hours: { from: 0, to: 60, days: [], timeZone: 'UTC' } }), /at least one day/],
    ['an eighth day', scope(undefined, { hours: { from: 0, to: 60, days: [7], timeZone: 'UTC' } }), /at least one day/],
    ['no host', scope(undefined, { host: '' }), /host/],
    ['a variable twice', scope(undefined, { environment: [...world.environment, ...world.environment] }), /twice/],
    ['a relative start', scope(undefined, { cwdBelow: 'src' }), /absolute/],
    ['the root as a start', scope(undefined, { cwdBelow: '/' }), /null is anywhere/],
  ])('is refused with %s', (_, bad, message) => {
    expect(faultOf(bad)).toMatchObject({ code: 'unfit', message: expect.stringMatching(message) });
  });
});

describe('a scope that is too wide for every request', () => {
  const write = { access: ['write'] } as const;
  it.each<[string, unknown, RegExp]>([
    ['any file to write', withValues({ match: 'any' }, write), /no scope may let a command write every file/],
    ['any file to delete', withValues({ match: 'any' }, { access: ['read', 'delete'] }), /delete every file/],
    ['any file to execute', withValues({ match: 'any' }, { access: ['execute'] }), /execute every file/],
    ['the root', withValues({ match: 'below', value: '/' }), /too much/],
    ['all homes', withValues({ match: 'below', value: '/home' }), /too much/],
    ['.ssh', withValues({ match: 'below', value: '/home/u/.ssh' }), /keys/],
    ['one key', withValues({ match: 'exact', value: '/home/u/.ssh/id' }), /keys/],
    ['git hooks to write', withValues({ match: 'below', value: `${APP}/.git` }, write), /git runs/],
    ['/etc to write', withValues({ match: 'below', value: '/etc/x' }, write), /operating system/],
    [
      'our own settings to read',
      withValues({ match: 'below', value: '/home/u/.config/ape-shell' }),
      /ape-shell itself/,
    ],
    ['a start-up file to write', withValues({ match: 'exact', value: '/home/u/.bashrc' }, write), /shell runs this/],
    ['any host', withValues({ match: 'any' }, { kind: 'host', access: ['contact'] }), /every host/],
    ['any URL', withValues({ match: 'any' }, { kind: 'url', access: ['contact'] }), /every host/],
    ['any variable', withValues({ match: 'any' }, { kind: 'variable', access: ['read'] }), /every variable/],
    ['a critical risk', withPattern({ highestRisk: 'critical' as never }), /critical/],
  ])('is refused with %s', (_, bad, message) => {
    expect(faultOf(bad)).toMatchObject({ code: 'forbidden', message: expect.stringMatching(message) });
  });
});

describe('a scope in words', () => {
  it('says who may do what where, and how often', () => {
    expect(commandScopeText(scope(undefined, {}, 5))).toBe(
      `git log with any options, reading below ${APP}, on host web as u, until used 5 times`,
    );
  });
  it('names options, several operations, programs and hours', () => {
    const hours = { from: 540, to: 1020, days: [1, 2], timeZone: 'Europe/Berlin' };
    const one = scope(
      [
        pattern({ operations: ['git log', 'git diff'], options: ['--oneline', '--stat'], resources: [] }),
        pattern({ operations: ['npm test'], options: [], programs: { listed: ['/home/u/bin/npm'], rootOwned: false } }),
        pattern({
          operations: { reading: true, tool: 'git' },
          resources: [{ kind: 'ref', access: ['read'], values: { match: 'any' } }],
        }),
      ],
      { cwdBelow: APP, hours },
      1,
    );
    expect(commandScopeText(one)).toBe(
      'git log or git diff with no other options than --oneline and --stat; ' +
        `npm test without options, reading below ${APP}, running /home/u/bin/npm; ` +
        'reading git commands with any options, reading any ref, ' +
        `on host web as u, started in ${APP} or below, from 09:00 to 17:00 (Europe/Berlin) on Mondays and Tuesdays, until used once`,
    );
  });
});

it('a program of the user is covered only by its path', () => {
  const own = { ...world, names: { git: programAt('/home/u/bin/git', 'user') } };
  expect(faultOf(scope(), 'git log', {}, own)).toMatchObject({ code: 'not-covering' });
  expect(
    faultOf(withPattern({ programs: { listed: ['/home/u/bin/git'], rootOwned: false } }), 'git log', {}, own),
  ).toBe(null);
});
