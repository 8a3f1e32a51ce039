// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are bash
/** Nothing in the environment of a new interactive shell runs code before the gate has decided about the first line. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { startRole } from '../../src/core/start-environment.ts';
import { gatedBash, makePlace, type Place } from '../fixtures/terminal/start-host.ts';
import { Keyboard } from '../terminal/keyboard.ts';

const PROMPT = /U# (?:\x1b\[\d*G)?$/;
/** A start-up file that runs a program, as most do. */
const START_UP = 'PS1=\'U# \'\nbind \'set enable-bracketed-paste off\'\n: "$(/bin/true)" "$(bash -c :)"\n';

const TOUCH = 'touch pwned';
const HOSTILE: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  PROMPT_COMMAND: { PROMPT_COMMAND: TOUCH },
  'prompts without a start-up file': {
    PS0: `$(${TOUCH})`,
    PS1: `$(${TOUCH})U# `,
    PS2: `$(${TOUCH})`,
    PS4: `$(${TOUCH})`,
  },
  'a prompt in octal': { PS1: `\\044(${TOUCH})U# ` },
  'IGNOREEOF at Ctrl-D': { IGNOREEOF: `a[$(${TOUCH})]` },
  TMOUT: { TMOUT: `a[$(${TOUCH})]` },
  'functions named as builtins': Object.fromEntries(
    ['builtin', 'exec', 'eval', '[[', ':', 'printf', 'read', 'history', '.', 'unset', 'set', '/bin/true'].map(
      (name) => [`BASH_FUNC_${name}%%`, `() { ${TOUCH}; }`],
    ),
  ),
  'a trace': { SHELLOPTS: 'xtrace', PS4: `$(${TOUCH})` },
  'POSIX mode': { SHELLOPTS: 'posix', ENV: './evil.sh' },
  'POSIXLY_CORRECT and ENV': { POSIXLY_CORRECT: '1', ENV: './evil.sh' },
  'the keyword option': { SHELLOPTS: 'keyword' },
  BASHOPTS: { BASHOPTS: 'extdebug:nocasematch:localvar_inherit' },
  "BASH_ENV of a start-up file's script": { BASH_ENV: './evil.sh' },
  'a library': { LD_PRELOAD: './evil.so' },
  'a mail message': { MAILPATH: `./mail?$(${TOUCH})`, MAILCHECK: '0' },
  'variables of ours': { __ape_st: '1', __ape_text: TOUCH, _A_: TOUCH, __ape_debug: TOUCH, __ape_bang: TOUCH },
  'a file descriptor of ours': { BASH_XTRACEFD: '3' },
  FUNCNEST: { FUNCNEST: '1' },
  'a history file that is a start-up file': { HISTFILE: './.bashrc' },
};

function hostilePlace(environment: Readonly<Record<string, string>>, startUp: string): Place {
  const place = makePlace(startUp);
  writeFileSync(path.join(place.work, 'evil.sh'), `${TOUCH}\n`);
  const source = path.join(place.run, 'evil.c');
  writeFileSync(
    source,
    '#include <fcntl.h>\n#include <string.h>\n#include <errno.h>\n__attribute__((constructor)) static void f(void) { if (!strcmp(program_invocation_short_name, "bash") || !strcmp(program_invocation_short_name, "true")) open("pwned", O_CREAT | O_WRONLY, 0600); }\n',
  );
  execFileSync('cc', ['-D_GNU_SOURCE', '-shared', '-fPIC', '-o', path.join(place.work, 'evil.so'), source]);
  return { ...place, environment: { ...place.environment, ...environment } };
}

describe.concurrent('The environment of the start', () => {
  test.for(Object.keys(HOSTILE))('runs nothing by %s', async (name, { expect }) => {
    const hostile = HOSTILE[name] ?? {};
    const startUp = name.includes('without a start-up file') ? "bind 'set enable-bracketed-paste off'\n" : START_UP;
    const place = hostilePlace(hostile, startUp);
    // The fixture's own node must not load code that is meant for bash.
    const { LD_PRELOAD, ...environment } = place.environment;
    const command = gatedBash({ ...place, environment }, false, ['echo works-$((40+2))']);
    if (LD_PRELOAD !== undefined) {
      const orders = JSON.parse(command.environment['APE_TEST_HOST'] ?? '{}') as object;
      (command.environment as Record<string, string>)['APE_TEST_HOST'] = JSON.stringify({
        ...orders,
        extra: { LD_PRELOAD },
      });
    }
    const keys = new Keyboard(command);
    try {
      await keys.see(/[#$] (?:\x1b\[\d*G)?$/);
      keys.type('\x04');
      await keys.see(/[#$] (?:\x1b\[\d*G)?$/, 2_000).catch(() => undefined);
      keys.type('true unapproved\recho works-$((40+2))\r');
      if ((await keys.ended(300)) === null) await keys.see(/\nworks-42/);
      expect(existsSync(path.join(place.work, 'pwned')), keys.printed).toBe(false);
    } finally {
      keys.close();
    }
  });
});

/** The variables that bash, its line editor, terminals, libraries and locales read, apart from those in the table above. */
const LOOKED_AT =
  `BASHOPTS SHELLOPTS BASH_ENV ENV PS0 PS1 PS2 PS3 PS4 PROMPT_COMMAND PROMPT_DIRTRIM IFS LC_ALL LC_CTYPE LC_MESSAGES
  LC_COLLATE LC_NUMERIC LC_TIME LANG LANGUAGE LOCPATH NLSPATH CHARSET OUTPUT_CHARSET TEXTDOMAIN TEXTDOMAINDIR TERM TERMCAP TERMINFO
  TERMINFO_DIRS COLUMNS LINES INPUTRC HISTFILE HISTSIZE HISTFILESIZE HISTCONTROL HISTIGNORE HISTTIMEFORMAT HISTCMD histchars
  BASH_COMPAT BASH_LOADABLES_PATH BASH_XTRACEFD BASH_ARGV0 BASH_ARGV BASH_CMDS BASH_ALIASES BASH_REMATCH BASH_SUBSHELL BASHPID
  CDPATH CHILD_MAX COMP_WORDBREAKS COMP_LINE COMP_POINT COMPREPLY DIRSTACK EMACS EXECIGNORE FCEDIT EDITOR VISUAL FIGNORE FUNCNAME
  FUNCNEST GLOBIGNORE GROUPS HOSTFILE HOSTTYPE IGNOREEOF INSIDE_EMACS LINENO MAIL MAILCHECK MAILPATH MAPFILE OLDPWD OPTARG OPTERR
  OPTIND POSIXLY_CORRECT PIPESTATUS PPID RANDOM READLINE_LINE READLINE_POINT REPLY SECONDS SHLVL SRANDOM EPOCHSECONDS TIMEFORMAT
  TMOUT TMPDIR UID EUID auto_resume MALLOC_CONF GCONV_PATH GETCONF_DIR HOSTALIASES LOCALDOMAIN RES_OPTIONS LS_COLORS LESSOPEN
  NODE_OPTIONS NODE_PATH GIT_PAGER debian_chroot`.split(/\s+/);

/** Each form of text that bash may evaluate. The name of the file that it makes shows which variable was evaluated. */
const FORMS: readonly (readonly [string, (mark: string) => string])[] = [
  ['a subscript', (mark) => `a[$(touch ${mark})]`],
  ['an expansion', (mark) => `$(touch ${mark})`],
  ['a command', (mark) => `touch ${mark}`],
  ['a file', (mark) => `./run-${mark}`],
  ['a function', (mark) => `() { touch ${mark}; }; touch ${mark}`],
];
const BATCHES = 3;

describe.concurrent('Each variable that a program reads at the start', () => {
  const all = FORMS.flatMap(([form]) => [...Array(BATCHES).keys()].map((batch) => [form, batch] as const));
  test.for(all)('%s, batch %i', async ([form, batch], { expect }) => {
    const write = FORMS.find(([name]) => name === form)?.[1] ?? String;
    const names = LOOKED_AT.filter((_, at) => at % BATCHES === batch);
    const place = makePlace('bind \'set enable-bracketed-paste off\'\n: "$(/bin/true)" "$(bash -c :)"\n');
    const mark = (name: string): string => `pwned-${name}`;
    for (const name of names) {
      const program = path.join(place.work, `run-${mark(name)}`);
      writeFileSync(program, `touch ${mark(name)}\n`, { mode: 0o755 });
    }
    const hostile = Object.fromEntries(names.map((name) => [name, write(mark(name))]));
    const command = gatedBash(place, false, ['echo works-$((40+2))']);
    // The fixture's own node must not get these variables: the launcher starts it with an empty environment.
    const orders = JSON.parse(command.environment['APE_TEST_HOST'] ?? '{}') as object;
    const APE_TEST_HOST = JSON.stringify({ ...orders, extra: hostile });
    const keys = new Keyboard({ ...command, environment: { ...command.environment, APE_TEST_HOST } });
    try {
      await keys.see(/[#$>] (?:\x1b\[\d*G)?$/, 30_000);
      keys.type('echo unapproved\r');
      await keys.see(/refused: echo unapproved/, 30_000);
      keys.type('echo works-$((40+2))\r');
      await keys.see(/works-42/, 30_000);
      expect(keys.printed).toContain('not taken from the environment');
      const marks = readdirSync(place.work).filter((name) => name.startsWith('pwned-'));
      expect(marks, keys.printed).toEqual([]);
    } finally {
      keys.close();
    }
  });
});

test('the shell reports each variable that it leaves out, and no harmless one', async () => {
  const place = makePlace();
  const environment = {
    ...place.environment,
    PROMPT_COMMAND: 'x',
    'BASH_FUNC_ls%%': '() { :; }',
    PS1: '\\u@\\h:\\w\\$ ',
    HISTSIZE: '5',
  };
  const keys = new Keyboard(gatedBash({ ...place, environment }));
  await keys.see(PROMPT);
  keys.close();
  expect(keys.printed).toContain('ape-shell: not taken from the environment');
  expect(keys.printed).toMatch(/asked for: (?:PROMPT_COMMAND, ls\(\)|ls\(\), PROMPT_COMMAND); set them in/);
});

test('variables that are held back during the start-up files are set again for lines', async () => {
  const place = makePlace();
  const environment = { ...place.environment, BASH_ENV: '/nonexistent', ENV: '/e', LD_LIBRARY_PATH: '/l:/m' };
  const keys = new Keyboard(gatedBash({ ...place, environment }));
  await keys.see(PROMPT);
  keys.type('printenv ENV LD_LIBRARY_PATH BASH_ENV\r');
  await keys.see(/\/e\r\n\/l:\/m\r\n\/nonexistent\r\n/);
  keys.close();
  expect(readFileSync(place.log, 'utf8')).toContain('LD_LIBRARY_PATH');
});

test('prompts that evaluate nothing are accepted', () => {
  for (const prompt of ['\\u@\\h:\\w\\$ ', '\\[\\e[32m\\]\\W\\[\\033[0m\\] \\$ ', 'U# ', '$ ', 'a\\nb> '])
    expect(startRole('PS1', prompt), prompt).toBe('given');
  for (const prompt of ['$(x)', '`x`', '${x}', '\\044(x)', '\\\\$(x)', '\\$(x)', '$x', '\\D{}', '\\x'])
    expect(startRole('PS1', prompt), prompt).toBe('left-out');
});
