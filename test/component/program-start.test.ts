/** A program behind a pseudo-terminal that does not start. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startBash } from '../../src/pty/bash-session.ts';
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
    expect(readdirSync(runtimeDirectory)).toEqual([]);
  } finally {
    rmSync(runtimeDirectory, { recursive: true });
  }
});

it('leaves no socket behind if the starter of bash ends at once', async () => {
  const runtimeDirectory = mkdtempSync(join(tmpdir(), 'ape-pty-'));
  try {
    const started = startBash({
      start: { directory: '/', file: '/bin/bash', argv: ['bash'], environment: [] },
      size: { columns: 80, rows: 24 },
      leaderPath: '/bin/false',
      runtimeDirectory,
      onOutput: () => {},
      onFrame: () => {},
      onBroken: () => {},
    });
    await expect(started).rejects.toThrow('starter ended with status 1');
    expect(readdirSync(runtimeDirectory)).toEqual([]);
  } finally {
    rmSync(runtimeDirectory, { recursive: true });
  }
});
