/**
 * The grant server is killed (SIGKILL) at each stage of a request. Nothing runs without a permit, the shell reports what happened, and
 * the shell works again when the server is back, also at another port.
 */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Keyboard } from '../terminal/keyboard.ts';
import { GatedStage } from './gated-stage.ts';

const stage = new GatedStage();
const PROMPT = /U# $/;
const GRANT = /g_[a-z2-7]{26}/;
const KILL = `kill -9 $(apes up --status --json | sed 's/.*"pid":\\([0-9]*\\).*/\\1/')`;
const START = ['apes up', 'apes up --port 0'] as const;
const canary = (): string => join(stage.scratch, 'work', 'canary');
const ran = (): number => (existsSync(canary()) ? readFileSync(canary(), 'utf8').split('\n').length - 1 : 0);

beforeAll(async () => {
  await stage.open();
  await stage.run(`echo 'PS1="U# "; bind "set enable-bracketed-paste off"' > $SCRATCH/home/.bashrc`);
});
beforeEach(async () => {
  rmSync(canary(), { force: true });
  await stage.run('apes up');
});
afterAll(() => stage.close());

async function kill(): Promise<void> {
  expect(await stage.run(KILL)).toMatchObject({ status: 0 });
}

async function start(how: string): Promise<void> {
  expect(await stage.run(how)).toMatchObject({ status: 0 });
}

describe('a line of a session', () => {
  let keys: Keyboard;
  let count = 0;
  const line = (): string => `echo ran >> canary; : ${count++}`;
  const open = async (): Promise<void> => {
    keys = await stage.session('.');
  };
  const waiting = async (): Promise<string> => (await keys.see(GRANT, 20_000))[0];
  const goesOn = async (): Promise<void> => {
    keys.type(`${line()} next\r`);
    const id = await waiting();
    const before = ran();
    expect(await stage.run(`apes grants approve ${id}`)).toMatchObject({ status: 0 });
    await keys.see(PROMPT, 20_000);
    expect(ran()).toBe(before + 1);
    keys.close();
  };

  it('typed after the server was killed is refused with the reason', async () => {
    await open();
    await kill();
    keys.type(`${line()}\r`);
    await keys.see(/the grant server at \S+ cannot be asked: [\s\S]*nothing ran[\s\S]*U# $/, 20_000);
    expect(ran()).toBe(0);
    await start('apes up --port 0');
    await goesOn();
  });

  it.each(START)('runs if the server is killed while it waits, and comes back by `%s`', async (how) => {
    await open();
    keys.type(`${line()}\r`);
    const id = await waiting();
    await kill();
    await keys.see(/the grant server cannot be reached; still waiting/, 20_000);
    expect(ran()).toBe(0);
    await start(how);
    await keys.see(/the grant server answers again/, 20_000);
    expect(await stage.run(`apes grants approve ${id}`)).toMatchObject({ status: 0 });
    await keys.see(PROMPT, 20_000);
    expect(ran()).toBe(1);
    await goesOn();
  });

  it.each([0, 5, 20])('runs at most once if the server is killed %i ms after the approval', async (ms) => {
    await open();
    keys.type(`${line()}\r`);
    const id = await waiting();
    const pid = (await stage.run('apes up --status --json')).out.replace(/.*"pid":(\d+)[\s\S]*/, '$1');
    await stage.run(`apes grants approve ${id}; sleep ${ms / 1000}; kill -9 ${pid}`);
    await start('apes up');
    // The line has got the permit, is refused with a reason, or goes on waiting and gets the decision from the new server.
    await keys.see(PROMPT, 30_000);
    const state = (await stage.run(`apes grants status ${id}`)).out.trim();
    expect(ran()).toBeLessThanOrEqual(1);
    if (ran() === 1) expect(state).toMatch(/^used/);
    await goesOn();
  });

  it('runs to its end if the server is killed meanwhile, and the shell does not wait to report the end to the server', async () => {
    await open();
    keys.type(`until [ -e go ]; do sleep 0.02; done; ${line()}\r`);
    const id = await waiting();
    expect(await stage.run(`apes grants approve ${id}`)).toMatchObject({ status: 0 });
    await keys.see(/approved, continuing/, 20_000);
    await kill();
    await stage.run('touch go');
    await keys.see(PROMPT, 20_000);
    await stage.run('rm go');
    expect(ran()).toBe(1);
    keys.type(`${line()} dead\r`);
    await keys.see(/cannot be asked: [\s\S]*U# $/, 20_000);
    expect(ran()).toBe(1);
    await start('apes up --port 0');
    await goesOn();
  });
});

describe('a one-shot', () => {
  const filed = `id=$(ape-shell -c "$c" 2>&1 | grep -o "g_[a-z2-7]*" | head -1)`;
  const waits = (c: string, then: string) =>
    stage.run(
      [
        `c='${c}'; ${filed}; rm -f said; APE_WAIT=1 ape-shell -c "$c" 2> said & waiter=$!`,
        'until grep -qs "g_[a-z2-7]*" said; do sleep 0.05; done; sleep 0.3',
        then,
        'wait $waiter; s=$?; cat said >&2; exit $s',
      ].join('\n'),
    );

  it.each(START)('runs if the server is killed while it waits, and comes back by `%s`', async (how) => {
    const until = 'until grep -qs "cannot be reached" said; do sleep 0.05; done';
    const outcome = await waits(
      `echo ran >> canary; : ${how}`,
      `${KILL}; ${until}; ${how} >&2; apes grants approve $id >&2`,
    );
    expect(outcome.err).toContain('the grant server answers again; still waiting');
    expect([outcome.status, ran()]).toEqual([0, 1]);
  });

  it('that is covered runs nothing while there is no server', async () => {
    await stage.approved(`ape-shell -c 'echo ran >> canary; : covered'`, 'always');
    await kill();
    const dead = await stage.run(`ape-shell -c 'echo ran >> canary; : covered'`);
    expect([dead.status, ran()]).toEqual([69, 0]);
    expect(dead.err).toMatch(/cannot be asked: .*nothing ran/);
    await start('apes up --port 0');
    expect([(await stage.run(`ape-shell -c 'echo ran >> canary; : covered'`)).status, ran()]).toEqual([0, 1]);
  });

  it('that is called many times while the server is killed again and again runs exactly as often as its status says', async () => {
    await stage.approved(`ape-shell -c 'echo ran >> canary; : load'`, 'always');
    const outcome = await stage.run(
      [
        'for n in 1 2 3 4 5 6 7 8; do (for m in 1 2 3 4 5; do',
        `  ape-shell -c 'echo ran >> canary; : load' 2>> refused; echo $? >> statuses; done) & jobs="$jobs $!"; done`,
        `for n in 1 2 3; do sleep 0.2; ${KILL}; sleep 0.1; apes up >/dev/null; done`,
        'wait $jobs; sort statuses | uniq -c; sort -u refused',
      ].join('\n'),
    );
    const counted = [...outcome.out.matchAll(/(\d+) (\d+)\n/g)].map(([, times, status]) => [
      Number(status),
      Number(times),
    ]);
    const byStatus = new Map(counted as [number, number][]);
    expect(
      [...byStatus.keys()].every((status) => [0, 69].includes(status)),
      outcome.out,
    ).toBe(true);
    expect(ran()).toBe(byStatus.get(0));
    expect((byStatus.get(0) ?? 0) + (byStatus.get(69) ?? 0)).toBe(40);
  });
});
