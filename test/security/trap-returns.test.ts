/**
 * A trap of the user runs between the commands of our own functions, and a `return` in the trap ends the running function. Whichever
 * function ends, each approved line runs at most once, and no other line runs.
 */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { gatedBash, makePlace } from '../fixtures/terminal/start-host.ts';
import { Keyboard } from '../terminal/keyboard.ts';

/** An unapproved line. It uses a builtin, which ends before the gate could end bash. */
const MARK = ': >pwned';
const LINE = 'echo x >>ran';
/** Sends many signals, until bash ends or some seconds have passed. */
const SIGNALS = '(for ((i = 0; i < 6000; i++)); do sleep 0.0005; kill -USR1 $$ 2>/dev/null || exit; done) &';

const linesIn = (file: string): readonly string[] =>
  existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];

describe.concurrent('A trap that ends our functions', () => {
  test.for(['return', 'return 0', 'return 1', 'break', 'continue'])('by %s', { timeout: 120_000 }, async (trap) => {
    const place = makePlace();
    const set = `trap '${trap} 2>/dev/null' USR1`;
    const keys = new Keyboard(gatedBash(place, false, [LINE, SIGNALS, set]));
    try {
      await keys.see(/U# $/, 20_000);
      for (const text of [set, SIGNALS]) keys.type(`${text}\r`);
      let isOver = false;
      void keys.exit.then(() => {
        isOver = true;
      });
      for (let time = 0; time < 120 && !isOver; time++) {
        await sleep(40 + (time % 20));
        keys.type(time % 2 === 1 ? `${MARK}\r` : `${LINE}\r`);
      }
      // The runs are counted first, because typed lines may still run and be asked for.
      const ran = linesIn(path.join(place.work, 'ran')).length;
      const asked = linesIn(place.log).filter((entry) => entry.includes(`"asked":"${LINE}"`)).length;
      expect(ran, keys.printed.slice(-2_000)).toBeLessThanOrEqual(asked);
      expect(existsSync(path.join(place.work, 'pwned')), keys.printed.slice(-2_000)).toBe(false);
    } finally {
      keys.close();
    }
  });
});
