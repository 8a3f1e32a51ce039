/** What a host records about break-glass keys: only decisions that it accepts, in files of its own directory. */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BREAK_GLASS_MS } from '../../src/core/sealed/break-glass-key.ts';
import { spendBreakGlass } from '../../src/grants/break-glass-uses.ts';
import { bundleWorker } from '../contract/worker.ts';

const AT_MS = 1_800_000_000_000;
const keyOf = (keyId: string, decidedAtMs = AT_MS, endsAtMs = decidedAtMs + BREAK_GLASS_MS) => ({
  keyId,
  decidedAtMs,
  endsAtMs,
});

describe('a use of a break-glass key', () => {
  let state: string;
  beforeEach(() => {
    state = mkdtempSync(join(tmpdir(), 'ape-glass-'));
    chmodSync(state, 0o700);
  });
  afterEach(() => rmSync(state, { recursive: true, force: true }));
  const spent = (...uses: readonly ReturnType<typeof keyOf>[]) => spendBreakGlass(state, uses);
  const written = () => readdirSync(join(state, 'break-glass-keys'));

  it('is recorded with its moment', () => {
    expect(spent(keyOf('k1'))).toBeNull();
    expect(written()).toEqual([`k1.${AT_MS}`]);
    expect(spent(keyOf('k1', AT_MS + 60_000, AT_MS + BREAK_GLASS_MS))).toBeNull();
    expect(written()).toEqual([`k1.${AT_MS}`]);
  });

  it.each(['../k', 'a/b', '.', '..', '', 'k.1', 'k\n', 'k'.repeat(129)])(
    'with the id %j is refused, and nothing is recorded',
    (id) => {
      expect(spent(keyOf(id))).not.toBeNull();
      expect([written(), readdirSync(state)]).toEqual([[], ['break-glass-keys']]);
    },
  );

  it('that is refused does not change the first moment', () => {
    expect(spent(keyOf('k1', AT_MS, AT_MS + BREAK_GLASS_MS + 1))).not.toBeNull();
    expect(written()).toEqual([]);
    expect(spent(keyOf('k1'))).toBeNull();
    expect(spent(keyOf('k1', AT_MS - BREAK_GLASS_MS, AT_MS + 1))).not.toBeNull();
    expect(written()).toEqual([`k1.${AT_MS}`]);
  });

  it('that was earlier than the recorded first use replaces its moment', () => {
    expect(spent(keyOf('k1'))).toBeNull();
    expect(spent(keyOf('k1', AT_MS - 60_000, AT_MS))).toBeNull();
    expect(spent(keyOf('k1', AT_MS, AT_MS + BREAK_GLASS_MS))).not.toBeNull();
    expect(spent(keyOf('k1', AT_MS, AT_MS - 60_000 + BREAK_GLASS_MS))).toBeNull();
  });

  it('is counted for each key by itself; one refused use refuses all uses of the call', () => {
    expect(spent(keyOf('k1'), keyOf('k2', AT_MS + 3 * BREAK_GLASS_MS))).toBeNull();
    expect(spent(keyOf('k1', AT_MS + BREAK_GLASS_MS), keyOf('k2', AT_MS + 3 * BREAK_GLASS_MS))).not.toBeNull();
    expect(spent(keyOf('k1', AT_MS, AT_MS + BREAK_GLASS_MS), keyOf('k2', AT_MS + 4 * BREAK_GLASS_MS))).not.toBeNull();
  });

  it('is refused with the reason if its moment cannot be written to the disk', () => {
    const workers = bundleWorker('src/grants/break-glass-uses.ts');
    const call = `import { spendBreakGlass } from ${JSON.stringify(workers.script)};
      console.log(JSON.stringify(spendBreakGlass(${JSON.stringify(state)}, [${JSON.stringify(keyOf('k1'))}])));`;
    const failing = ['-f', '-qqq', '-o', '/dev/null', '-e', 'inject=fsync:error=EIO:when=2', process.execPath];
    const { stdout } = spawnSync('strace', [...failing, '--input-type=module', '-e', call], { encoding: 'utf8' });
    workers.remove();
    expect(JSON.parse(stdout)).toMatchObject({ code: 'audit', message: expect.stringContaining('EIO') });
  });

  it('is refused if its moment cannot be recorded, or if other users could remove the record', () => {
    const directory = join(state, 'break-glass-keys');
    writeFileSync(directory, '');
    expect(spent(keyOf('k1'))).not.toBeNull();
    rmSync(directory);
    expect(spent(keyOf('k1'))).toBeNull();
    chmodSync(directory, 0o777);
    expect(spent(keyOf('k1'))).not.toBeNull();
  });
});
