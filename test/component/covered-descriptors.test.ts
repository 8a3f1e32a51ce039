/** Children get no master of a pseudo-terminal, also if the master was opened by the code of another bundle in the same process. */
import { closeSync, openSync } from 'node:fs';
import { expect, it } from 'vitest';
import { coverDescriptor, coveredStdio, uncoverDescriptor } from '../../src/pty/covered-descriptors.ts';

it('each copy of the code covers the descriptors that another copy has opened', async () => {
  const other = '../../src/pty/covered-descriptors.ts?other';
  const copy = (await import(/* @vite-ignore */ other)) as typeof import('../../src/pty/covered-descriptors.ts');
  expect(copy.coverDescriptor).not.toBe(coverDescriptor); // otherwise this test shows nothing
  const master = openSync('/dev/null', 'r');
  coverDescriptor(master);
  try {
    const stdio = copy.coveredStdio(['ignore', 'pipe', 'ignore']) as unknown[];
    expect(stdio.slice(0, 3)).toEqual(['ignore', 'pipe', 'ignore']);
    expect(stdio[master]).toEqual(expect.any(Number));
    expect(stdio[master]).not.toBe(master);
  } finally {
    uncoverDescriptor(master);
    closeSync(master);
  }
  expect(copy.coveredStdio(['ignore', 'pipe', 'ignore'])).toEqual(coveredStdio(['ignore', 'pipe', 'ignore']));
});
