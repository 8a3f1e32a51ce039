/** What a rule file says about a call of an MCP server, and how far an approval of the call may reach. */
import { describe, expect, it } from 'vitest';
import { canonicalJson } from '../../src/core/grant/canonical-json.ts';
import { canonicalRequest, type ExecutionRequest } from '../../src/core/grant/request.ts';
import { fetchesFault, fetchRequestText, fetchScopeCovers, fetchScopeFault } from '../../src/core/tools/fetch.ts';
import { mcpCallFault, mcpRequestText } from '../../src/core/tools/mcp-call.ts';
import { type McpServerRule, mcpEffectOf, mcpRuleFor, readMcpRule } from '../../src/core/tools/mcp-rule.ts';
import { toolScopeCovers, toolScopeFault, toolScopesFor } from '../../src/core/tools/mcp-scope.ts';
import { webOrigin } from '../../src/platform/web-origin.ts';

const rule = readMcpRule({
  server: 'files',
  match: ['@s/files', 'mcp-files'],
  tools: {
    read: { does: 'Reads.', read: ['path'], free: ['head'] },
    list: { does: 'Lists.', search: ['path'] },
    write: { does: 'Writes.', write: ['path'], free: ['content'] },
    sum: { does: 'Adds.', only_reads: true, free: ['a'] },
    run: { does: 'Runs.', free: ['command'] },
  },
});
if (!rule.ok) throw new Error(rule.failure.message);
const RULES: readonly McpServerRule[] = [rule.value];
const DIGEST = 'a'.repeat(64);

function request(tool: string, given: Record<string, unknown>, more: Partial<ExecutionRequest> = {}): ExecutionRequest {
  const mcp = {
    server: 'files',
    files: [{ path: '/usr/bin/mcp-files', digest: DIGEST }],
    tool,
    declared: DIGEST,
    listed: DIGEST,
    arguments: canonicalJson(given) ?? '',
  };
  const argv = ['mcp-files', '/p'];
  const effect = mcpEffectOf(RULES, argv, mcp);
  const files =
    effect.kind === 'known'
      ? effect.paths.map(({ verb, asked }) => ({
          verb,
          path: asked,
          askedPath: asked,
          digest: verb === 'write' ? DIGEST : null,
          resultDigest: null,
          bytes: verb === 'write' ? 1 : null,
          danger: null,
        }))
      : [];
  return {
    kind: 'mcp',
    text: mcpRequestText(mcp),
    argv,
    cwd: '/p',
    host: 'h',
    user: 'u',
    environment: [],
    ...(files.length > 0 ? { files } : {}),
    mcp,
    ...more,
  };
}

const effectOf = ({ argv, mcp }: ExecutionRequest) => {
  if (mcp === undefined) throw new Error('no call');
  return mcpEffectOf(RULES, argv, mcp);
};
const reaches = (tools: string[], below: string | null, asked: ExecutionRequest, wanted: ExecutionRequest) =>
  toolScopeCovers({ kind: 'tools', tools, below }, asked, wanted, effectOf(wanted));

describe('the rule file for a server', () => {
  it.each([
    [['mcp-files', '/x'], true],
    [['/usr/bin/mcp-files'], true],
    [['npx', '-y', '@s/files@1.2.3', '/x'], true],
    [['node', '/lib/node_modules/@s/files/dist/index.js'], true],
    [['evil', 'mcp-files'], false],
    [['npx', '--package=evil', '@s/files'], false],
    [['npx', '-p', 'evil', '@s/files'], false],
    [['node', '-r', './evil.js', '/lib/node_modules/@s/files/dist/index.js'], false],
    [['node', '/tmp/evil.js', '@s/files'], false],
    [['@s/files-evil'], false],
    [['npx', '@s/filesystem'], false],
    [['npx', 'mcp-files'], false],
    [['npx', '@s/files@.evil'], false],
    [['npx', '@s/files@.'], false],
    [['npx', '@s/files@..'], false],
    [['npx', '@s/files@x.tgz'], false],
    [['npx', '@s/files@~1'], true],
    [['npx', '@s/files@1.x'], true],
    [['npx', '@s/files@next'], true],
    [['npx', '@s/files@1.whl'], false],
    [['npx', '@s/files@1.2.3.tarxgz'], false],
    [['bunx', '@s/files@2.0.0-beta.1'], true],
    [['uvx', '@s/files@1.2.3'], true],
    [['uvx', '@s/files@1.2rc1.post2.dev3'], true],
    [['uvx', '@s/files@latest'], true],
    [['uvx', '@s/files@evil'], false],
    [['uvx', '@s/files@x.whl'], false],
    [['uvx', '@s/files@1.2-evil'], false],
    [['uvx', '@s/files@^1'], false],
    [['node', '/tmp/node_modules/@s/files/../../evil.js'], false],
    [['node', '/tmp/node_modules/@s/files/node_modules/evil/x.js'], false],
    [['node', '/a/node_modules/@s/files//../x.js'], false],
    [['node', '/a/node_modules/x/node_modules/@s/files/x.js'], true],
    [['npx', 'evil/mcp-files'], false],
    [['npx', '-y', 'github:evil/mcp-files'], false],
    [['npx', '/tmp/mcp-files'], false],
    [['npx', 'mcp-files@https://evil.example/x.tgz'], false],
    [['npx', '@s/files@git+https://evil.example/x'], false],
    [['npx', '@s/files@npm:evil'], false],
    [['npx', '@s/files@evil/x'], false],
    [['npx', '@s/files@'], false],
    [['npx', '@s/files@^1.2.0-rc.1'], true],
    [['npx', '@s/files@latest'], true],
    [['./mcp-files'], false],
    [['node_modules/@s/files/dist/index.js'], false],
    [['node', 'node_modules/@s/files/dist/index.js'], false],
    [['node', 'mcp-files'], false],
    [['npx', '/x/node_modules/@s/files/dist/index.js'], false],
    [[], false],
  ])('is found for %j: %j', (argv, isKnown) => {
    expect(mcpRuleFor(RULES, argv) !== null).toBe(isKnown);
  });
});

describe('the effect of a call', () => {
  it.each([
    ['read', { path: '/p/a' }, 'known'],
    ['read', { path: '/p/a', head: 3 }, 'known'],
    ['read', { path: ['/p/a', '/p/b'] }, 'known'],
    ['read', { path: 'a' }, 'unknown'],
    ['read', { path: '~/a' }, 'unknown'],
    ['read', { path: '/p/a ' }, 'unknown'],
    ['read', { path: ['/p/a', '/p/%2eenv'] }, 'unknown'],
    ['read', { path: 7 }, 'unknown'],
    ['read', { path: ['/p/a', 7] }, 'unknown'],
    ['read', { path: '/p/a', Path: '/etc/shadow' }, 'unknown'],
    ['read', { path: '/p/a', constructor: 1 }, 'unknown'],
    ['read', {}, 'unknown'],
    ['toString', {}, 'unknown'],
    ['other', { path: '/p/a' }, 'unknown'],
  ])('of %s with %j is %s', (tool, given, kind) => {
    expect(effectOf(request(tool, given)).kind).toBe(kind);
  });
});

describe('a scope for tools', () => {
  const asked = request('read', { path: '/p/a' });

  it('covers the tool below its directory, and no other tool or directory', () => {
    expect(reaches(['read'], '/p', asked, request('read', { path: '/p/b/c' }))).toBe(true);
    expect(reaches(['read'], '/p', asked, request('read', { path: '/pp/c' }))).toBe(false);
    expect(reaches(['read'], '/p', asked, request('read', { path: '/p/.ssh/id_rsa' }))).toBe(false);
    expect(reaches(['read'], '/p', asked, request('read', { path: '/p/b', other: 1 }))).toBe(false);
    expect(reaches(['read'], '/p', asked, request('write', { path: '/p/b', content: '' }))).toBe(false);
    expect(reaches(['read'], null, asked, request('read', { path: '/p/b' }))).toBe(false);
    expect(reaches(['list', 'read'], '/p', asked, request('list', { path: '/p/b' }))).toBe(true);
    expect(reaches(['read', 'write'], '/p', asked, request('write', { path: '/p/b', content: '' }))).toBe(false);
    expect(reaches(['run'], null, request('run', { command: 'a' }), request('run', { command: 'b' }))).toBe(false);
    expect(reaches(['sum'], null, request('sum', { a: 1 }), request('sum', { a: 2 }))).toBe(true);
  });

  it('is for one server: with the same command line, the same files and the same declarations', () => {
    const wanted = request('read', { path: '/p/b' });
    const { mcp } = wanted;
    if (mcp === undefined) throw new Error('no call');
    const others: Partial<ExecutionRequest>[] = [
      { argv: ['mcp-files', '/'] },
      { cwd: '/q' },
      { host: 'i' },
      { user: 'root' },
      { environment: [{ name: 'PATH', value: '/evil' }] },
      { mcp: { ...mcp, server: 'other' } },
      { mcp: { ...mcp, files: [] } },
      { mcp: { ...mcp, files: [{ path: '/usr/bin/mcp-files', digest: 'b'.repeat(64) }] } },
      { mcp: { ...mcp, declared: 'b'.repeat(64) } },
      { mcp: { ...mcp, declared: null } },
    ];
    expect(reaches(['read'], '/p', asked, wanted)).toBe(true);
    for (const other of others) expect(reaches(['read'], '/p', asked, { ...wanted, ...other })).toBe(false);
    const listed = { ...wanted, mcp: { ...mcp, listed: 'b'.repeat(64) } };
    expect(reaches(['read'], '/p', asked, listed)).toBe(true);
    expect(reaches(['list', 'read'], '/p', asked, listed)).toBe(false);
  });

  it('does not cover a call for which the host claims other paths than the arguments have', () => {
    const lying = { ...request('read', { path: '/etc/shadow' }), files: request('read', { path: '/p/a' }).files ?? [] };
    expect(reaches(['read'], '/p', asked, lying)).toBe(false);
    const { files: _, ...silent } = request('read', { path: '/etc/shadow' });
    expect(reaches(['read'], '/p', asked, silent)).toBe(false);
    expect(toolScopesFor(lying, effectOf(lying))).toEqual([]);
  });

  it('may be given only if it makes sense for the request', () => {
    const fault = (tools: string[], below: string | null, of = asked, isOnce = false) =>
      toolScopeFault({ kind: 'tools', tools, below }, of, effectOf(of), isOnce)?.code ?? null;
    expect(fault(['read'], '/p')).toBe(null);
    expect(fault(['read'], '/p', asked, true)).toBe('unfit');
    expect(fault(['read'], '/')).toBe('forbidden');
    expect(fault(['read'], '/p/../etc')).toBe('unfit');
    expect(fault(['read'], '/q')).toBe('not-covering');
    expect(fault(['list'], '/p')).toBe('not-covering');
    expect(fault(['read', 'write'], '/p')).toBe('forbidden');
    expect(fault(['run'], null, request('run', { command: 'a' }))).toBe('forbidden');
    expect(fault(['other'], null, request('other', {}))).toBe('forbidden');
    expect(fault(['read'], '/p', request('read', { path: '/p/.ssh/id_rsa' }))).toBe('forbidden');
  });
});

describe('a request for a call', () => {
  it('binds server, tool, declaration and arguments, and its text shows them', () => {
    const one = request('read', { path: '/p/a' });
    const { mcp } = one;
    if (mcp === undefined) throw new Error('no call');
    const changed: ExecutionRequest[] = [
      { ...one, mcp: { ...mcp, server: 'x' } },
      { ...one, mcp: { ...mcp, tool: 'x' } },
      { ...one, mcp: { ...mcp, declared: null } },
      { ...one, mcp: { ...mcp, arguments: '{}' } },
      { ...one, mcp: { ...mcp, files: [] } },
      { ...one, argv: ['x'] },
      { ...one, files: [] },
    ];
    expect(new Set([one, ...changed].map(canonicalRequest)).size).toBe(changed.length + 1);
    expect(mcpCallFault(one)).toBe(null);
    expect(mcpCallFault({ ...one, text: 'read of the MCP server files\n{}\n' })?.message).toContain(
      'the text does not match',
    );
    expect(mcpCallFault({ ...one, mcp: { ...mcp, arguments: '{"b":1,"a":2}' } })?.message).toContain('canonical');
    expect(mcpCallFault({ ...one, mcp: { ...mcp, arguments: '[1]' } })?.message).toContain('canonical');
    expect(mcpCallFault({ ...one, kind: 'command' })?.message).toContain('must not have a call');
    expect(mcpCallFault({ ...one, argv: [] })?.message).toContain('argv');
  });
});

describe('a web fetch', () => {
  const fetching = (...urls: readonly string[]): ExecutionRequest => {
    const fetches = urls.map((url) => ({ method: 'GET' as const, url, origin: webOrigin(url) ?? 'https://none' }));
    const text = fetchRequestText(fetches);
    return { kind: 'fetch', text, argv: [], cwd: '/p', host: 'h', user: 'u', environment: [], fetches };
  };

  it.each([
    ['https://Example.com/a?b', 'https://example.com'],
    ['http://example.com:8080/', 'http://example.com:8080'],
    ['https://example.com:443/', 'https://example.com'],
    ['https://user@example.com/', null],
    ['https://example.com\\@evil.com/', null],
    ['https://example.com /', null],
    ['https:/example.com/', null],
    ['https:example.com', null],
    ['file:///etc/passwd', null],
    ['javascript:alert(1)', null],
    ['https://0x7f.1/', 'https://127.0.0.1'],
    ['https://ex\u00adample.com/', null],
  ])('of %s is a request to %s', (url, origin) => {
    expect(webOrigin(url)).toBe(origin);
  });

  it('is covered only for the host and the user that asked', () => {
    const scope = { kind: 'fetch' as const, origins: ['https://example.com'] };
    const asked = fetching('https://example.com/a');
    const wanted = fetching('https://example.com/b');
    expect(fetchScopeCovers(scope, asked, wanted)).toBe(true);
    expect(fetchScopeCovers(scope, asked, { ...wanted, host: 'other' })).toBe(false);
    expect(fetchScopeCovers(scope, asked, { ...wanted, user: 'other' })).toBe(false);
  });

  it('is covered only for its own host; a private host only for the exact address', () => {
    const asked = fetching('https://docs.example.com/a');
    const scope = { kind: 'fetch', origins: ['https://docs.example.com'] } as const;
    expect(fetchScopeFault(scope, asked, false)).toBe(null);
    expect(fetchScopeFault(scope, asked, true)?.code).toBe('unfit');
    expect(fetchScopeCovers(scope, asked, fetching('https://docs.example.com/b?c=d'))).toBe(true);
    for (const other of [
      'http://docs.example.com/b',
      'https://docs.example.com:444/',
      'https://evil.com/',
      'https://docs.example.com.evil.com/',
    ])
      expect(fetchScopeCovers(scope, asked, fetching(other))).toBe(false);
    expect(fetchScopeCovers(scope, asked, fetching('https://docs.example.com/b', 'https://evil.com/'))).toBe(false);
    for (const url of [
      'http://localhost/',
      'http://127.0.0.1/',
      'http://169.254.169.254/x',
      'http://[::1]/',
      'http://router.local/',
    ]) {
      const private_ = fetching(url);
      const origins = (private_.fetches ?? []).map(({ origin }) => origin);
      expect(fetchScopeFault({ kind: 'fetch', origins }, private_, false)?.code).toBe('forbidden');
      expect(fetchScopeCovers({ kind: 'fetch', origins }, private_, private_)).toBe(false);
    }
  });

  it('names its origin, and its text is derived from the addresses', () => {
    const one = fetching('https://example.com/');
    expect(fetchesFault(one, webOrigin)).toBe(null);
    expect(fetchesFault({ ...one, text: 'GET https://other.com/\n' }, webOrigin)?.message).toContain(
      'the text does not match',
    );
    const lying = [{ method: 'GET' as const, url: 'https://evil.com/', origin: 'https://example.com' }];
    expect(fetchesFault({ ...one, fetches: lying, text: fetchRequestText(lying) }, webOrigin)?.message).toContain(
      'the members url and origin',
    );
    expect(fetchesFault({ ...one, kind: 'line' }, webOrigin)?.message).toContain('must not have addresses');
  });
});
