/**
 * Promise 3 of SECURITY.md, before the first prompt. Threat: a Ctrl-C ends the set-up text, and bash then reads its ticks with the
 * line editor, where a macro of `.inputrc` becomes a command. Another threat: a start-up file ends in `exec fish`, and leaves a shell
 * without a gate.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { MARK } from '../fixtures/terminal/attacker.ts';
import { gatedBash, makePlace } from '../fixtures/terminal/start-host.ts';
import { Keyboard } from '../terminal/keyboard.ts';

function textOf(file: string): string {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return '';
  }
}

/** Whether bash runs below this process: it has the set-up text in its arguments. */
function hasBash(pid: number): boolean {
  const children = textOf(`/proc/${pid}/task/${pid}/children`).split(' ').filter(Boolean);
  return children.some((child) => textOf(`/proc/${child}/cmdline`).includes('setup.bash'));
}

async function untilBash(pid: number): Promise<void> {
  for (let turn = 0; turn < 200_000 && !hasBash(pid); turn++) await setImmediate();
}

/** How long after the start of bash the keys are typed, in ms. The set-up text takes 10 to 100 ms. */
const MOMENTS = [0, 2, 4, 6, 8, 10, 13, 16, 20, 25];

describe('Keys before the first prompt', () => {
  test.for(MOMENTS)('Ctrl-C %s ms after bash was started runs nothing, and a prompt comes', async (moment) => {
    const place = makePlace();
    writeFileSync(path.join(place.home, '.inputrc'), `"{": "${MARK}\\C-j"\n`);
    const keys = new Keyboard(gatedBash(place, false, ['echo "GO"']));
    try {
      await untilBash(keys.pid);
      await sleep(moment);
      keys.type('\x03');
      await keys.see(/# $/, 20_000);
      await keys.quiet(400); // bash may handle the Ctrl-C late, and then discards the text that was typed after it
      keys.type('\x15echo "GO"\r');
      await keys.see(/\rGO\r\n/, 20_000);
      expect(readdirSync(place.work), keys.printed).toEqual([]);
    } finally {
      keys.close();
    }
  });
});

describe('A start-up file', () => {
  test.for(['exec sh', 'exec bash --norc', 'command exec -a shell sh', 'f() { exec sh; }; f', '. ~/more'])(
    'leaves no shell without a gate: %s',
    async (line) => {
      const place = makePlace(`PS1='U# '\n${line}\n`);
      writeFileSync(path.join(place.home, 'more'), 'exec sh\n');
      const keys = new Keyboard(gatedBash(place, false, []));
      await keys.see(/a start-up file put another program in its place/, 20_000);
      keys.type(`${MARK}\r`);
      expect(await keys.ended(), keys.printed).toMatchObject({ status: 70 });
      expect(readdirSync(place.work), keys.printed).toEqual([]);
    },
  );

  test('may use exec for descriptors and in subshells, and an approved line may replace bash by exec', async () => {
    const place = makePlace(`PS1='U# '\nexec 7>&1; (exec echo one); two=$(exec echo two); echo "$two" >&7\n`);
    const keys = new Keyboard(gatedBash(place, false, ['exec echo three']));
    try {
      await keys.see(/one\r\ntwo\r\n[\s\S]*U# $/, 20_000);
      keys.type('exec echo three\r');
      await keys.see(/\rthree\r\n/);
    } finally {
      keys.close();
    }
  });
});
