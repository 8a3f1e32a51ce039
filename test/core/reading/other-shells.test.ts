// biome-ignore-all lint/suspicious/noTemplateCurlyInString: shells write their expansions so
/** Texts that are given to other shells than bash: which of them are read, and which make the line opaque. */
import { describe, expect, test } from 'vitest';
import { reasonsOf } from './reading-fixture.ts';

/** zsh and ksh run the command in this word when they compute its value. */
const EVALUATED = "'\"'\"'path[$(id>x)0]'\"'\"'";

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

describe('a shell with start-up files or variables of its own', () => {
  test.each(['zsh', 'ksh', 'mksh', 'yash', 'fish', 'csh', 'tcsh', '/bin/zsh', 'sudo zsh', 'find . -exec zsh'])(
    '%s -c is not read',
    (shell) => {
      expect(reasonsOf(`${shell} -c 'cat a'${shell.startsWith('find') ? ' \\;' : ''}`)).toContain(
        'starts a shell whose language is not read here',
      );
    },
  );

  test.each([
    `exit ${EVALUATED}`,
    `return ${EVALUATED}`,
    `break ${EVALUATED}`,
    `continue ${EVALUATED}`,
    `shift ${EVALUATED}`,
    `printf %d ${EVALUATED}`,
    `printf %.*s 1 ${EVALUATED}`,
    `test -t ${EVALUATED}`,
    `test 1 -eq ${EVALUATED}`,
    `[ ${EVALUATED} -lt 1 ]`,
    `read -t ${EVALUATED} v`,
    `command exit ${EVALUATED}`,
    `exec exit ${EVALUATED}`,
    `command exec -c test -t ${EVALUATED}`,
    `LISTMAX=${EVALUATED}`,
    `LINES=${EVALUATED}`,
    `COLUMNS=${EVALUATED} cat a`,
    `export LISTMAX=${EVALUATED}`,
    `command export LISTMAX=${EVALUATED}`,
    `for LISTMAX in ${EVALUATED}; do cat a; done`,
    'exit FOO',
    'exit "$FOO"',
    'test -t FOO',
    'path=evil; cat a',
    'path=evil cat a',
    'for path in evil; do cat a; done',
    'read path',
    'unset path',
    'readonly path',
    'cdpath=/x; cd a',
    'USERNAME=a',
    'fpath=a',
    'module_path=a',
    'aliases=a',
    'command chdir /; cat a',
    'bye 1',
    '- cat a',
  ])('%s is opaque in zsh, in sh and in the unknown shell of another user', (text) => {
    for (const start of ['zsh -c', 'sh -c', 'dash -c', 'ssh host', 'su -c', 'find . -exec sh -c'])
      expect(reasonsOf(`${start} '${text}'${start.startsWith('find') ? ' \\;' : ''}`), start).not.toEqual([]);
  });
});

describe('the unknown shell of another user', () => {
  test.each([
    `exit 'path[$(id)0]'`,
    `cat 'path[$(id)0]'`,
    "cat '`id`'",
    "cat 'a(b)'",
    'cd app && cat a',
    'exit 1',
    'command cat a',
    'if cat a; then cat b; fi',
    'while cat a; do cat b; done',
    'until cat a; do cat b; done',
    'case a in esac',
    'and cat a',
    '@ x=1',
    '%1',
    'echo "a b"',
  ])('ssh host with the text %s is opaque', (text) => {
    expect(reasonsOf(`ssh host ${JSON.stringify(text).replaceAll('$', '\\$').replaceAll('`', '\\`')}`)).not.toEqual([]);
  });

  test.each([
    'cat a',
    'git log --format=%h',
    'grep "a b" c',
    'grep "a|b" c',
    'cat a && ls || ls | wc -l',
    'date +%s',
    'scp a u@h:b',
    'echo a',
    'true',
    'sudo cat a',
  ])('ssh host with the text %s is read', (text) => {
    expect(reasonsOf(`ssh host '${text}'`)).toEqual([]);
  });

  test.each([
    'cat %USERPROFILE%/a',
    'cat "%X%"',
    'date +%H%M',
    "rm 'a /etc/x '",
    "echo 'a & rm b'",
    "grep 'a|b' c",
    'rm a; ls b',
    'cat a\nrm b',
    'cat "a\nb"',
    'rm a,b',
    'rm @x',
    'rm "a"/b',
    'cat --% "a"',
    'cat "a\u201d x"',
  ])('ssh host with the text %j is opaque, because the host may have cmd.exe or PowerShell', (text) => {
    expect(reasonsOf(`ssh host ${quoted(text)}`)).not.toEqual([]);
  });

  test.each(["grep 'a|b' c", 'cat a; ls b', 'date +%H%M', 'cut -f1,2 a'])(
    'su -c with the text %s is read, because the shell is one of this host',
    (text) => {
      expect(reasonsOf(`su u -c ${quoted(text)}`)).toEqual([]);
    },
  );
});

describe('a descriptor of more than one digit, of which dash makes a word', () => {
  test.each([
    'grep -m 01>&2 root /outside',
    'nice -n 01>&2 bash cat a',
    'cat -- 007>x b',
    'cat 00<a',
    'cat 00<<E\na\nE\n',
    '{ cat a; } 01>x',
  ])('%s is opaque for sh', (text) => {
    expect(reasonsOf(`sh -c '${text}'`)).not.toEqual([]);
  });

  test('bash reads the number, and one digit is read in each shell', () => {
    expect(reasonsOf("bash -c 'cat -- 01>x b'")).toEqual([]);
    expect(reasonsOf("sh -c 'cat -- 1>x b 2>&1'")).toEqual([]);
  });
});

describe('GNU parallel gives its words to an unknown shell', () => {
  test.each(['exit', 'printf %d', 'test -t', 'unset', 'export', 'cat =ls'])('parallel %s is opaque', (words) => {
    expect(reasonsOf(`parallel ${words} ::: a`)).not.toEqual([]);
  });
});

describe('sh', () => {
  test.each([
    'exit 1',
    'exit $?',
    'cd src && cat a',
    'set -e; cat a',
    'echo "$x" ${x:-y} "a b"',
    'printf "%s\\n" "$x" "a b"',
    'test -f a && cat a',
    '[ ! -d a ] || ls a',
    '[ $# -eq 0 ]',
    'command -v git',
    'command cat a',
    'if cat a; then cat b; fi',
  ])('%s is read', (text) => {
    expect(reasonsOf(`sh -c '${text}'`)).toEqual([]);
  });
});
