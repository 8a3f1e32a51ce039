/**
 * Threat: a covered command starts a program that no approver has approved. git runs the filter that the repository names for a
 * file, whatever git's rule file says: a standing grant for reading covers `git status`, and the kernel must confine the filter. Our settings
 * for git do not switch filters off, so nothing but the kernel holds them. Real server, gate, git and bash.
 */
import { existsSync, rmSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { REACHED } from '../fixtures/held-run.ts';
import { GatedStage } from './gated-stage.ts';

const stage = new GatedStage();
const inRepository = (command: string): string => `cd "$SCRATCH/work/repo" && ${command}`;
const mark = (): string => join(stage.scratch, 'work', 'other', 'mark');
let id = '';
/** Makes git read the file again, through the filter. */
const changeFile = (): void => utimesSync(join(stage.scratch, 'work', 'repo', 'a'), 1, Math.random() * 1e9);

beforeAll(async () => {
  await stage.open();
  const made = await stage.run(
    [
      'mkdir -p "$SCRATCH/work/repo" "$SCRATCH/work/other" && cd "$SCRATCH/work/repo"',
      'git init -q . && echo one > a && git add . && git -c user.name=u -c user.email=u@x commit -qm first',
      `echo 'PS1="U# "; bind "set enable-bracketed-paste off"' > "$SCRATCH/home/.bashrc"`,
    ].join(' && '),
  );
  if (made.status !== 0) throw new Error(made.err);
  const asked = await stage.run(inRepository(`ape-shell -c 'git status'`));
  id = /g_[a-z2-7]{26}/.exec(asked.err)?.[0] ?? '';
  expect(await stage.run(`apes grants approve ${id} --term always --as reading`)).toMatchObject({ status: 0 });
  stage.file('filter', `#!/bin/sh\n: > "${mark()}"\nexec cat\n`);
  await stage.run(
    inRepository('git config filter.x.clean "$SCRATCH/work/filter" && echo "a filter=x" > .git/info/attributes'),
  );
});
afterAll(() => stage.close());
beforeEach(() => {
  rmSync(mark(), { force: true });
  changeFile();
});

test('unconfined, git runs the program, which proves that the attack works', async () => {
  await stage.run(inRepository('git status --short'));
  expect(existsSync(mark())).toBe(true);
});

test.each([
  ['a one-shot', `ape-shell -c 'git status --short'`],
  ['a one-shot with a Node of its own', `APES_RESIDENT=0 ape-shell -c 'git status --short; git status'`],
  ['apes run', 'apes run -- git status --short'],
])('%s is covered, and confined if this host has a level', async (_name, command) => {
  const ran = await stage.run(inRepository(command));
  expect([ran.status, ran.err]).toEqual([0, expect.stringContaining(id)]);
  expect(existsSync(mark())).toBe(REACHED.level === 0);
  const advice =
    /confined: reads .*; if it needs more, ask for the exact line, .*: apes run --exact --wait -- (CMD|bash -c LINE)\n/;
  expect(ran.err).toMatch(REACHED.level === 0 ? /not confined/ : advice);
});

test('the request for which a scope was given is confined too, each time it is run by its id', async () => {
  for (const call of [`apes grants run ${id}`, `apes grants run ${id} --wait`]) {
    changeFile();
    const ran = await stage.run(inRepository(call));
    expect(ran.status).toBe(0);
    expect(existsSync(mark())).toBe(REACHED.level === 0);
  }
});

test('a line whose exact bytes were approved runs unconfined', async () => {
  const exact = 'apes run --exact -- git status --short';
  const asked = await stage.run(inRepository(exact));
  expect(asked.status).toBe(75);
  const exactId = /g_[a-z2-7]{26}/.exec(asked.out)?.[0] ?? '';
  expect(await stage.run(`apes grants approve ${exactId}`)).toMatchObject({ status: 0 });
  expect(await stage.run(inRepository(exact))).toMatchObject({ status: 0 });
  expect(existsSync(mark())).toBe(true);
});

test('a line of a session is covered and confined', async () => {
  const keys = await stage.session('repo');
  keys.type('git status\r');
  await keys.see(/branch[\s\S]*U# $|Waiting[\s\S]*/);
  expect(keys.printed).not.toContain('Waiting');
  expect(existsSync(mark())).toBe(REACHED.level === 0);
  rmSync(mark(), { force: true });
  changeFile();
  keys.type(':status\r');
  await keys.see(/confinement level \d[\s\S]*U# $/);
  const before = keys.printed.length;
  keys.type('git status --short; git log --oneline\r');
  await keys.see(/first[\s\S]*U# $|Waiting[\s\S]*/);
  expect(keys.printed.slice(before)).toContain(' first');
  expect(existsSync(mark())).toBe(REACHED.level === 0);
  keys.type(Buffer.from('\u0003\u0004'));
});
