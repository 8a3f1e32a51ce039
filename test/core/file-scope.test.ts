/** A scope for file operations covers paths by whole components. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FILE_VERBS, type FileOperation, type FileVerb } from '../../src/core/files/file-operation.ts';
import {
  type FileScope,
  fileScopeCovers,
  isInFileScope,
  prefixesFor,
  scopeFault,
  verbsToOffer,
} from '../../src/core/files/file-scope.ts';
import { transition } from '../../src/core/grant/grant.ts';
import { canonicalRequest, type ExecutionRequest } from '../../src/core/grant/request.ts';
import { dangerousPlace } from '../../src/core/sensitive/dangerous-places.ts';
import { isPlainPath } from '../../src/core/text/path.ts';
import { pendingGrant } from '../fixtures/grant.ts';

const operation = (path: string, verb: FileVerb = 'write', more: Partial<FileOperation> = {}): FileOperation => {
  const hasContent = verb === 'write' || verb === 'edit';
  return {
    verb,
    path,
    askedPath: path,
    digest: hasContent ? 'a'.repeat(64) : null,
    resultDigest: null,
    bytes: hasContent ? 1 : null,
    danger: null,
    ...more,
  };
};
const request = (...files: readonly FileOperation[]): ExecutionRequest => ({
  kind: 'file',
  text: 'x',
  argv: [],
  cwd: '/p',
  host: 'box',
  user: 'agent',
  environment: [],
  files,
});
const below = (pathPrefix: string, ...operations: readonly FileVerb[]): FileScope => ({
  pathPrefix,
  operations: operations.length === 0 ? ['write'] : operations,
});
const covers = (prefix: string, path: string): boolean => isInFileScope(below(prefix), request(operation(path)));

/** Harmless names that look alike, begin alike or mean something elsewhere. */
const anyName = fc.oneof(
  fc.constantFrom(
    'a',
    'A',
    'ab',
    'a ',
    ' a',
    'a.',
    '...',
    '..a',
    '\u00e9',
    'e\u0301',
    'a\\',
    '*',
    'a*',
    '%2e%2e',
    '\u2025',
  ),
  fc.string({ minLength: 1, maxLength: 6 }).filter((name) => !/[/\0]/.test(name) && name !== '.' && name !== '..'),
);
const anyParts = fc.array(anyName, { minLength: 1, maxLength: 5 });
const pathOf = (parts: readonly string[]): string => `/srv/${parts.join('/')}`;
const isHarmless = (path: string): boolean => dangerousPlace(path, false) === null;

describe('a path prefix', () => {
  it('covers by whole components: exactly the paths whose first parts it is', () => {
    fc.assert(
      fc.property(anyParts, anyParts, (prefix, path) => {
        fc.pre(isHarmless(pathOf(path)));
        const isBelow = prefix.length <= path.length && prefix.every((part, at) => part === path[at]);
        expect(covers(pathOf(prefix), pathOf(path))).toBe(isBelow);
      }),
      { numRuns: 2_000 },
    );
  });

  it('never ends inside a component', () => {
    fc.assert(
      fc.property(anyParts, anyName, (parts, more) => {
        expect(covers(pathOf(parts), pathOf(parts) + more)).toBe(false);
      }),
      { numRuns: 1_000 },
    );
    expect(covers('/a/b', '/a/b/c')).toBe(true);
    expect(covers('/a/b', '/a/bc')).toBe(false);
    expect(covers('/a/b', '/a/b')).toBe(true);
    expect(covers('/a/b', '/a')).toBe(false);
  });

  it('has the directories above the files, also in a project that is the root', () => {
    const prefixes = (path: string, cwd: string) => prefixesFor({ ...request(operation(path)), cwd });
    expect(prefixes('/home/ada/x/a', '/')).toEqual(['/home/ada/x', '/home', '/']);
    expect(prefixes('/a', '/')).toEqual(['/']);
    expect(prefixes('/p/src/lib/a', '/p')).toEqual(['/p/src/lib', '/p/src', '/p']);
    expect(prefixes('/p/a', '/p')).toEqual(['/p']);
  });

  it('is monotone: whatever a longer prefix covers, its shorter prefixes cover', () => {
    fc.assert(
      fc.property(anyParts, anyParts, fc.nat(5), (path, prefix, cut) => {
        const shorter = prefix.slice(0, Math.max(1, prefix.length - cut));
        if (covers(pathOf(prefix), pathOf(path))) expect(covers(pathOf(shorter), pathOf(path))).toBe(true);
        const deeper = [...prefix, ...path];
        if (isHarmless(pathOf(deeper))) expect(covers(pathOf(shorter), pathOf(deeper))).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });

  it.each([
    ['a parent', '/a/b/../c'],
    ['a parent at the end', '/a/b/..'],
    ['a dot', '/a/b/./c'],
    ['an empty part', '/a/b//c'],
    ['a slash at the end', '/a/b/'],
    ['another case', '/A/b/c'],
    ['NUL', '/a/b/c\0'],
    ['no root', 'a/b/c'],
    ['nothing', ''],
  ])('does not cover a path with %s', (_what, path) => {
    expect(covers('/a/b', path)).toBe(false);
  });

  it('that is not in plain form itself covers nothing and cannot be given', () => {
    for (const prefix of ['/a/b/', '/a//b', '/a/./b', '/a/x/../b', 'a/b', '', '/a/b\0', '/..']) {
      expect(isPlainPath(prefix)).toBe(false);
      expect(covers(prefix, '/a/b/c')).toBe(false);
      expect(scopeFault(below(prefix), request(operation('/a/b/c')), false)?.code).toBe('unfit');
    }
  });

  it('treats two normal forms of one letter as two names', () => {
    expect(covers('/w/\u00e9', '/w/e\u0301/x')).toBe(false);
    expect(covers('/w/e\u0301', '/w/e\u0301/x')).toBe(true);
  });

  it('covers a request only if it covers every operation of the request', () => {
    const scope = below('/a', 'write', 'edit');
    expect(isInFileScope(scope, request(operation('/a/x'), operation('/a/y', 'edit')))).toBe(true);
    expect(isInFileScope(scope, request(operation('/a/x'), operation('/b/y')))).toBe(false);
    expect(isInFileScope(scope, request(operation('/a/x'), operation('/a/y', 'delete')))).toBe(false);
    expect(isInFileScope(scope, { ...request(operation('/a/x')), files: [] })).toBe(false);
  });

  it('covers no command, whatever its directory', () => {
    const { files: _files, ...command } = request(operation('/a/x'));
    for (const kind of ['command', 'stdin', 'script', 'argv', 'line', 'file'] as const)
      expect(isInFileScope(below('/a'), { ...command, kind })).toBe(false);
    expect(isInFileScope(below('/a'), { ...request(operation('/a/x')), kind: 'command' })).toBe(false);
  });

  it('covers only the same host and user', () => {
    const asked = request(operation('/a/x'));
    const wanted = request(operation('/a/y'));
    expect(fileScopeCovers(below('/a'), asked, wanted)).toBe(true);
    expect(fileScopeCovers(below('/a'), asked, { ...wanted, host: 'other' })).toBe(false);
    expect(fileScopeCovers(below('/a'), asked, { ...wanted, user: 'root' })).toBe(false);
  });
});

describe('a sensitive path', () => {
  const HOME = '/home/me';
  it.each([
    ['own-installation', `${HOME}/.config/ape-shell/config.toml`],
    ['own-installation', `${HOME}/.local/share/ape-shell/keys/requester.key`],
    ['own-installation', `${HOME}/.local/state/ape-shell/audit/x.jsonl`],
    ['harness-settings', '/p/.claude/settings.json'],
    ['harness-settings', '/p/.claude/settings.local.json'],
    ['harness-settings', `${HOME}/.claude.json`],
    ['harness-settings', `${HOME}/.codex/hooks.json`],
    ['harness-settings', '/p/.gemini/settings.json'],
    ['harness-settings', '/p/.qwen/settings.json'],
    ['harness-settings', '/p/.cline/hooks/PreToolUse.sh'],
    ['harness-settings', '/p/.clinerules/hooks/PreToolUse'],
    ['harness-settings', '/p/.kimi-code/config.toml'],
    ['harness-settings', '/p/.hermes/config.yaml'],
    ['harness-settings', '/p/.grok/hooks/x.json'],
    ['harness-settings', '/p/opencode.json'],
    ['harness-settings', '/etc/claude-code/managed-settings.json'],
    ['git-internals', '/p/.git/hooks/pre-commit'],
    ['git-internals', '/p/.git/config'],
    ['git-internals', '/p/.git'],
    ['git-internals', '/p/sub/.git/modules/x/config'],
    ['login-keys', `${HOME}/.ssh/authorized_keys`],
    ['login-keys', `${HOME}/.SSH/authorized_keys`],
    ['login-keys', `${HOME}/.\u017fsh/authorized_keys`],
    ['login-keys', '/etc/sudoers.d/me'],
    ['shell-start-up', `${HOME}/.bashrc`],
    ['shell-start-up', '/p/.envrc'],
    ['program-start-up', '/p/.vscode/tasks.json'],
    ['credentials', `${HOME}/.aws/credentials`],
    ['program-directory', `${HOME}/.local/bin/git`],
    ['system', '/usr/bin/env'],
    ['system', '/lib64/ld.so'],
    ['system', '/proc/self/mem'],
  ])('has the code %s: %s', (code, path) => {
    expect(dangerousPlace(path, false)).toBe(code);
    expect(covers('/', path) || covers(path, path) || covers(path.split('/').slice(0, 2).join('/'), path)).toBe(false);
  });

  it.each(['/p/src/a.ts', '/p/git/config', '/p/.github/workflows/ci.yml', '/p/etc/hosts', '/p/my.ssh', '/p/.sshx/a'])(
    'does not include %s',
    (path) => {
      expect(dangerousPlace(path, false)).toBeNull();
    },
  );

  it('is not a worktree made by Claude Code, but is everything sensitive inside one, and the `.claude` around it', () => {
    for (const path of ['/p/.claude/worktrees/w', '/p/.claude/worktrees/w/src/a.ts']) {
      expect(dangerousPlace(path, false), path).toBeNull();
      expect(
        scopeFault(below('/p/.claude/worktrees/w/src'), request(operation('/p/.claude/worktrees/w/src/a')), false),
      ).toBeNull();
    }
    for (const path of [
      '/p/.claude/worktrees',
      '/p/.claude/worktreesx/a',
      '/p/.claude/worktrees/w/.claude/settings.json',
      '/p/.claude/worktrees/w/.git',
      '/p/.claude/worktrees/w/.claude/worktrees',
      '/p/.claude/worktrees/.claude/settings.json',
      '/p/.claude/worktrees/.claude/worktrees/settings.json/.claude',
      '/p/.claude/worktrees/.ssh/id',
      '/p/.git/.claude/worktrees/w/a',
      '/etc/.claude/worktrees/w/a',
    ])
      expect(dangerousPlace(path, false), path).not.toBeNull();
  });

  it('is never covered by a prefix, however deep it is', () => {
    const anyDanger = fc.constantFrom(
      '.ssh',
      '.git/hooks',
      '.claude/settings.json',
      '.bashrc',
      '.config/ape-shell/config.toml',
    );
    fc.assert(
      fc.property(anyParts, anyDanger, anyParts, fc.nat(8), (head, danger, tail, cut) => {
        const path = `${pathOf(head)}/${danger}/${tail.join('/')}`;
        const prefix = path
          .split('/')
          .slice(0, 2 + cut)
          .join('/');
        expect(covers(prefix, path)).toBe(false);
        expect(scopeFault(below(prefix), request(operation(path)), false)).not.toBeNull();
      }),
      { numRuns: 500 },
    );
  });

  it('that only its host recognises is not covered either', () => {
    const marked = request(operation('/opt/apes/keys/x', 'write', { danger: 'own-installation' }));
    expect(isInFileScope(below('/opt'), marked)).toBe(false);
    expect(scopeFault(below('/opt'), marked, false)?.code).toBe('forbidden');
  });

  it('is not read by an edit, renamed by a move, or made by the move of a directory around it', () => {
    const scope: FileScope = { operations: ['write', 'edit', 'delete'], pathPrefix: '/p' };
    const isCovered = (path: string, verb: FileVerb) => isInFileScope(scope, request(operation(path, verb)));
    const all = ['write', 'edit', 'delete'] as const;
    for (const path of ['/p/.env', '/p/server.key'])
      expect(all.map((verb) => isCovered(path, verb))).toEqual([true, false, false]);
    for (const path of ['/p/.config', '/p/.cargo', '/p/.github'])
      expect(all.map((verb) => isCovered(path, verb))).toEqual([false, true, false]);
    expect(all.map((verb) => isCovered('/p/src', verb))).toEqual([true, true, true]);
  });

  it('may be read if it has no secret', () => {
    expect(dangerousPlace('/usr/include/stdio.h', true)).toBeNull();
    expect(dangerousPlace('/p/.git/config', true)).toBeNull();
    expect(dangerousPlace('/home/me/.ssh/id_rsa', true)).toBe('login-keys');
  });
});

describe('giving a scope', () => {
  const asked = request(operation('/p/src/a.ts'));
  it.each<[string, string, FileScope, ExecutionRequest, boolean]>([
    ['unfit', 'for one use', below('/p'), asked, true],
    ['unfit', 'to a command', below('/p'), { ...asked, kind: 'command' }, false],
    ['unfit', 'without an operation', { pathPrefix: '/p', operations: [] }, asked, false],
    ['unfit', 'with one twice', below('/p', 'write', 'write'), asked, false],
    ['forbidden', 'for everything', below('/'), asked, false],
    ['forbidden', 'for a place of the system', below('/usr/local'), request(operation('/usr/local/x')), false],
    ['forbidden', 'for keys', below('/home/me/.ssh', 'read'), request(operation('/home/me/.ssh/x', 'read')), false],
    ['not-covering', 'beside the request', below('/p/test'), asked, false],
    ['not-covering', 'with another operation', below('/p', 'read'), asked, false],
  ])('is %s %s', (code, _what, scope, wanted, isOnce) => {
    const fault = scopeFault(scope, wanted, isOnce);
    expect(fault?.code).toBe(code);
    expect(fault?.message).toMatch(/^[^\n]{10,200}$/);
  });

  it('is possible exactly if the request is then covered', () => {
    fc.assert(
      fc.property(
        anyParts,
        anyParts,
        fc.subarray([...FILE_VERBS], { minLength: 1 }),
        fc.constantFrom(...FILE_VERBS),
        (prefix, path, verbs, verb) => {
          const scope = below(pathOf(prefix), ...verbs);
          const wanted = request(operation(pathOf(path), verb));
          const isGiven = scopeFault(scope, wanted, false) === null;
          if (isGiven) expect(isInFileScope(scope, wanted)).toBe(true);
          if (!isGiven && isHarmless(pathOf(prefix))) expect(isInFileScope(scope, wanted)).toBe(false);
        },
      ),
      { numRuns: 1_000 },
    );
  });

  it('happens only with an approval, and a refused scope changes nothing', () => {
    const grant = pendingGrant({ request: asked });
    const scope = below('/p');
    const given = transition(grant, { kind: 'approve', by: 'o', term: { kind: 'always' }, scope }, 1);
    expect(given).toMatchObject({ ok: true, value: { scope, state: 'approved', version: 2 } });
    const plain = transition(grant, { kind: 'approve', by: 'o', term: { kind: 'always' } }, 1);
    expect(plain).toMatchObject({ ok: true, value: { scope: null } });
    const once = transition(grant, { kind: 'approve', by: 'o', term: { kind: 'once' }, scope }, 1);
    expect(once).toMatchObject({ ok: false, failure: { kind: 'scope', fault: { code: 'unfit' } } });
    if (!given.ok) throw new Error('not given');
    const used = transition(given.value, { kind: 'use' }, 2);
    expect(used).toMatchObject({ ok: true, value: { scope, uses: 1, state: 'approved' } });
  });

  it('offers what was asked for, all of reading or all of changing, and deleting only if that was asked for', () => {
    expect(verbsToOffer(request(operation('/a', 'edit')))).toEqual(['write', 'edit']);
    expect(verbsToOffer(request(operation('/a', 'read')))).toEqual(['read', 'search']);
    expect(verbsToOffer(request(operation('/a', 'delete')))).toEqual(['write', 'edit', 'delete']);
  });
});

describe('the canonical text of a file request', () => {
  it('differs when any part of any operation differs', () => {
    const base = operation('/a/b', 'edit', { digest: 'b'.repeat(64), resultDigest: 'c'.repeat(64), bytes: 7 });
    const others: readonly Partial<FileOperation>[] = [
      { verb: 'write' },
      { path: '/a/c' },
      { askedPath: '/a/./b' },
      { digest: 'd'.repeat(64) },
      { resultDigest: null },
      { bytes: 8 },
      { danger: 'system' },
    ];
    const texts = others.map((other) => canonicalRequest(request({ ...base, ...other })));
    expect(new Set([...texts, canonicalRequest(request(base)), canonicalRequest(request(base, base))]).size).toBe(9);
    for (const name of Object.keys(base)) expect(others.some((other) => name in other)).toBe(true);
  });

  it('is version 2; that of a command is still version 1', () => {
    expect(canonicalRequest(request(operation('/a')))).toMatch(/^\["ape-request\/2",/);
    const { files: _files, ...command } = request(operation('/a'));
    expect(canonicalRequest({ ...command, kind: 'command' })).toBe(
      '["ape-request/1","command","x",[],"/p","box","agent",[]]',
    );
  });
});
