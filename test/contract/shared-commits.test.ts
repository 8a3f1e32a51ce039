/** Units of work that wait at the same time share a commit of a real SQLite file. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { removeDirectory } from '../../scripts/remove-directory.mjs';
import { SharedCommits } from '../../src/store/shared-commits.ts';

let directory: string;
let file: Database.Database;
let ran: string[];
let refused: string | null;
let commits: SharedCommits;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'ape-commits-'));
  file = new Database(join(directory, 'file.db'));
  file.pragma('journal_mode = wal');
  file.exec('create table kept (n integer primary key, text text)');
  ran = [];
  refused = null;
  const port = {
    run(text: string) {
      ran.push(text);
      if (text === refused) throw new Error(`${text} failed`);
      file.prepare(text).run();
    },
    isOpen: () => file.inTransaction,
  };
  let turn = Promise.resolve();
  commits = new SharedCommits(port, (work) => (turn = turn.then(work)));
});
afterEach(() => {
  file.close();
  removeDirectory(directory);
});

const keep = (n: number, text = '') => file.prepare('insert into kept values (?, ?)').run(n, text);
const kept = () => file.prepare('select n from kept order by n').pluck().all();
const count = (text: string) => ran.filter((one) => one === text).length;

describe('units that wait together', () => {
  it('are committed once, and each gets its own result', async () => {
    const given = await Promise.all(
      [1, 2, 3, 4, 5].map((n) =>
        commits.run(async () => {
          await Promise.resolve();
          keep(n);
          return n * 10;
        }),
      ),
    );
    expect(given).toEqual([10, 20, 30, 40, 50]);
    expect(kept()).toEqual([1, 2, 3, 4, 5]);
    expect(count('commit')).toBe(1);
  });

  it('are not answered before the commit', async () => {
    const answered: number[] = [];
    const all = [1, 2, 3].map((n) =>
      commits
        .run(async () => {
          expect(answered).toEqual([]);
          keep(n);
        })
        .then(() => {
          answered.push(n);
          expect(count('commit')).toBe(1);
        }),
    );
    await Promise.all(all);
    expect(answered).toEqual([1, 2, 3]);
  });

  it('do not fail because one of them fails', async () => {
    const outcomes = await Promise.allSettled(
      [1, 2, 3].map((n) =>
        commits.run(async () => {
          keep(n);
          await Promise.resolve();
          if (n === 2) throw new Error('no');
        }),
      ),
    );
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(kept()).toEqual([1, 3]);
  });

  it('are at most 64; units that come later have a commit of their own', async () => {
    await Promise.all(Array.from({ length: 65 }, (_, n) => commits.run(async () => keep(n))));
    expect(kept()).toHaveLength(65);
    expect(count('commit')).toBe(2);
    await commits.run(async () => keep(100));
    expect(count('commit')).toBe(3);
  });

  it('are at most 64 with those that fail', async () => {
    const fail = () => commits.run(() => Promise.reject(new Error('no')));
    const outcomes = await Promise.allSettled([...Array.from({ length: 64 }, fail), commits.run(async () => keep(1))]);
    expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(64);
    expect([kept(), count('commit')]).toEqual([[1], 2]);
  });

  it('all fail if the transaction was rolled back because the disk is full', async () => {
    file.pragma(`max_page_count = ${Number(file.pragma('page_count', { simple: true })) + 4}`);
    const outcomes = await Promise.allSettled([
      commits.run(async () => keep(1)),
      commits.run(async () => keep(2, 'x'.repeat(1_000_000))),
    ]);
    expect(outcomes).toMatchObject([
      { status: 'rejected', reason: { code: 'SQLITE_FULL' } },
      { status: 'rejected', reason: { code: 'SQLITE_FULL' } },
    ]);
    expect(kept()).toEqual([]);
    await commits.run(async () => keep(3));
    expect(kept()).toEqual([3]);
  });

  it.each(['savepoint unit', 'release unit', 'commit'])(
    'get an answer if `%s` fails, as do later units',
    async (text) => {
      refused = text;
      const outcomes = await Promise.allSettled([commits.run(async () => keep(1)), commits.run(async () => keep(2))]);
      expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
      refused = null;
      await commits.run(async () => keep(3));
      expect(kept()).toEqual([3]);
    },
  );

  it('fail each with its own error while another process writes', async () => {
    const other = new Database(join(directory, 'file.db'));
    file.pragma('busy_timeout = 1');
    other.exec('begin immediate');
    const outcomes = await Promise.allSettled([commits.run(async () => keep(1)), commits.run(async () => keep(2))]);
    expect(outcomes).toMatchObject([{ reason: { code: 'SQLITE_BUSY' } }, { reason: { code: 'SQLITE_BUSY' } }]);
    other.exec('commit');
    other.close();
    await commits.run(async () => keep(3));
    expect(kept()).toEqual([3]);
  });
});
