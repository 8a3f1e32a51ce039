// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are bash
/** The gate is asked about exactly the line that the screen shows when Enter is pressed, whatever ran meanwhile. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { gatedBash, makePlace, type Place } from '../fixtures/terminal/start-host.ts';
import { Keyboard } from './keyboard.ts';

const PROMPT = /U# $/;
/** If a character is lost, the memory addresses of the shell decide which one. So all characters are tried in several shells. */
const LAST_CHARACTERS = [...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.,:/=+-_%@^'];
const SHELLS = [1, 2, 3, 4];

const asked = (place: Place): readonly string[] =>
  readFileSync(place.log, 'utf8')
    .split('\n')
    .filter((entry) => entry.startsWith('{"asked"'))
    .map((entry) => (JSON.parse(entry) as { asked: string }).asked);

/** Types each line, Enter, and waits for the next prompt. */
async function typeLines(place: Place, lines: readonly string[]): Promise<string> {
  const keys = new Keyboard(gatedBash(place));
  try {
    for (const line of lines) {
      await keys.see(PROMPT);
      keys.type(`${line}\r`);
      await keys.see(/\n/);
    }
    await keys.see(PROMPT);
    return keys.printed;
  } finally {
    keys.close();
  }
}

describe.each(SHELLS)('shell %i: a line keeps its last character', () => {
  test('after TAB', async () => {
    const place = makePlace();
    await typeLines(
      place,
      LAST_CHARACTERS.map((last) => `: zq\t${last}`),
    );
    expect(asked(place)).toEqual(LAST_CHARACTERS.map((last) => `: zq${last}`));
  });

  test('after a key of bind -x', async () => {
    const place = makePlace(`PS1='U# '\nbind -x '"\\C-t": READLINE_LINE+=q READLINE_POINT=4'\n`);
    await typeLines(
      place,
      LAST_CHARACTERS.map((last) => `: z\x14${last}`),
    );
    expect(asked(place)).toEqual(LAST_CHARACTERS.map((last) => `: zq${last}`));
  });
});

test('a history expansion that leaves nothing is an empty line: with an empty history and later', async () => {
  const place = makePlace();
  const lines = ['!#', 'echo first', ' !# ', '!#', 'echo second'];
  const printed = await typeLines(place, lines);
  expect(asked(place)).toEqual(['echo first', 'echo second']);
  expect(printed).toMatch(/first[\s\S]*second/);
});

test('the REPLY of the user stays unchanged, and does not change a line', async () => {
  const place = makePlace();
  const lines = [
    'REPLY=mine',
    '  echo "<$REPLY>"  ',
    'declare -i REPLY=7',
    'echo 1+1 "<$REPLY>"',
    'unset REPLY; declare -u REPLY=up',
    'echo low "<$REPLY>"',
    'unset REPLY; declare -a REPLY=(first second)',
    'echo list "<${REPLY[1]}>"',
    'unset REPLY; target=aim; declare -n REPLY=target',
    'echo points "<$REPLY>" "<$target>"',
    'unset -n REPLY; export REPLY=out',
    'sh -c \'echo "exported <$REPLY>"\'',
    'echo back\\slash',
  ];
  const printed = await typeLines(place, lines);
  expect(asked(place)).toEqual(lines);
  for (const told of [
    '<mine>',
    '1+1 <7>',
    'low <UP>',
    'list <second>',
    'points <aim> <aim>',
    'exported <out>',
    'backslash',
  ])
    expect(printed).toContain(`\r${told}\r\n`);
});
