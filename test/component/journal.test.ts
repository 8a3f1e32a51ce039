/** The journal of a host: each entry is one JSON line. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openJournal } from '../../src/audit/journal.ts';
import { systemClock } from '../../src/platform/clock.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'ape-journal-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

it('begins a new line after an entry that a full disk cut', () => {
  const journal = openJournal(join(directory, 'audit'), systemClock);
  if (!journal.ok) throw new Error(journal.failure.message);
  expect([journal.value({ event: 'asked' }), journal.value({ event: 'cut' })]).toEqual([null, null]);
  const [name = ''] = readdirSync(join(directory, 'audit'));
  const file = join(directory, 'audit', name);
  truncateSync(file, readFileSync(file).length - 5);
  expect([journal.value({ event: 'ran' }), journal.value({ event: 'ran' })]).toEqual([null, null]);
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  const events = lines.map((line) => (line.endsWith('}') ? (JSON.parse(line) as { event: string }).event : 'half'));
  expect(events).toEqual(['asked', 'half', 'ran', 'ran']);
});
