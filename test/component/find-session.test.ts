/** Finding a session by a word, among the records of sessions that run, have ended, or lost their host. */
import { chmodSync, mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { removeDirectory } from '../../scripts/remove-directory.mjs';
import { openSession } from '../../src/session/client/find-session.ts';
import { type SessionEntry, writeEntry } from '../../src/session/registry.ts';

it('a session whose host was killed is removed, and an ended session of this name is found by the same call', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'ape-find-session-'));
  try {
    chmodSync(directory, 0o700);
    const gone: SessionEntry = {
      id: `s_${'a'.repeat(20)}`,
      name: 'fix',
      kind: 'program',
      pid: 4_000_000,
      socket: join(directory, 'gone.sock'),
      program: ['true'],
      cwd: '/',
      startedAtMs: Date.now(),
      ended: null,
    };
    writeEntry(directory, gone);
    const id = `s_${'b'.repeat(20)}`;
    writeEntry(directory, { ...gone, id, ended: { status: 0, signal: 0, atMs: Date.now() } });
    expect(await openSession(directory, 'fix')).toMatchObject({ ok: false, failure: { detail: 'session.ended' } });
    expect(readdirSync(directory)).toEqual([`${id}.json`]);
    expect(await openSession(directory, gone.id)).toMatchObject({ failure: { detail: 'session.not-found' } });
  } finally {
    removeDirectory(directory);
  }
});
