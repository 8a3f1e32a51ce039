/** A process that cannot open another file (EMFILE) reports that, does not crash, and leaves nothing behind. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Permit } from '../../src/core/grant/authorization.ts';
import { resolvePath } from '../../src/gate/facts/resolve-path.ts';
import { askGuard, report } from '../../src/harness/guard-client.js';
import { runLine } from '../../src/harness/run-line.ts';
import { spawnLeash } from '../../src/mcp/leash.ts';
import { pumpOutput } from '../../src/pty/output-pump.ts';
import { openPrivateSocket } from '../../src/pty/private-socket.ts';
import { startHost } from '../../src/session/client/start-host.ts';
import { withoutFiles } from './without-files.ts';

it('the plugin of a harness denies the call, and makes no report', async () => {
  await expect(withoutFiles(() => askGuard({ tool: 'x' }))).rejects.toThrow(
    'DENIED, nothing ran: spawn /bin/sh EMFILE',
  );
  await withoutFiles(() => report({ tool: 'x' }));
});

it('an MCP server starts no program', async () => {
  const start = () => spawnLeash({ file: '/bin/true', argv: [] }, '/', '/nowhere', ['ignore', 'pipe', 'pipe']);
  await expect(withoutFiles(start)).rejects.toMatchObject({ code: 'EMFILE' });
});

it('a line of a hook does not start, and its outcome says why', async () => {
  const pids: unknown[] = [];
  const during = async ({ pid }: { readonly pid?: number | undefined }) => void pids.push(pid);
  const run = { line: 'true', input: 'x', cwd: '/', environment: {}, during, mostMs: 60_000 };
  expect(await withoutFiles(() => runLine(run))).toMatchObject({
    status: null,
    err: expect.stringContaining('EMFILE'),
  });
  expect(pids).toEqual([undefined]);
});

it('a session does not start, and the failure says why', async () => {
  const place = {
    name: null,
    directory: '/nowhere',
    journal: '/nowhere',
    dist: '/nowhere',
    size: { columns: 80, rows: 24 },
  };
  const permit = { request: { argv: ['/bin/true'], cwd: '/' } } as unknown as Permit;
  expect(await withoutFiles(() => startHost(permit, { ...place, environment: new Map() }))).toMatchObject({
    ok: false,
    failure: { status: 71, failure: { message: expect.stringContaining('EMFILE') } },
  });
});

it('a session shows its output without the relay', async () => {
  const parts = { path: '/bin/true', master: 0, terminal: 0, onCopy: () => undefined };
  expect(await withoutFiles(() => pumpOutput(parts, new AbortController().signal))).toMatchObject({ canPump: false });
});

it('a session shows its output without the relay if spawn throws, as for a path through a file', async () => {
  const parts = { path: '/bin/true/pump', master: 0, terminal: 0, onCopy: () => undefined };
  expect(await pumpOutput(parts, new AbortController().signal)).toMatchObject({ canPump: false });
});

it('a path whose other spellings cannot be looked for is refused, except a plain name', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'ape-listed-'));
  const resolve = (name: string) => withoutFiles(() => resolvePath(name, directory));
  expect(await resolve('a b')).toMatchObject({
    ok: false,
    failure: { message: expect.stringContaining('cannot be listed') },
  });
  expect(await resolve('ab')).toMatchObject({ ok: true, value: { kind: 'new' } });
  rmSync(directory, { recursive: true });
});

it('no directory remains of a private socket that cannot be made', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'ape-socket-'));
  await expect(withoutFiles(() => openPrivateSocket(directory, 1_000))).rejects.toThrow('EMFILE');
  expect(readdirSync(directory)).toEqual([]);
  rmSync(directory, { recursive: true });
});
