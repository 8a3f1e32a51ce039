/** A program behind a pseudo-terminal that does not start. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startProgram } from '../../src/pty/program-session.ts';

it('fails with one whole sentence if its starter ends at once', async () => {
  const runtimeDirectory = mkdtempSync(join(tmpdir(), 'ape-pty-'));
  try {
    const started = await startProgram({
      start: { directory: '/', file: '/bin/true', argv: ['true'], environment: [] },
      size: { columns: 80, rows: 24 },
      leaderPath: '/bin/false',
      runtimeDirectory,
      onOutput: () => {},
    });
    expect(started).toMatchObject({
      ok: false,
      failure: {
        status: 71,
        failure: { message: expect.stringContaining('cannot start the program: its starter ended') },
      },
    });
  } finally {
    rmSync(runtimeDirectory, { recursive: true });
  }
});
