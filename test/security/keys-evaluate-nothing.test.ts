// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are bash
/** No key evaluates typed text or starts a program. The tables name each command of bash's line editor, and what our shell does with it. */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { type Attack, carryOut, type Step } from '../fixtures/terminal/attacker.ts';
import { BASH, gatedBash, makePlace, type Place, plainBash } from '../fixtures/terminal/start-host.ts';
import { COMPLETION_TEXT, SETUP_TEXT } from '../fixtures/texts-for-bash.ts';
import { Keyboard } from '../terminal/keyboard.ts';

const words = (text: string): readonly string[] => text.trim().split(/\s+/);

/** Commands that move, edit, search, show or take text from the history. bash evaluates nothing for them. They stay on their keys. */
const HARMLESS = words(`
  abort accept-line alias-expand-line arrow-key-prefix backward-byte backward-char backward-delete-char backward-kill-line
  backward-kill-word backward-word beginning-of-history beginning-of-line bracketed-paste-begin call-last-kbd-macro
  capitalize-word character-search character-search-backward clear-display clear-screen copy-backward-word copy-forward-word
  copy-region-as-kill delete-char delete-horizontal-space digit-argument display-shell-version do-lowercase-version
  downcase-word dump-functions dump-macros dump-variables emacs-editing-mode end-kbd-macro end-of-history end-of-line
  exchange-point-and-mark fetch-history forward-backward-delete-char forward-byte forward-char forward-search-history
  forward-word history-and-alias-expand-line history-expand-line history-search-backward history-search-forward
  history-substring-search-backward history-substring-search-forward insert-comment insert-last-argument kill-line
  kill-region kill-whole-line kill-word magic-space next-history next-screen-line non-incremental-forward-search-history
  non-incremental-forward-search-history-again non-incremental-reverse-search-history
  non-incremental-reverse-search-history-again operate-and-get-next overwrite-mode paste-from-clipboard previous-history
  previous-screen-line print-last-kbd-macro quoted-insert redraw-current-line reverse-search-history revert-line self-insert
  set-mark shell-backward-kill-word shell-backward-word shell-forward-word shell-kill-word shell-transpose-words
  skip-csi-sequence start-kbd-macro tab-insert tilde-expand transpose-chars transpose-words tty-status undo
  universal-argument unix-filename-rubout unix-line-discard unix-word-rubout upcase-word vi-append-eol vi-append-mode
  vi-arg-digit vi-bWord vi-back-to-indent vi-backward-bigword vi-backward-word vi-bword vi-change-case vi-change-char
  vi-change-to vi-char-search vi-column vi-delete vi-delete-to vi-eWord vi-editing-mode vi-end-bigword vi-end-word
  vi-eof-maybe vi-eword vi-fWord vi-fetch-history vi-first-print vi-forward-bigword vi-forward-word vi-fword vi-goto-mark
  vi-insert-beg vi-insertion-mode vi-match vi-movement-mode vi-next-word vi-overstrike vi-overstrike-delete vi-prev-word
  vi-put vi-redo vi-replace vi-rubout vi-search vi-search-again vi-set-mark vi-subst vi-tilde-expand vi-undo
  vi-unix-word-rubout vi-yank-arg vi-yank-pop vi-yank-to yank yank-last-arg yank-nth-arg yank-pop`);

/** Commands that list or complete. bash expands the word for them, so their keys get our own completion, or a command that expands nothing. */
const REPLACED = words(`
  complete menu-complete menu-complete-backward old-menu-complete possible-completions insert-completions
  complete-into-braces complete-filename possible-filename-completions complete-command possible-command-completions
  complete-variable possible-variable-completions complete-username possible-username-completions complete-hostname
  possible-hostname-completions glob-complete-word glob-list-expansions glob-expand-word delete-char-or-list`);

/** A command of which only one use is left: a line that consists of the name of a function runs that function confined. */
const CONFINED = words('shell-expand-line');

/** Commands that run text, or expand words in ways that we do not replace. They are removed from their keys. The last four are new in bash 5.3. */
const TAKEN_AWAY = words(`
  edit-and-execute-command vi-edit-and-execute-command re-read-init-file spell-correct-word
  dabbrev-expand dynamic-complete-history vi-complete
  execute-named-command bash-vi-complete export-completions vi-execute-named-command`);

const known = new Set([...HARMLESS, ...REPLACED, ...CONFINED, ...TAKEN_AWAY]);
const commands = words(execFileSync(BASH, ['--norc', '-c', 'bind -l 2>/dev/null'], { encoding: 'utf8' }));

test('Every command of this bash is in the table', () => {
  expect(commands.length).toBeGreaterThanOrEqual(160);
  expect(commands.filter((name) => !known.has(name))).toEqual([]);
});

test('The set-up text leaves only the harmless commands of the table on their keys', () => {
  const harmless = /__ape_harmless="([^"]*)"/.exec(SETUP_TEXT)?.[1]?.replaceAll('\\\n', '');
  expect([...words(harmless ?? '')].sort()).toEqual([...HARMLESS].sort());
});

test('No expansion after `builtin local` is unquoted: bash would split it, and evaluate a subscript in it', () => {
  const locals = `${SETUP_TEXT}\n${COMPLETION_TEXT}`
    .split('\n')
    .filter((line) => /\bbuiltin (local|export|typeset) /.test(line));
  expect(locals.length).toBeGreaterThan(40);
  expect(locals.filter((line) => /=\$[^'"]/.test(line))).toEqual([]);
});

test('The completion unsets all of its variables before it uses any of them', () => {
  const list =
    /__c_forget\(\) \{\n {2}builtin unset "\$1" ([^}]*)\}/.exec(COMPLETION_TEXT)?.[1]?.replaceAll('\\\n', ' ') ?? '';
  const functions = new Set(COMPLETION_TEXT.match(/^__c_\w+(?=\(\))/gm));
  const used = new Set(
    (COMPLETION_TEXT.match(/\b__c_[a-z_]+\b/g) ?? []).filter((name) => name !== '__c_' && !functions.has(name)),
  );
  expect(used.size).toBeGreaterThan(50);
  expect([...words(list)].sort()).toEqual([...used].sort());
});

// --- each command fired -------------------------------------------------------------------------------------------------
const MAPS = { emacs: '\\C-xz', 'vi-insert': '\\C-xz', 'vi-command': 'Z' } as const;
type Map = keyof typeof MAPS;
const EVIL = 'ls "$((a[$(touch pwned)]))/';
const number = (at: number): string => String(at).padStart(3, '0');

/** A start-up file that puts every command on a key of its own, in every keymap. */
const bindAll = (map: Map): string =>
  [
    "PS1='U# '",
    'export EDITOR=true VISUAL=true FCEDIT=true',
    `set -o ${map === 'emacs' ? 'emacs' : 'vi'}`,
    ...Object.entries(MAPS).flatMap(([name, before]) =>
      commands.map((command, at) => `bind -m ${name} '"${before}${number(at)}": ${command}'`),
    ),
  ].join('\n');

const keyOf = (map: Map, at: number): string => (map === 'vi-command' ? `\x1bZ${number(at)}` : `\x18z${number(at)}`);

/** Some commands read one more character. The `x` at the end is for them, so that they do not read the Ctrl-C. */
const typedFor = (map: Map, command: string): string => `${EVIL}${keyOf(map, commands.indexOf(command))}x`;

/** Types Ctrl-C until the prompt is there: bash may miss a Ctrl-C while it forks. */
async function interrupted(keys: Keyboard): Promise<void> {
  for (let more = 5; ; more -= 1) {
    keys.type('\x03');
    try {
      await keys.see(/U# $/, 10_000);
      return;
    } catch (error) {
      if (more === 0) throw error;
    }
  }
}

/** Types the text and the key of each command, waits, and types Ctrl-C. Returns the files that appeared in the working directory. */
async function fire(map: Map, fired: readonly string[]): Promise<readonly string[]> {
  const place = makePlace(bindAll(map));
  const keys = new Keyboard(gatedBash(place, false, []));
  try {
    await keys.see(/U# $/);
    for (const command of fired) {
      keys.type(typedFor(map, command));
      await sleep(40);
      await interrupted(keys).catch((error: Error) => Promise.reject(new Error(`${command}: ${error.message}`)));
    }
    await keys.quiet(250);
    return readdirSync(place.work);
  } finally {
    keys.close();
  }
}

/** Fires one command in plain bash, and waits until a file appears. Types no Ctrl-C, because bash may miss a Ctrl-C while it forks. */
async function fireInPlainBash(command: string): Promise<readonly string[]> {
  const place = makePlace(bindAll('emacs'));
  const keys = new Keyboard(plainBash(place));
  try {
    await keys.see(/U# $/);
    keys.type(typedFor('emacs', command));
    while (readdirSync(place.work).length === 0) await sleep(20);
    return readdirSync(place.work);
  } finally {
    keys.close();
  }
}

describe.concurrent('Every command of the line editor on a key, with text that would run something', () => {
  // This command is only a mark for readline. On a lower-case letter it calls itself without end, in plain bash too.
  const fired = commands.filter((name) => name !== 'do-lowercase-version');
  test.for(Object.keys(MAPS) as Map[])(
    'runs nothing in the keymap %s',
    { timeout: 240_000 },
    async (map, { expect }) => {
      expect(await fire(map, fired)).toEqual([]);
    },
  );

  test('plain bash runs the text for some of the commands, which proves that the attack works', {
    timeout: 120_000,
  }, async ({ expect }) => {
    for (const command of ['complete', 'possible-completions', 'shell-expand-line'])
      expect(await fireInPlainBash(command), command).toEqual(['pwned']);
  });
});

// --- completion and expansion -----------------------------------------------------------------------------------------------
const COMPLETION = "PS1='U# '\n. /usr/share/bash-completion/bash_completion\n";
const TAB = '\t';
const makefile = (place: Place): void =>
  writeFileSync(path.join(place.work, 'Makefile'), '$(shell touch pwned)\nall:\n\t@:\n');
const program =
  (name: string) =>
  (place: Place): void => {
    mkdirSync(path.join(place.work, path.dirname(name)), { recursive: true });
    writeFileSync(
      path.join(place.work, name),
      '#!/bin/sh\ntouch "$OLDPWD/pwned" ./pwned /tmp/pwned-by-a-key\necho --all\n',
    );
    chmodSync(path.join(place.work, name), 0o755);
  };

const tab = (text: string, ...before: readonly Step[]): readonly Step[] => [
  ...before,
  text,
  300,
  TAB,
  600,
  TAB,
  600,
  '\x03',
  100,
];
const key = (...steps: readonly Step[]): Attack => ({ approved: [], startUp: COMPLETION, steps });
const run = (text: string): readonly Step[] => [`${text}\r`, /U# $/];

const ATTACKS: Readonly<Record<string, Attack>> = {
  'make with a Makefile that runs a shell': { ...key(makefile, ...tab('make ')), leaves: ['Makefile'] },
  'options of a program of the own directory': { ...key(program('ls'), ...tab('./ls --')), leaves: ['ls'] },
  'arithmetic with a subscript': key(
    ...tab('ls "$((a[$(touch pwned)]))/'),
    ...tab('ls $((a[$(touch pwned)]))/'),
    ...tab('ls $[a[$(touch pwned)]]/'),
  ),
  'parameters with a subscript': key(
    ...tab('ls ${a[$(touch pwned)]}/'),
    ...tab('ls "${a[$(touch pwned)]}/'),
    ...tab('ls ${x:$(touch pwned)}/'),
    ...tab('echo ${a[$(touch pwned)'),
  ),
  substitutions: key(
    ...tab('ls `touch pwned`/'),
    ...tab('ls <(touch pwned)/'),
    ...tab('cd "$(touch pwned)/'),
    ...tab('$(touch pwned)/'),
    ...tab('x=$(touch pwned)/'),
  ),
  'indirection and prompts': key(...tab('echo ${!x$(touch pwned)}/'), ...tab('echo ${x@P$(touch pwned)}/')),
  'what bash-completion evaluates': key(
    ...tab("cd '$(touch pwned)"),
    ...tab('scp `touch pwned`'),
    ...tab('kill "$(touch pwned)'),
    ...tab('man $(touch pwned)'),
    ...tab('ssh -F $(touch pwned) '),
    ...tab('tar -xf `touch pwned`'),
  ),
  'every key that completes or expands': key(
    ...[
      '\x1b?',
      '\x1b*',
      '\x1b{',
      '\x1b=',
      '\x1b/',
      '\x1b!',
      '\x1b$',
      '\x1b~',
      '\x1b@',
      '\x1bg',
      '\x18*',
      '\x18g',
      '\x18/',
      '\x18!',
      '\x18$',
      '\x18~',
      '\x18@',
      '\x1b\t',
      '\x1b\x05',
      '\x18\x05',
      '\x18\x12',
      '\x18s',
    ].flatMap((press): Step[] => [EVIL, 30, press, 150, '\x03', 40]),
  ),
  'keys of vi mode': {
    approved: ['set -o vi'],
    startUp: COMPLETION,
    steps: [
      ...run('set -o vi'),
      ...['\\', '*', '=', 'v', '@a', '&', '#'].flatMap((press): Step[] => [EVIL, 30, `\x1b${press}`, 250, '\x03', 60]),
    ],
  },
  'a number before the key': key(EVIL, '\x1b4\t', 200, '\x03', 60, EVIL, '\x1b4\x1b?', 200, '\x03', 60),
  'a paste with a TAB in it': key(`\x1b[200~${EVIL}\t\t\x1b[201~`, 200, '\x03', 60, `${EVIL}\t\t\t\t`, 400, '\x03', 60),
  'a text to evaluate in PATH and in other variables of completion': {
    approved: [
      "PATH='$((a[$(touch pwned)]))':$PATH",
      "CDPATH='$(touch pwned)'",
      "FIGNORE='$(touch pwned)'",
      "HOSTFILE='`touch pwned`'",
      "EXECIGNORE='$(touch pwned)'",
      "GLOBIGNORE='$(touch pwned)'",
    ],
    startUp: COMPLETION,
    steps: [
      ...run("PATH='$((a[$(touch pwned)]))':$PATH"),
      ...run("CDPATH='$(touch pwned)'"),
      ...run("FIGNORE='$(touch pwned)'"),
      ...run("HOSTFILE='`touch pwned`'"),
      ...run("EXECIGNORE='$(touch pwned)'"),
      ...run("GLOBIGNORE='$(touch pwned)'"),
      ...tab('nosuch'),
      ...tab('cd x'),
      ...tab('ls x'),
      ...tab('ssh x@'),
    ],
  },
  'a text to evaluate in numbers, a nameref and COMP_WORDBREAKS': {
    approved: [
      "COLUMNS='a[$(touch pwned)]' LINES='a[$(touch pwned)]'",
      "declare -n ref='a[$(touch pwned)]'",
      "COMP_WORDBREAKS='a[$(touch pwned)]'",
    ],
    startUp: COMPLETION,
    steps: [
      ...run("COLUMNS='a[$(touch pwned)]' LINES='a[$(touch pwned)]'"),
      ...tab('l'),
      '\x1b?',
      200,
      'n\x03',
      ...run("declare -n ref='a[$(touch pwned)]'"),
      ...tab('ls $ref/'),
      ...run("COMP_WORDBREAKS='a[$(touch pwned)]'"),
      ...tab('ls x'),
      ...tab('ls $re'),
    ],
  },
  'READLINE_LINE as an integer': {
    approved: [
      'declare -i READLINE_LINE READLINE_POINT __c_left __c_value __c_i',
      'shopt -s localvar_inherit; declare -i __c_w __c_word cur prev',
    ],
    startUp: COMPLETION,
    steps: [
      ...run('declare -i READLINE_LINE READLINE_POINT __c_left __c_value __c_i'),
      ...tab('a[$(touch pwned)]'),
      ...tab('ls a[$(touch pwned)]'),
      ...run('shopt -s localvar_inherit; declare -i __c_w __c_word cur prev'),
      ...tab('a[$(touch pwned)]'),
      ...tab('ls a[$(touch pwned)]'),
    ],
  },
  'READLINE_LINE as a nameref': {
    approved: ['declare -n READLINE_LINE=x; declare -i x'],
    steps: [...run('declare -n READLINE_LINE=x; declare -i x'), ...tab('a[$(touch pwned)]'), '\x1b?', 300, '\x03'],
  },
  'READLINE_LINE as a read-only nameref': {
    approved: ['declare -rn READLINE_LINE=x; declare -i x'],
    steps: [...run('declare -rn READLINE_LINE=x; declare -i x'), ...tab('a[$(touch pwned)]'), '\x1b?', 300, '\x03'],
  },
  'options of bash': {
    approved: [
      'shopt -s nullglob failglob extglob dotglob nocaseglob direxpand dirspell progcomp_alias cdable_vars globstar; set -k',
    ],
    startUp: COMPLETION,
    steps: [
      ...run(
        'shopt -s nullglob failglob extglob dotglob nocaseglob direxpand dirspell progcomp_alias cdable_vars globstar; set -k',
      ),
      ...tab(EVIL),
      ...tab('make '),
      ...tab('cd "$(touch pwned)/'),
      ...tab('ls @($(touch pwned))'),
    ],
  },
  'a key of an unusual name bound to a command': {
    approved: [
      `bind '"q\\".b": complete'`,
      `bind '"q,\\",": shell-expand-line'`,
      `bind '"g": shell-expand-line'; bind '"gh": "x"'`,
    ],
    steps: [
      ...run(`bind '"q\\".b": complete'`),
      EVIL,
      'q".b',
      200,
      '\x03',
      /U# $/,
      ...run(`bind '"q,\\",": shell-expand-line'`),
      EVIL,
      'q,",',
      200,
      '\x03',
      /U# $/,
      ...run(`bind '"g": shell-expand-line'; bind '"gh": "x"'`),
      ': $(touch pwned)',
      'gk',
      900,
      '\x03',
      /U# $/,
    ],
  },
  'a key bound by a trap while the line is edited': {
    approved: [
      `trap 'bind "\\C-g: shell-expand-line"; bind -x "\\"\\C-t\\": touch pwned"' USR1`,
      '(sleep 0.3; kill -USR1 $$) &',
    ],
    steps: [
      ...run(`trap 'bind "\\C-g: shell-expand-line"; bind -x "\\"\\C-t\\": touch pwned"' USR1`),
      ...run('(sleep 0.3; kill -USR1 $$) &'),
      ': $(touch pwned)',
      900,
      '\x07',
      200,
      '\x14',
      200,
      '\x03',
      /U# $/,
    ],
  },
  'a key bound by PROMPT_COMMAND': {
    approved: [`PROMPT_COMMAND='bind "\\C-g: shell-expand-line"; bind -x "\\"\\C-t\\": touch pwned"'`],
    steps: [
      ...run(`PROMPT_COMMAND='bind "\\C-g: shell-expand-line"; bind -x "\\"\\C-t\\": touch pwned"'`),
      ': $(touch pwned)',
      100,
      '\x07',
      200,
      '\x14',
      200,
      '\x03',
      /U# $/,
    ],
  },
  'a key of an unusual name bound to a program': {
    approved: [
      `bind -x '"\\C-x\\":q": touch pwned'`,
      `bind -m vi-command -x '"Q": touch pwned'`,
      `bind -m emacs-ctlx -x '"Q": touch pwned'`,
      'set -o vi',
    ],
    steps: [
      ...run(`bind -x '"\\C-x\\":q": touch pwned'`),
      '\x18":q',
      200,
      '\x03',
      /U# $/,
      ...run(`bind -m emacs-ctlx -x '"Q": touch pwned'`),
      '\x18Q',
      200,
      '\x03',
      /U# $/,
      ...run(`bind -m vi-command -x '"Q": touch pwned'`),
      ...run('set -o vi'),
      '\x1b',
      700,
      'Q',
      300,
      '\x03',
      /U# $/,
    ],
  },
};

describe.concurrent('Keys that complete or expand run nothing, with bash-completion loaded', () => {
  test.for(Object.entries(ATTACKS))('after this attack: %s', { timeout: 240_000 }, async ([, attack], { expect }) => {
    const { left, screen } = await carryOut(attack);
    expect(left, JSON.stringify(screen.slice(-1_500))).toEqual([]);
  });
});

/** A completion function that tries what a program could do, and then answers. It leaves out descriptor 10, a copy of its own output. */
const TRIES = `PS1='U# '
_f() {
  touch pwned; echo >pwned2; mkdir pwned3; (echo >/dev/tty) 2>/dev/null && : >pwned4
  kill -USR1 $$ $PPID; python3 -c 'import socket; socket.socket(socket.AF_UNIX)' && echo >pwned5
  (: >/dev/tcp/127.0.0.1/9) && echo >pwned6
  for ((n = 11; n < 256; n++)); do printf 'x\\0' >&$n; done
  COMPREPLY=(given)
}
complete -F _f foo
`;

/** Types `text` and TAB in a shell with this start-up file, and waits for `seen`. Returns the files in the working directory afterwards. */
async function tabbed(
  startUp: string,
  isUnconfinable: boolean,
  text: string,
  seen: RegExp,
): Promise<readonly string[]> {
  const place: Place = { ...makePlace(startUp), ...(isUnconfinable ? { isUnconfinable } : {}) };
  const keys = new Keyboard(gatedBash(place, false, ['true']));
  try {
    await keys.see(/U# $/);
    keys.type(`${text}\t`);
    await keys.see(seen);
    keys.type('\x03');
    await keys.see(/U# $/);
    keys.type('true\r');
    await keys.see(/U# $/);
    return readdirSync(place.work);
  } finally {
    keys.close();
  }
}

describe.concurrent('A completion function', () => {
  const limit = { timeout: 120_000 };

  test('completes, and can only read', limit, async ({ expect }) => {
    expect(await tabbed(TRIES, false, 'foo ', /foo \r\x1b\[K\rU# foo given $/)).toEqual([]);
  });

  test('does not run if the kernel cannot confine it', limit, async ({ expect }) => {
    expect(await tabbed(TRIES, true, 'foo gi', /foo gi[^v]*\x07/)).toEqual([]);
  });

  test('and a key write into no file that the main bash has open', limit, async ({ expect }) => {
    const numbers = [7, 20, 254, 256, 300, 1000];
    const files = numbers.map((number) => `open-${number}`);
    const startUp = `PS1='U# '
${numbers.map((number, at) => `exec ${number}>${files[at]}`).join('; ')}
_f() { for n in ${numbers.join(' ')}; do echo x >&$n; done 2>/dev/null; COMPREPLY=(given) READLINE_LINE=given; }
complete -F _f foo
bind -x '"\\C-t": _f'
`;
    const place = makePlace(startUp);
    const keys = new Keyboard(gatedBash(place, false, []));
    try {
      await keys.see(/U# $/);
      keys.type('foo \t');
      await keys.see(/foo given/);
      keys.type('\x03');
      await keys.see(/U# $/);
      keys.type('\x14');
      await keys.see(/given/);
      expect(files.map((name) => readFileSync(path.join(place.work, name), 'latin1'))).toEqual(files.map(() => ''));
    } finally {
      keys.close();
    }
  });

  test('that hangs is ended by Ctrl-C, or by its time limit', limit, async ({ expect }) => {
    const nap = `1000.${process.pid}`; // other tests sleep as well
    const hangs = `PS1='U# '\n_f() { sleep ${nap}; }\ncomplete -F _f foo\n`;
    const place = makePlace(hangs);
    const keys = new Keyboard(gatedBash(place, false, ['true']));
    const sleeping = () => execFileSync('ps', ['-eo', 'args='], { encoding: 'utf8' }).includes(`sleep ${nap}\n`);
    try {
      await keys.see(/U# $/);
      keys.type('foo \t');
      while (!sleeping()) await sleep(20);
      keys.type('\x03');
      await keys.see(/U# $/);
      keys.type('true\r');
      await keys.see(/true[\s\S]*U# $/);
      while (sleeping()) await sleep(20);
      keys.type('foo \t');
      await keys.see(/foo [^s]*\x07/);
      while (sleeping()) await sleep(20);
      expect(readdirSync(place.work)).toEqual([]);
    } finally {
      keys.close();
    }
  });

  test('that returns too many words is cut off', limit, async ({ expect }) => {
    const floods = `PS1='U# '\n_f() { COMPREPLY=($(seq 300000)); }\ncomplete -F _f foo\n`;
    expect(await tabbed(floods, false, 'foo ', /foo [^s]*\x07/)).toEqual([]);
  });
});

test('A session goes on after a Ctrl-C during TAB, which may leave `__ape_tabbed` unset', async () => {
  const place = makePlace(`PS1='U# '\n`);
  const left = 'unset -v __ape_tabbed';
  const keys = new Keyboard(gatedBash(place, false, [left, 'echo on']));
  try {
    await keys.see(/U# $/);
    keys.type(`${left}\r`);
    await keys.see(/U# $/);
    keys.type('ec\t');
    await keys.see(/echo/);
    keys.type(' on\r');
    await keys.see(/on\r\n/);
  } finally {
    keys.close();
  }
});

// --- keys of `bind -x` ----------------------------------------------------------------------------------------------------
/** A program of a key that tries what it could do, and puts `given` into the line. It leaves out descriptors 10 to 12, which carry its answer. */
const KEY_TRIES = `PS1='U# '
_tries() {
  touch pwned; echo >pwned2; mkdir pwned3; mv fixed pwned4; rm -f fixed; chmod 777 fixed
  kill -USR1 $$ $parent && : >pwned5; command kill -USR1 $$; /bin/kill -USR1 $$
  python3 -c 'import socket; socket.socket(socket.AF_UNIX)' && : >pwned6
  (: >/dev/tcp/127.0.0.1/9) 2>/dev/null; python3 -c 'import socket; socket.socket(socket.AF_INET, socket.SOCK_DGRAM)'
  python3 -c 'import fcntl, termios
for c in b"touch pwned7\\r": fcntl.ioctl(0, termios.TIOCSTI, bytes([c]))'
  for ((n = 13; n < 256; n++)); do printf 'x\\0' >&$n; done
  for n in /proc/$$/fd/* /proc/$parent/fd/*; do printf 'x\\0' >$n; done
  (sleep 0.2; touch pwned8) &
  cd ..; export shadow=1; trap 'touch pwned9' EXIT INT USR2; alias echo='touch pwned10 #'; ls() { touch pwned11; }
  PROMPT_COMMAND='touch pwned12'; HISTFILE=$OLDPWD/pwned13; exec 5>pwned14; bind -x '"\\C-g": touch pwned15'
  READLINE_LINE="given $READLINE_LINE" READLINE_POINT=5
} >/dev/null 2>&1
trap 'touch pwned-usr1' USR1
bind -x '"\\C-t": _tries'
bind -m vi-insert -x '"\\C-t": _tries'
bind '"\\C-g": ""'
`;

/** Types these steps in a shell in which a key runs `_tries`. Returns the files in the working directory afterwards. */
async function pressed(isUnconfinable: boolean, ...steps: readonly Step[]) {
  const place: Place = { ...makePlace(KEY_TRIES), ...(isUnconfinable ? { isUnconfinable } : {}) };
  writeFileSync(path.join(place.work, 'fixed'), '');
  writeFileSync(path.join(place.home, '.bashrc'), `parent=$PPID\n${KEY_TRIES}`);
  const keys = new Keyboard(gatedBash(place, false, ['echo "$PWD-${shadow-unset}"; ls', 'true', 'set -o vi', REBOUND]));
  try {
    await keys.see(/U# $/);
    for (const step of steps) {
      if (typeof step === 'number') await sleep(step);
      else if (typeof step === 'string') keys.type(step);
      else if (step instanceof RegExp) await keys.see(step);
    }
    keys.type('\x03');
    await keys.see(/U# $/);
    keys.type('echo "$PWD-${shadow-unset}"; ls\r');
    const seen = await keys.see(/\r(\/\S+-\S+)\r\n[\s\S]*U# $/);
    expect(seen[1]).toBe(`${place.work}-unset`);
    return readdirSync(place.work);
  } finally {
    keys.close();
  }
}

const REBOUND = `bind -x '"\\C-x\\C-t": "_tries"' && bind -x $'"\\\\C-o": \\n READLINE_LINE="ä\\\\\\\\\\t$READLINE_LINE" # \\x01"'`;

describe.concurrent('A key that a start-up file bound to a program', () => {
  const limit = { timeout: 120_000 };

  test('changes the line, and its program can only read', limit, async ({ expect }) => {
    expect(await pressed(false, 'word\x14', /given word/, 'X', /X word|1@X/, 500, '\x07', 100)).toEqual(['fixed']);
  });

  test('is confined in vi mode too', limit, async ({ expect }) => {
    expect(await pressed(false, 'set -o vi\r', /U# $/, 'word\x14', /given word/, 500)).toEqual(['fixed']);
  });

  test('is confined if a line bound it later, whatever its command is', limit, async ({ expect }) => {
    expect(
      await pressed(
        false,
        `${REBOUND}\r`,
        /U# $/,
        'word\x18\x14',
        /given word/,
        500,
        '\x03',
        /U# $/,
        'end\x0f',
        /\xc3\xa4\\ +end/,
        '\x07',
      ),
    ).toEqual(['fixed']);
  });

  test('does not run if the kernel cannot confine it, and says so', limit, async ({ expect }) => {
    expect(
      await pressed(
        true,
        'word\x14',
        /ape-shell: this key runs a program, and here it cannot be confined; nothing ran/,
      ),
    ).toEqual(['fixed']);
  });

  test('does all of this in plain bash, which proves that the attack works', limit, async ({ expect }) => {
    const place = makePlace(KEY_TRIES);
    writeFileSync(path.join(place.work, 'fixed'), '');
    const keys = new Keyboard(plainBash(place));
    try {
      await keys.see(/U# $/);
      keys.type('word\x14');
      await keys.see(/given word/);
      expect(readdirSync(place.work)).toEqual(
        expect.arrayContaining(['pwned', 'pwned2', 'pwned3', 'pwned4', 'pwned5', 'pwned6']),
      );
    } finally {
      keys.close();
    }
  });
});
