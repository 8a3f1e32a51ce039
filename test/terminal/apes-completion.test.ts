/** TAB after `apes`: in bash with and without bash-completion, in the gated shell, in zsh and in fish, with real keys. */
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { type Command, gatedBash, makePlace, type Place, plainBash } from '../fixtures/terminal/start-host.ts';
import { Keyboard } from './keyboard.ts';
import { screenOf } from './scenario.ts';

const DIST = fileURLToPath(new URL('../../dist', import.meta.url));
const PROGRAMS = `PATH=${DIST}/bin:$HOME:$PATH`;
const BASH_FILE = `${DIST}/share/bash-completion/completions/apes`;
const COMPLETION = '/usr/share/bash-completion/bash_completion';

/** Keys, and the end of the screen line that they lead to in every shell. */
const CASES: readonly (readonly [string, string])[] = [
  ['apes gr\t', 'apes grants'],
  ['apes grants pro\t', 'grants proposals'],
  ['apes grants list --be\t', 'list --before'],
  ['apes grants list --state exp\t', '--state expired'],
  ['apes session wat\t', 'session watch'],
  ['apes hooks install gem\t', 'install gemini'],
  ['apes owner key rem\t', 'key remove'],
  ['apes workflow show comp\t', 'show compound-lines'],
  ['apes send x --via a\t', '--via api'],
  ['apes run --wait -- apes-onl\t', '-- apes-only-program'],
  ['apes send x --file onlyfi\t', '--file onlyfile'],
];

const SHELLS: Readonly<Record<string, (place: Place) => Command>> = {
  bash: plainBash,
  'bash with bash-completion': plainBash,
  'the gated shell': gatedBash,
  zsh: (place) => ({ argv: ['zsh', '-i'], environment: place.environment, cwd: place.work }),
  fish: (place) => ({ argv: ['fish', '-i'], environment: place.environment, cwd: place.work }),
};

const STARTUPS: Readonly<Record<string, string>> = {
  bash: `PS1='U# '; ${PROGRAMS}; . ${BASH_FILE}\n`,
  'bash with bash-completion': `PS1='U# '; ${PROGRAMS}; . ${COMPLETION}; . ${BASH_FILE}\n`,
  'the gated shell': `PS1='U# '; ${PROGRAMS}; . ${COMPLETION}; . ${BASH_FILE}\n`,
};

function open(name: string): { readonly keys: Keyboard; readonly place: Place } {
  const place = makePlace(STARTUPS[name] ?? '');
  const zsh = `PS1='U# '; ${PROGRAMS}; fpath=(${DIST}/share/zsh/site-functions $fpath); autoload -Uz compinit; compinit -D -u\n`;
  const fish = `function fish_prompt; echo 'U# '; end; set -gx PATH ${DIST}/bin $HOME $PATH; source ${DIST}/share/fish/vendor_completions.d/apes.fish\n`;
  mkdirSync(path.join(place.home, '.config/fish'), { recursive: true });
  const write =
    'printf %s "$ZSH" > .zshrc; printf %s "$FISH" > .config/fish/config.fish; touch "$WORK/onlyfile"; printf "#!/bin/sh\\n" > apes-only-program; chmod +x apes-only-program';
  execFileSync('bash', ['-c', write], {
    cwd: place.home,
    env: { ...process.env, ZSH: zsh, FISH: fish, WORK: place.work },
  });
  const command = (SHELLS[name] as (place: Place) => Command)(place);
  return { keys: new Keyboard(command), place };
}

/** The last two words of each line on the screen. zsh puts a `=` after an option that takes a value. */
async function screenLines(keys: Keyboard, place: Place): Promise<readonly string[]> {
  const screen = await screenOf({ bytes: '', raw: keys.printed }, place);
  return screen.split('\n').map((line) => line.trimEnd().replace(/=$/, '').split(' ').slice(-2).join(' '));
}

describe.each(Object.keys(SHELLS))('the completion of apes in %s', (name) => {
  test('completes verbs, options, values, names and files', async () => {
    const { keys, place } = open(name);
    try {
      await keys.see(/U# /);
      await keys.quiet(300);
      for (const [typed, seen] of CASES) {
        keys.type(typed);
        await expect.poll(() => screenLines(keys, place)).toContain(seen);
        keys.type('\x15'); // the line is emptied
        await keys.quiet();
      }
    } finally {
      keys.close();
    }
  });
});

test('the completion for bash does not evaluate the typed text', async () => {
  const { keys, place } = open('bash');
  try {
    await keys.see(/U# /);
    for (const word of ['$(touch made)', '`touch made`', '$((x[$(touch made)]))', '--state=$(touch made)']) {
      keys.type(`apes grants list --state ${word}\t\t`);
      await keys.quiet(300);
      keys.type('\x15');
    }
    keys.type('ls made*\r');
    await keys.see(/cannot access 'made\*'/);
  } finally {
    keys.close();
  }
  expect(execFileSync('ls', [place.work], { encoding: 'utf8' })).toBe('onlyfile\n');
});

test('TAB in bash leaves the options and IFS as the user has set them', async () => {
  const { keys } = open('bash');
  try {
    await keys.see(/U# $/);
    keys.type('set -f; IFS=,\r');
    await keys.see(/U# $/);
    keys.type('apes grants list --state exp\t');
    await keys.see(/--state expired/);
    keys.type('\x15echo "<$IFS>${-//[!f]}"\r');
    await keys.see(/\r<,>f\r\n/);
  } finally {
    keys.close();
  }
});
