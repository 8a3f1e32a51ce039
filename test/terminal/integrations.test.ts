// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are bash
/**
 * Shell integrations in start-up files print the same as in plain bash: with the scripts of VS Code and of bash-preexec, with direnv, and
 * with the mechanisms of starship and others (a DEBUG trap, PROMPT_COMMAND, PS0, PIPESTATUS, `history 1`, `trap -p` read by sed).
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { gatedBash, makePlace, type Place, plainBash } from '../fixtures/terminal/start-host.ts';
import { Keyboard } from './keyboard.ts';
import { normalise, QUIET_MS, untilForeground } from './scenario.ts';

/** The marks that terminals read: prompt, command, output, and end. */
const MARKS = String.raw`
PS1='\[$(printf "\e]133;A\a")\]U# \[$(printf "\e]133;B\a")\]' PS0='$(printf "\e]133;C\a")'
ready=
preexec() {
  [[ -n $ready && -t 1 ]] || return 0
  ready=
  printf '\e]133;E;%s;%s\a' "$BASH_COMMAND" "$(HISTTIMEFORMAT= history 1 | sed 's/^ *[0-9]* *//')"
}
precmd() {
  local status=$? pipe=("\${PIPESTATUS[@]}")
  printf '\e]133;D;%s;%s\a' "$status" "\${pipe[*]}"
  ready=1
  return "$status"
}
`.replaceAll('\\${', '${');

/** The first prompt sets the DEBUG trap over an existing one, as bash-preexec does. */
const LATE = `${MARKS}
trap 'echo "[before \${BASH_COMMAND%% *}]"' DEBUG
install() {
  local before=$(sed "s/[^']*'\\(.*\\)'[^']*/\\1/" <<<"$1")
  eval "earlier() {
    $before
  }"
  both() { [[ -n $ready && -t 1 ]] && earlier; preexec; }
  trap 'both "$_"' DEBUG
  PROMPT_COMMAND='precmd'
  precmd
}
PROMPT_COMMAND=$'was="$(trap -p DEBUG)"\\ntrap - DEBUG\\ninstall "$was"'
`;
const EARLY = `${MARKS}\ntrap 'preexec "$_"' DEBUG # with a remark\nPROMPT_COMMAND='precmd'\n`;
const REMARK = `${MARKS}\ntrap 'preexec # a remark' DEBUG\nPROMPT_COMMAND='precmd'\n`;

/** As starship does it: PS0 runs a program and notes the time, without output; PROMPT_COMMAND makes a new PS1. */
const NEW_PROMPT = `
began() { date +%s; }
prompt() {
  local status=$? pipe=("@{PIPESTATUS[@]}")
  jobs >/dev/null
  PS1="$(printf '%s;%s;%s U# ' "$status" "@{pipe[*]}" "@{START:+ran}")" START=
}
PS0='@{START:$((START="$(began)",1,0)):0}'
PROMPT_COMMAND=prompt
`.replaceAll('@{', '${');
const PREEXEC = String.raw`
PS1='U# '
preexec() { printf '<%s|%s|%s>\n' "$?" "$_" "$1"; }
precmd() { printf '<%s|%s>\n' "$?" "@{BP_PIPESTATUS[*]}"; }
. ${process.env['APE_TEST_BASH_PREEXEC'] ?? ''}
`.replaceAll('@{', '${');
const VS_CODE = `VSCODE_NONCE=nonce VSCODE_STABLE=0\n. ${process.env['APE_TEST_VS_CODE_SCRIPT'] ?? ''}\n`;
const START_UPS = {
  EARLY,
  LATE,
  REMARK,
  NEW_PROMPT,
  PREEXEC,
  'PREEXEC in subshells': `__bp_enable_subshells=1\n${PREEXEC}`,
  'PREEXEC with a trap and a PROMPT_COMMAND': `trap 'echo "[before \${BASH_COMMAND%% *}]"' DEBUG\nPROMPT_COMMAND='echo "[$?]";'\n${PREEXEC}`,
  VS_CODE: `PS1='U# '\n${VS_CODE}`,
  'VS_CODE with a trap and a PROMPT_COMMAND': `PS1='U# '\ntrap 'echo "[before \${BASH_COMMAND%% *}]"' DEBUG\nPROMPT_COMMAND='echo "[$?]"'\n${VS_CODE}`,
  'VS_CODE without all of the history': `PS1='U# ' HISTCONTROL=ignoreboth\n${VS_CODE}`,
  'VS_CODE after NEW_PROMPT': `${NEW_PROMPT}${VS_CODE}`,
  'VS_CODE after PREEXEC': `${PREEXEC}${VS_CODE}`,
  'PREEXEC after VS_CODE': `PS1='U# '\n${VS_CODE}${PREEXEC.replace("PS1='U# '\n", '')}`,
};

const PROMPT = /U# (?:\x1b\]\d33;B\x07)?$/;
const LINES = [
  'echo hello',
  'false',
  'true | (exit 3) | true',
  '',
  'true | (exit 4)',
  'f() { echo in-f; return 6; }; f',
  'alias ll="echo aliased"',
  'll a; echo "$?"',
  'echo a;; echo b',
  '(exit 7) || echo $?',
  'sleep 300^C',
  'echo $? "${PIPESTATUS[@]}"',
  'echo after',
  'echo dropped^C',
  'echo "$?"',
  '# only a remark',
  'true | (exit 3) | true # a remark',
  '(exit 5)',
  'no-such-program',
  'set -o vi',
  'set -o emacs',
  'trap -p DEBUG',
  'sleep 300^C',
  'echo after',
];

/** Types the lines and returns all that is printed. `^C` at the end interrupts a `sleep` when it runs, and any other line before Enter. */
async function printedBy(
  start: (place: Place) => ReturnType<typeof plainBash>,
  startUp: string,
  lines: readonly string[],
  prompt: RegExp,
  prepare: (place: Place) => void = () => undefined,
): Promise<string> {
  const place = makePlace(startUp);
  prepare(place);
  const keys = new Keyboard(start(place));
  try {
    await keys.see(prompt);
    for (const line of lines) {
      if (line.endsWith('^C') && !line.startsWith('sleep')) {
        keys.type(line.replace('^C', ''));
        await keys.quiet(QUIET_MS);
        keys.type('\x03');
      } else keys.type(`${line.replace('^C', '')}\r`);
      if (line.startsWith('sleep')) {
        await untilForeground('sleep', place.work);
        await keys.allRead(QUIET_MS);
        keys.type('\x03');
      }
      await keys.see(prompt);
      await keys.quiet(QUIET_MS);
    }
    return normalise(Buffer.from(keys.printed, 'latin1').toString('utf8'), place);
  } finally {
    keys.close();
  }
}

describe.concurrent('prints what it prints in plain bash', () => {
  test.for(Object.entries(START_UPS))(
    'with the start-up text %s',
    { timeout: 120_000 },
    async ([, startUp], { expect }) => {
      const plain = await printedBy(plainBash, startUp, LINES, PROMPT);
      expect(plain).toMatch(/\b0 3 0\b|;nonce\x07/); // the integration is there
      expect(await printedBy((place) => gatedBash(place), startUp, LINES, PROMPT)).toBe(plain);
    },
  );
});

test('direnv loads only what was allowed, and unloads it', async () => {
  const lines = [
    'cd project',
    'echo "[$FROM_ENVRC]"',
    'direnv allow',
    'echo "[$FROM_ENVRC]"',
    'cd sub; true | false',
    'echo "[$FROM_ENVRC] $?"',
    'cd ../..',
    'echo "[$FROM_ENVRC]"',
    'echo "export FROM_ENVRC=changed" >project/.envrc',
    'cd project',
    'echo "[$FROM_ENVRC]"',
  ];
  const prepare = (place: Place) => {
    mkdirSync(path.join(place.work, 'project/sub'), { recursive: true });
    writeFileSync(path.join(place.work, 'project/.envrc'), 'export FROM_ENVRC=loaded\n');
  };
  const startUp = `PS1='U# '\neval "$(direnv hook bash)"\n`;
  const plain = await printedBy(plainBash, startUp, lines, /U# $/, prepare);
  expect(plain.match(/^\[\w*\]/gm)).toEqual(['[]', '[loaded]', '[loaded]', '[]', '[]']);
  expect(await printedBy((place) => gatedBash(place), startUp, lines, /U# $/, prepare)).toBe(plain);
});
