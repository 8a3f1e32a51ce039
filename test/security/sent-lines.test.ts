/** A message to a gated shell is a line for the gate, and for nothing else: no prompt of a start-up file, and no program that it starts, gets it. */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { DIST } from '../fixtures/programs.ts';
import { Person } from '../fixtures/terminal/person.ts';
import { GatedStage } from './gated-stage.ts';

const stage = new GatedStage();
let environment: Record<string, string> = {};
let owner: Person | null = null;

beforeAll(async () => {
  await stage.open();
  const variables = (await stage.run('env')).out.trim().split('\n');
  environment = Object.fromEntries(variables.map((each) => [each.split('=', 1)[0], each.slice(each.indexOf('=') + 1)]));
});
afterEach(() => owner?.close());
afterAll(() => stage.close());

const made = () => join(stage.scratch, 'work', 'made');

/** Starts a shell with this start-up file, and returns the id of its session. */
async function shellWith(startUp: string): Promise<string> {
  writeFileSync(join(stage.scratch, 'home', '.bashrc'), `PS1='U# '\n${startUp}\n`);
  owner = new Person([join(DIST, 'bin', 'ape-shell')], {
    cwd: join(stage.scratch, 'work'),
    env: { ...environment, TERM: 'xterm-256color' },
  });
  for (let look = 0; look < 1_200; look++) {
    const listed = JSON.parse((await stage.run('apes sessions list --json')).out).data as Record<string, unknown>[];
    const shell = listed.find((each) => each['kind'] === 'shell' && each['isAnswering'] === true);
    if (shell !== undefined) return String(shell['id']);
    await sleep(50);
  }
  throw new Error('the shell is no session');
}

const send = (id: string, text: string) => stage.run(`apes send ${id} '${text}' --json`);

it.each([
  [
    'a question of a start-up file',
    'read -e -p "Remove all? (y/n) " all; [ "$all" = y ] && touch made',
    'Remove all',
    'y',
    'n\r',
  ],
  ['a shell that a start-up file starts', 'PS1="S# " bash --norc --noprofile', 'S# ', 'touch made', 'exit\r'],
])('%s gets no message; the first prompt gets the next one', async (_, startUp, shown, text, end) => {
  const id = await shellWith(startUp);
  await owner?.until('the program of the start-up file', ({ lines }) => lines.join('\n').includes(shown.trimEnd()));
  const sent = await send(id, text);
  expect(JSON.parse(sent.out)).toMatchObject({ ok: false, data: { code: 'SESSION_BUSY', enters: 0 } });
  expect(existsSync(made())).toBe(false);
  owner?.type(end);
  await owner?.until('the prompt', ({ lines, cursor }) => (lines[cursor.row] ?? '').startsWith('U#'));
  await sleep(600); // a key that was typed just now makes a shell busy
  expect(JSON.parse((await send(id, 'touch made')).out)).toMatchObject({ ok: true, data: { code: 'SUBMITTED' } });
  await owner?.until('that the line waits', ({ lines }) => lines.join('\n').includes('Waiting for approval'));
  expect(existsSync(made())).toBe(false);
});

it('a message is a line also after a line that was refused, and after one that was interrupted', async () => {
  const id = await shellWith('');
  await owner?.until('the prompt', ({ lines, cursor }) => (lines[cursor.row] ?? '').startsWith('U#'));
  for (let round = 1; round <= 2; round++) {
    expect(JSON.parse((await send(id, 'touch made')).out)).toMatchObject({ ok: true, data: { code: 'SUBMITTED' } });
    await owner?.until(
      'that the line waits',
      ({ lines }) => lines.join('\n').split('Waiting for approval').length === round + 1,
    );
    expect(JSON.parse((await send(id, 'touch made')).out)).toMatchObject({ data: { code: 'SESSION_BUSY' } });
    owner?.type('\x03');
    await owner?.until('the prompt', ({ lines, cursor }) => (lines[cursor.row] ?? '').startsWith('U#'));
    await sleep(600);
  }
  expect(existsSync(made())).toBe(false);
});
