/** The keys that fzf's own start-up script binds: C-t and C-r (`bind -x`), M-c (a macro), as a person uses them. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { Person } from '../fixtures/terminal/person.ts';
import { gatedBash, makePlace, type Place, plainBash } from '../fixtures/terminal/start-host.ts';

const SCRIPT = process.env['APE_TEST_FZF_KEYS'] ?? '';
/** The gate repeats a Ctrl-C that bash has not heard after half a second. */
const WATCHED_MS = 1_500;
const people: Person[] = [];
afterEach(() => {
  for (const each of people.splice(0)) each.close();
});

async function open(start: (place: Place) => ReturnType<typeof plainBash>): Promise<{ person: Person; place: Place }> {
  const place = makePlace(`PS1='U# '\n. ${SCRIPT}\n`);
  mkdirSync(path.join(place.work, 'some dir'));
  writeFileSync(path.join(place.work, 'some dir', "needle's eye"), '');
  writeFileSync(path.join(place.work, 'straw'), '');
  const { argv, environment, cwd } = start(place);
  const person = new Person(argv, { cwd, env: environment });
  people.push(person);
  await person.see(/^U#$/);
  return { person, place };
}

const asked = (place: Place): readonly string[] =>
  readFileSync(place.log, 'utf8')
    .split('\n')
    .filter((entry) => entry.startsWith('{"asked"'))
    .map((entry) => (JSON.parse(entry) as { asked: string }).asked);

/** Waits until the line in the editor is `line`. */
const becomes = (person: Person, line: string) =>
  person.until(`the line ${line}`, ({ lines, cursor }) => lines[cursor.row] === line);

const SHELLS = {
  'plain bash': (place: Place) => plainBash(place),
  'the gated one': (place: Place) => gatedBash(place),
};

describe.each(Object.entries(SHELLS))('fzf in %s', (name, start) => {
  test('C-t puts the chosen file where the cursor is', async () => {
    const { person } = await open(start);
    person.type('ls  -d\x02\x02\x02\x14');
    await person.see(/3\/3/);
    person.type('needle');
    await person.see(/1\/3/);
    person.type('\r');
    await becomes(person, "U# ls some\\ dir/needle\\'s\\ eye  -d");
    person.type('X');
    await becomes(person, "U# ls some\\ dir/needle\\'s\\ eye X -d");
  });

  test('C-t that is cancelled changes nothing, and the shell goes on', async () => {
    const { person } = await open(start);
    person.type('echo kept\x14');
    await person.see(/3\/3/);
    person.type('\x03');
    await becomes(person, 'U# echo kept');
    person.type('\r');
    await person.see(/^kept$/);
  });

  test('C-t that is cancelled by Ctrl-C does not change the line, also when Enter comes late', async () => {
    const { person } = await open(start);
    person.type('echo kept\x14');
    await person.see(/3\/3/);
    person.type('\x03');
    await becomes(person, 'U# echo kept');
    await sleep(WATCHED_MS);
    person.type('\r');
    await person.see(/^kept$/);
  });

  test('C-r finds a line of the history', async () => {
    const { person } = await open(start);
    person.type('echo first-one\r');
    await person.see(/^first-one$/);
    person.type('echo other\r');
    await person.see(/^other$/);
    await becomes(person, 'U#'); // before the prompt, the terminal itself takes C-r (VREPRINT, termios(3))
    person.type('\x12');
    await person.see(/2\/2/);
    person.type('first');
    await person.see(/1\/2/);
    person.type('\r');
    await becomes(person, 'U# echo first-one');
  });

  test('M-c changes the directory', async () => {
    const { person, place } = await open(start);
    person.type('echo x\x1bc');
    await person.see(/1\/1/);
    person.type('\r');
    await becomes(person, 'U# echo x');
    person.type('\x15pwd\r');
    await person.see(/\/some dir$/);
    if (name !== 'plain bash') expect(asked(place)).toEqual(['builtin cd -- some\\ dir', 'pwd']);
  });
});
