/** The assessment of a request depends not only on its text, but also on how it is started. */
import { parse } from 'unbash';
import { describe, expect, test } from 'vitest';
import { assessByHostFacts, assessRequest, commandsOfRequest } from '../../src/core/effects/assess-request.ts';
import { normalizePath } from '../../src/core/effects/command-context.ts';
import {
  canonicalHostFacts,
  type HostFacts,
  hostFactsFault,
  type Lookups,
  MAX_HOST_FACT_LENGTH,
  recordLookups,
} from '../../src/core/effects/host-facts.ts';
import type { ExecutionRequest } from '../../src/core/grant/request.ts';
import { allRules } from './rule-effects.ts';

const HOST: Lookups = {
  home: '/home/u',
  hasSearchedCd: false,
  resolveName: (name, _source, lookup) =>
    lookup !== 'file' && ['cd', 'echo'].includes(name)
      ? { kind: 'builtin' }
      : { kind: 'file', path: `/bin/${name}`, realPath: `/bin/${name}`, ownerUid: 0, writable: [] },
  resolvePath: normalizePath,
  projectOf: () => null,
  recordsOf: () => [],
  hasHooks: () => false,
  addsRepository: () => false,
  repositoryOf: () => '/w',
  hasLinksOut: () => false,
  isBareRepository: () => false,
  matchesOf: () => [],
  sensitiveBelow: () => [],
};
const requestOf = (more: Partial<ExecutionRequest>): ExecutionRequest => ({
  kind: 'command',
  text: 'git log',
  argv: ['-c', more.text ?? 'git log'],
  cwd: '/w',
  host: 'h',
  user: 'u',
  environment: [],
  ...more,
});
const assessed = (more: Partial<ExecutionRequest>) =>
  assessRequest(requestOf(more), commandsOfRequest(requestOf(more), parse), 'agrees', {
    rules: allRules,
    lookups: HOST,
  });
const argv = (...words: string[]) => assessed({ kind: 'argv', text: 'never looked at', argv: words });

describe('a command for bash', () => {
  test('is read if -c is the only option of bash, whatever parameters follow', () => {
    for (const given of [
      ['-c', 'git log'],
      ['-c', '--', 'git log'],
      ['-c', 'git log', 'name', '$x'],
    ])
      expect(assessed({ argv: given }).requiredPermissions).toHaveLength(1);
  });

  test.each([
    [['-lc', 'git log']],
    [['-c', '-l', 'git log']],
    [['-i', '-c', 'git log']],
    [['-O', 'extglob', '-c', 'git log']],
    [['-c', 'git push']],
    [['git log']],
    [[]],
  ])('with other options or another text is opaque: %j', (given) => {
    const assessment = assessed({ argv: given });
    expect([assessment.requiredPermissions, assessment.risk, assessment.opaque.length]).toEqual([null, null, 1]);
    expect(assessment.opaque[0]?.advice).not.toBe('');
  });
});

test('is preceded by the file in BASH_ENV, as is every bash that a line or a program starts', () => {
  const environment = [{ name: 'BASH_ENV', value: '/x' }];
  const reason = { reason: 'is read by a shell, and BASH_ENV changes how this shell behaves' };
  expect(assessed({ environment }).opaque).toMatchObject([reason]);
  expect(assessed({ environment: [{ name: 'BASH_ENV', value: '' }] }).requiredPermissions).toHaveLength(1);
  expect(assessed({ environment, kind: 'line', argv: [] }).opaque).toMatchObject([reason]);
  expect(assessed({ environment, kind: 'argv', argv: ['git', 'log'] }).opaque).toMatchObject([reason]);
});

describe('an argv', () => {
  test('is a program file with its words: no word is expanded, and the first word is no builtin', () => {
    expect(argv('git', 'log', '$(date)', '*').requiredPermissions).toHaveLength(1);
    expect(argv('echo', 'x').requiredPermissions?.[0]?.programs).toEqual([
      { name: 'echo', realPath: '/bin/echo', changeable: 'root' },
    ]);
    expect(argv('git', 'log', "it's").text).toBe("git log 'it'\\''s'");
  });

  test('is read through wrappers like a line, and the outermost wrapper is looked up as a file', () => {
    const [required] = argv('timeout', '5', 'git', 'log').requiredPermissions ?? [];
    expect(required?.programs.map(({ realPath }) => realPath)).toEqual(['/bin/timeout', '/bin/git']);
  });

  test.each([
    ['exec', 'git'],
    ['command', 'git'],
    ['X=1', 'git'],
    ['if', 'x'],
    ['time', 'git'],
    ['', 'x'],
    ['.', 'x'],
    [],
  ])('whose first word a shell would read in another way is opaque: %s %s', (...words) => {
    expect(argv(...words.filter((word) => word !== undefined)).requiredPermissions).toBeNull();
  });
});

describe('the host facts', () => {
  const found = (text: string): HostFacts => {
    const { lookups, recordedFacts } = recordLookups(HOST);
    assessRequest(requestOf({ text }), commandsOfRequest(requestOf({ text }), parse), 'agrees', {
      rules: allRules,
      lookups,
    });
    return recordedFacts('agrees', 0) as HostFacts;
  };
  const by = (text: string, hostFacts: HostFacts | null) =>
    assessByHostFacts(requestOf({ text }), hostFacts, { rules: allRules, parse });

  test.each([
    ...['sed -i s/a/b/ web.txt', 'sed -ni p web.txt', 'sed -l 5 p web.txt', 'kill -17 1234', 'pkill -10 web'],
    ...['tar -cf a.tar src @x.tar', 'ls -I /etc', 'ls -w 80 /etc', 'ls -D /etc', 'chmod +a x web.txt', 'date -d dst'],
  ])('say that the tools may be those of a BSD, which read %s otherwise', (text) => {
    expect(by(text, found(text)).requiredPermissions).toHaveLength(1);
    const bsd: HostFacts = { ...found(text), hasBsdTools: true };
    expect(by(text, bsd).opaque).toMatchObject([{ code: 'rule' }]);
    const { lookups, recordedFacts } = recordLookups({ ...HOST, hasBsdTools: true });
    expect(lookups.hasBsdTools).toBe(true);
    expect(recordedFacts('agrees', 0)?.hasBsdTools).toBe(true);
  });

  test.each(['tar -cf a.tar src', 'ls -la /etc', 'chmod +x web.txt', 'date -r web.txt'])(
    'say that the tools may be those of a BSD, which read %s in the same way',
    (text) => {
      const bsd: HostFacts = { ...found(text), hasBsdTools: true };
      expect(by(text, bsd)).toMatchObject({ opaque: [], requiredPermissions: [{}] });
    },
  );

  test('sed -i on another host is opaque, and in a container it is not', () => {
    const opaque = (text: string) => by(text, found(text)).opaque;
    expect(opaque('ssh web sed -i s/a/b/ web.txt')).toMatchObject([{ code: 'rule' }]);
    expect(opaque('docker exec app sed -i s/a/b/ web.txt')).toEqual([]);
    expect(opaque('sed -n 1,5p web.txt')).toEqual([]);
  });

  test("give the same assessment as the host's own", () => {
    for (const text of ['git log', 'cd src && cat a b', 'timeout 5 ls -l > out', 'echo $(date)', 'rm -rf "$X"']) {
      expect(by(text, found(text))).toEqual({ ...assessed({ text }), isComplete: true });
    }
  });

  test('are assessed with the line parsed once, and each text for an inner shell parsed once', () => {
    const text = "timeout 5 bash -c 'ls src' && cat a";
    const hostFacts = found(text);
    const parsed: string[] = [];
    const counting: typeof parse = (each) => {
      parsed.push(each);
      return parse(each);
    };
    expect(
      assessByHostFacts(requestOf({ text }), hostFacts, { rules: allRules, parse: counting }).requiredPermissions,
    ).not.toBeNull();
    expect(parsed).toEqual([text, 'ls src']);
  });

  test('without one of the answers are not enough, and then there are no required permissions', () => {
    const whole = found('cd src && cat a b > c');
    for (const part of ['names', 'paths'] as const)
      for (let at = 0; at < whole[part].length; at += 1) {
        const less = { ...whole, [part]: whole[part].filter((_, index) => index !== at) };
        const { requiredPermissions: demands, isComplete } = by('cd src && cat a b > c', less);
        expect([part, at, isComplete, demands]).toEqual([part, at, false, null]);
      }
  });

  test('say where the project of a tool is; facts of an older host, which does not say it, are not enough', () => {
    const { lookups, recordedFacts } = recordLookups({ ...HOST, projectOf: () => '/top' });
    const request = requestOf({ text: 'rake' });
    assessRequest(request, commandsOfRequest(request, parse), 'agrees', { rules: allRules, lookups });
    const { projects, ...less } = recordedFacts('agrees', 0) as HostFacts;
    expect(projects).toMatchObject([{ path: '/w', top: '/top' }]);
    expect(by('rake', { ...less, projects: projects ?? [] }).requiredPermissions).toMatchObject([
      {
        permission: {
          resources: expect.arrayContaining([{ kind: 'path', access: 'execute', value: '/top', isExact: false }]),
        },
      },
    ]);
    expect(by('rake', less)).toMatchObject({ isComplete: false, requiredPermissions: null });
  });

  test('that are empty leave the effects that the text shows, without required permissions', () => {
    const { isComplete, requiredPermissions: demands, commands } = by('git log', null);
    expect([isComplete, demands, commands.length]).toEqual([false, null, 1]);
  });

  test('are refused with a path that is not absolute, or with a text that is too long', () => {
    const good = found('cat a');
    expect(hostFactsFault(good)).toBeNull();
    const [path] = good.paths;
    if (path === undefined) throw new Error('no path was looked up');
    for (const wrong of [
      { ...good, home: 'relative' },
      { ...good, paths: [{ ...path, resolved: 'relative' }] },
      { ...good, paths: [{ ...path, resolved: `/${'x'.repeat(MAX_HOST_FACT_LENGTH)}` }] },
      { ...good, repositories: [{ directory: '/a', top: 'b' }] },
      { ...good, projects: [{ path: '/a', names: 'x', top: 'b' }] },
      { ...good, linksOut: [{ directory: 'a', depth: 1, leadsOut: false }] },
    ])
      expect(hostFactsFault(wrong)).not.toBeNull();
  });

  test('have one text on both sides of the API', () => {
    const hostFacts = found('cat "ü\n" b');
    expect(canonicalHostFacts(JSON.parse(JSON.stringify(hostFacts)) as HostFacts)).toBe(canonicalHostFacts(hostFacts));
  });
});
