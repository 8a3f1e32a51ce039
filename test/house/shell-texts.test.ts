/** shellcheck finds nothing in the shell texts that we ship or test with, except what is listed here with a reason. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Command, parse } from 'unbash';
import { afterAll, describe, expect, it } from 'vitest';
import { COMPLETION_TEXT, SETUP_TEXT } from '../fixtures/texts-for-bash.ts';

/** Returns every simple command of a tree. */
function commandsIn(node: unknown): readonly Command[] {
  if (typeof node !== 'object' || node === null) return [];
  const inner = Object.values(node).flatMap(commandsIn);
  return 'type' in node && node.type === 'Command' ? [node as Command, ...inner] : inner;
}

const root = fileURLToPath(new URL('../..', import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), 'ape-shellcheck-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** Findings that are switched off in every file. */
const OFF: Readonly<Record<string, string>> = {
  SC1003: "`'\\'` is a backslash on purpose",
  SC1007: '`local a= b=` sets them to the empty string',
  SC2015: '`a && b || c` is written where c may run after b too, or ends the program',
  SC2016: 'a text in single quotes is for a later evaluation, or is a format',
  SC2088: '`~` in a pattern is compared with what was typed',
  SC2163: '`export "$word"` exports what the word names',
  SC2209: '`mode=vi`: a word that is also the name of a program',
  SC2261: '`>&"$fd" 2>&"$fd"` duplicates a descriptor twice; it is taken for `&>`',
  SC2317: 'functions that bash itself calls, and lines behind an exit that a function may have replaced',
};

/** Words that have to be split. In every other place, a word without quotes is a fault. */
const SPLIT: Readonly<Record<string, readonly string[]>> = {
  'src/pty/setup.bash': [
    // Lists of function names, which contain no blank. The IFS of the shell is set by the gate there.
    '{ builtin alias -- $__ape_all; builtin declare -F -- $__ape_all; builtin declare -p -- $__ape_all; builtin hash -t -- $__ape_all; } \\',
    '{ builtin declare -F -- $__ape_all; builtin alias -- $__ape_all; builtin hash -t -- $__ape_all; } >&"$__ape_out" 2>&"$__ape_null"',
    '[[ -z $__ape_body && -z $__ape_disabled ]] || __ape_meanings $__ape_all',
    'builtin declare -p -- $__ape_all >&"$__ape_out" 2>&"$__ape_null"',
    'builtin readonly -f $__ape_body',
    '__ape_meanings_in_chain $__ape_all',
  ],
  'src/pty/completion.bash': [
    // Split by an IFS that is set above; the last word is a glob that has to be expanded.
    '__c_words=($__c_old) __c_target= __c_in=1',
    '__c_endings=($FIGNORE) __c_kept=()',
    '__c_names=($(builtin compgen -abk -A function -- "$__c_value"))',
    `__c_folders=(\${PATH-})`,
    '__c_take_names $(builtin compgen -A "$1" -- "$2")',
    '__c_found=($__c_pattern)',
    'builtin shopt -s $__c_options_on 2>/dev/null',
    '__c_fields=($__c_blob)',
  ],
};
const SPLITS = ['SC2046', 'SC2086', 'SC2206', 'SC2207'];

/** Returns `FILE:LINE: MESSAGE [CODE]` for each finding in the file, and in the files that it sources, that is not excepted above. */
function findingsIn(file: string, split: readonly string[] = []): readonly string[] {
  const words = ['-s', 'bash', '-f', 'gcc', '-x', '-a', '-P', 'SCRIPTDIR', '-e', Object.keys(OFF).join(','), file];
  const { stdout, status, error } = spawnSync('shellcheck', words, { encoding: 'utf8' });
  if (error !== undefined || status === null || status > 1)
    throw new Error(`shellcheck does not run: ${error ?? status}`);
  return stdout
    .split('\n')
    .filter((finding) => finding !== '')
    .map((finding) => {
      const [, found = file, line, text] = /^(.*?):(\d+):\d+: (.*)$/.exec(finding) ?? [];
      const source = readFileSync(found, 'utf8').split('\n')[Number(line) - 1] ?? '';
      return { source: source.trim(), text: `${relative(root, found)}:${line}: ${text}` };
    })
    .filter(({ source, text }) => !(SPLITS.some((code) => text.includes(code)) && split.includes(source)))
    .map(({ text }) => text);
}

const shellTexts = (): readonly string[] => {
  const files = execFileSync('git', ['ls-files', 'bin', 'src', 'scripts', '.ci', 'test'], {
    cwd: root,
    encoding: 'utf8',
  });
  return files
    .split('\n')
    .filter((file) => file !== '' && !/^(?:test\/fixtures\/screens|src\/pty\/setup)\//.test(file))
    .filter(
      (file) =>
        /\.(?:ba)?sh$/.test(file) || /^#!.*\b(?:ba)?sh\b/.test(readFileSync(join(root, file), 'utf8').slice(0, 80)),
    );
};

describe('the shell texts', () => {
  const files = shellTexts();

  it('exist', () => {
    expect(files).toEqual(expect.arrayContaining(['.ci/run', 'src/pty/completion.bash', 'src/pty/setup.bash']));
    expect(files.length).toBeGreaterThan(readdirSync(join(root, 'test/scenario/programs')).length / 2);
  });

  it('src/pty/setup.bash names each of its parts once; shellcheck reads them with it', () => {
    const named = [...readFileSync(join(root, 'src/pty/setup.bash'), 'utf8').matchAll(/^\. setup\/(.*)$/gm)];
    expect(named.map(([, part]) => part).sort()).toEqual(readdirSync(join(root, 'src/pty/setup')).sort());
  });

  it.each(files)('shellcheck finds nothing in %s', (file) => {
    expect(findingsIn(join(root, file), SPLIT[file])).toEqual([]);
  });

  it('each line whose words are split on purpose exists', () => {
    for (const [file, lines] of Object.entries(SPLIT)) {
      const text = (file === 'src/pty/setup.bash' ? SETUP_TEXT : readFileSync(join(root, file), 'utf8'))
        .split('\n')
        .map((line) => line.trim());
      expect(lines.filter((line) => !text.includes(line))).toEqual([]);
    }
  });

  it('the check finds a word that is split and a misspelt name', () => {
    const file = join(scratch, 'planted.bash');
    writeFileSync(file, 'f() { rm -- $1; }\nf "$@"\nread -r value\necho "$vale"\n');
    expect(findingsIn(file).join('\n')).toMatch(/SC2086[\s\S]*SC2154/);
  });

  it('each command of one word in setup.bash is quoted, because auto_resume could otherwise resume a job in its place', () => {
    const found = commandsIn(parse(SETUP_TEXT)).filter(
      ({ name, suffix, redirects }) => name !== undefined && suffix.length === 0 && redirects.length === 0,
    );
    expect(found.length).toBeGreaterThan(50);
    expect(found.map(({ name }) => name?.text).filter((word) => !word?.startsWith('\\'))).toEqual([]);
  });
});

/** Upper-case names that the texts read, and from which the builtin `__ape_confine` removes no attribute, each with the reason. */
const NOT_PLAIN: Readonly<Record<string, string>> = {
  BASHOPTS: 'setup.bash removes its attributes, together with those of `_`',
  SHELLOPTS: 'setup.bash removes its attributes, together with those of `_`',
  BASH_ARGC: 'only its name is compared',
  BASH_ARGV: 'only its name is compared',
  BASH_CMDS: 'a reference is not read (__ape_is_own)',
  BASH_COMMAND: 'a reference is not read (__ape_is_own)',
  BASH_LINENO: 'only its name is compared',
  BASH_MONOSECONDS: 'a reference is not read (__ape_is_own)',
  BASH_REMATCH: 'bash makes it anew with each `=~`',
  BASH_SOURCE: 'read before any line',
  BASH_SUBSHELL: 'a reference is not read (__ape_is_own)',
  BASH_VERSION: 'read before any line',
  BASH_VERSINFO: 'read-only in any bash',
  ALRM: 'a signal',
  COMP_WORDBREAKS: 'bash computes it: to look it up would start its line editor before INPUTRC is set',
  DEBUG: 'a trap',
  ENV: 'unset before any line',
  EPOCHREALTIME: 'a reference is not read (__ape_is_own)',
  EPOCHSECONDS: 'a reference is not read (__ape_is_own)',
  ERR: 'a trap',
  EXIT: 'a trap',
  FUNCNAME: 'a reference is not read (__ape_is_own)',
  HISTCMD: 'a reference is not read (__ape_is_own)',
  INT: 'a signal',
  LINENO: 'a reference is not read (__ape_is_own)',
  PIPESTATUS: 'bash makes it anew with each pipeline',
  RANDOM: 'only its name is compared',
  RETURN: 'a trap',
  SECONDS: 'a reference is not read (__ape_is_own)',
  SRANDOM: 'a reference is not read (__ape_is_own)',
};

it('each variable that the texts for bash read has lost attributes that evaluate text before, or is listed here with a reason', () => {
  const read = new Set<string>();
  for (const withRemarks of [SETUP_TEXT, COMPLETION_TEXT]) {
    const text = withRemarks.replaceAll(/^\s*#.*|\s# .*/gm, '');
    for (const [, name] of text.matchAll(/(?:\$\{?[!#]?|-[vR] |^|[\s;({])([A-Z][A-Z0-9_]+|histchars)(?=[\W_]|$)/gm))
      if (name !== undefined && !/^APE_/.test(name)) read.add(name);
  }
  const source = readFileSync(join(root, 'bin/confine-builtin.c'), 'utf8');
  const [, list = ''] = /READ_BY_TEXTS\[\] = \{([^}]*)\}/.exec(source) ?? [];
  const plain = [...list.matchAll(/"(\w+)"/g)].map(([, name]) => name ?? '');
  expect(plain.length).toBeGreaterThan(20);
  expect([...read].filter((name) => !plain.includes(name) && !Object.hasOwn(NOT_PLAIN, name))).toEqual([]);
  expect([...plain, ...Object.keys(NOT_PLAIN)].filter((name) => !read.has(name))).toEqual([]);
});
