// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are bash
/** The table of variables that decide what runs: which it has, which it leaves out, and which of them a line may set. */
import { describe, expect, it } from 'vitest';
import { boundBy, decidesWhatRuns, isBoundVariable } from '../../src/core/variables/bound-variables.ts';
import { isSafeLocale, localeOf, oddCharacterSet } from '../../src/core/variables/character-set.ts';
import { isSecret, isTooLong } from '../../src/core/variables/secret-values.ts';
import {
  CHANGING_VARIABLES,
  PROGRAM_VARIABLES,
  PROMPT_VARIABLES,
  SHELL_VARIABLES,
  SHOWN_VARIABLES,
} from '../../src/core/variables/variable-table.ts';

/** Each of these was seen to run a program, to load code, or to send data to another place. */
const DECIDING = `PATH HOME IFS BASH_ENV ENV LD_PRELOAD LD_LIBRARY_PATH GLIBC_TUNABLES GIT_SSH_COMMAND GIT_EXTERNAL_DIFF GIT_PAGER
  PERLLIB PERL5LIB PERL5OPT MANPATH MANROFFOPT MANOPT GROFF_BIN_PATH GROFF_COMMAND_PREFIX DBUS_SYSTEM_BUS_ADDRESS TCLLIBPATH
  APT_CONFIG COMPILER_PATH GCC_EXEC_PREFIX ZIPOPT ZIP UNZIP TAPE GNUMAKEFLAGS MAKEFLAGS LESSKEYIN LESSKEY_CONTENT LESSECHO
  LESSOPEN DPKG_PAGER RUSTFLAGS RUSTUP_TOOLCHAIN GOCACHEPROG GOAUTH GOTOOLCHAIN GOFLAGS PYTEST_ADDOPTS SSLKEYLOGFILE
  SYSTEM_WGETRC WGETRC SYSTEMD_LESS Npm_config_script_shell npm_config_shell NPM_CONFIG_REGISTRY MALLOC_TRACE VIRTUAL_ENV
  SSH_SK_HELPER SSH_ASKPASS DOCKER_CONTEXT DOCKER_HOST COMPOSE_FILE GH_HOST GH_REPO PGHOST PGSERVICEFILE PSQLRC
  KUBECTL_EXTERNAL_DIFF KUBECONFIG http_proxy HTTPS_PROXY All_Proxy NODE_OPTIONS JAVA_TOOL_OPTIONS _JAVA_OPTIONS CURL_HOME
  LC_ALL LC_CTYPE LANG LOCPATH BASH_FUNC_git%% BIOME_BINARY TURBO_BINARY_PATH COMPOSER
  CORECLR_PROFILER MSBuildSDKsPath PYLINTHOME BLACK_CACHE_DIR RAKEOPT SOME_NEW_TOOL_PAGER MY_EDITOR X_COMMAND NEWTOOL_CONFIG_DIR PARALLEL_SHELL
  LANGUAGE PYENV_VERSION COVERAGE_RCFILE COVERAGE_PROCESS_START DJANGO_SETTINGS_MODULE FLASK_APP IPYTHONDIR DIRENV_BASH CARGO
  PREFIX DESTDIR DOTDIR CGO_CFLAGS_ALLOW MAGIC GITHUB_TOKEN GITHUB_ENTERPRISE_TOKEN PROTOC CMAKE HOST_AR BORG_PASSCOMMAND IMAGEIO_FFMPEG_EXE FFMPEG_BINARY RANDFILE
  DOTNET_ADDITIONAL_DEPS NUGET_PACKAGES DEPENDENCIES_OUTPUT SUNPRO_DEPENDENCIES GMON_OUT_PREFIX GTK3_MODULES LDAPCONF ODBCSYSINI
  LYNX_CFG PATCH_GET TIGRC_USER COMPILE.c LINK.o PREPROCESS.S LEX LEX.l YACC.y M4 RM CO GET F77 PC OBJC TEX WEAVE TANGLE LINT LDLIBS
  TARGET_ARCH OUTPUT_OPTION shell_escape openout_any TEXMFCNF TEXINPUTS FFREPORT KRB5_TRACE GHCRTS RUN_MAILCAP
  CHECKOUT,v .LIBPATTERNS .DEFAULT_GOAL @D BISON_PKGDATADIR`;

const unset = () => undefined;

describe('a grant binds', () => {
  it.each(DECIDING.split(/\s+/))('%s, which a line can set only with an exact approval', (name) => {
    expect([isBoundVariable(name), decidesWhatRuns(name)]).toEqual([true, true]);
  });

  it('the variables that a text expands, and for an interactive bash those that prompts evaluate', () => {
    expect(boundBy(['echo $FOO'], false, unset)('FOO')).toBe(true);
    expect(boundBy(['echo'], false, unset)('FOO')).toBe(false);
    for (const name of ['PROMPT_COMMAND', 'PS0', 'PS1', 'HISTFILE', 'MAILPATH']) {
      expect([name, boundBy(['x'], true, unset)(name), boundBy(['x'], false, unset)(name)]).toEqual([
        name,
        true,
        false,
      ]);
      expect(decidesWhatRuns(name)).toBe(true);
    }
  });
});

describe('a grant binds a variable that bash reads without `$`', () => {
  it.each([
    '[[ v -eq 1 ]]',
    '((v > 3)) && npm test',
    'echo ${b[v]}',
    'x=abc; echo ${x:v:1}',
    'let v',
    '[[ "v" -eq 1 ]]',
    '[[ $"v" -eq 1 ]]',
    "[[ $'\\x76' -eq 1 ]]",
    "[[ $'\\166' -eq 1 ]]",
    "[[ $'\\u0076' -eq 1 ]]",
    "[[ $'\\U00000076' -eq 1 ]]",
    "[[ $'\\x{76}' -eq 1 ]]",
    "[[ $'\\x{5476}' -eq 1 ]]",
    "[[ $'\\566' -eq 1 ]]",
    'echo $((\\\nv))',
    "[[ $'\\x{76}' -eq 1 ]]",
    "[[ $'\\x{FF76' -eq 1 ]]",
    "[[ $'\\566' -eq 1 ]]",
    "[[ $'\\x{0000000000000076}' -eq 1 ]]",
    "[[ $'\\U00000076' -eq 1 ]]",
    `eval "[[ $'\\x5cx76' -eq 1 ]]"`,
    'for ((v; v < 3; v++)); do ls; done',
    'echo $[16#ff+v]',
  ])('%s', (text) => {
    expect(boundBy([text], false, unset)('v')).toBe(true);
  });

  it.each([
    ["[[ value'of'x -eq 1 ]]", 'valueofx'],
    ['echo $((val\\\nue))', 'value'],
    ["[[ va$'\\154'ue -eq 1 ]]", 'value'],
  ])('%s, in pieces', (text, name) => {
    expect(boundBy([text], false, unset)(name)).toBe(true);
  });

  it('or that the value of such a variable names, also in several steps', () => {
    const values: Readonly<Record<string, string>> = { v: 'w', w: 'a[x+1]', x: 'v', y: 'z' };
    const isBound = boundBy(['[[ v -eq 1 ]]'], false, (name) => values[name]);
    expect(['v', 'w', 'x', 'a', 'y', 'z'].map((name) => isBound(name))).toEqual([true, true, true, true, false, false]);
  });
});

it('a request binds the variables whose names `${!NAME*}` lists', () => {
  const isBound = boundBy(['echo ${!FOO_*} "${!BAR@}"'], false, unset);
  expect(['FOO_X', 'BARX', 'BA', 'XFOO_', 'FOO'].map((name) => isBound(name))).toEqual([
    true,
    true,
    false,
    false,
    false,
  ]);
});

describe('a request binds every variable if bash may build the name of one', () => {
  it.each([
    '[[ $a$b -eq 1 ]]',
    '[[ "$a""$b" -eq 1 ]]',
    '[[ x$a -eq 1 ]]',
    '[[ ${a%z} -eq 1 ]]',
    '[[ $(hostname) -eq 1 ]]',
    'n=x; n+=y; ((n))',
    'c=$a$b; let c',
    'for n in {x,}y; do ((n)); done',
    'd=$1$2; echo ${e[d]}',
    'read n; echo ${s:n}',
    'declare -i n=$a$b',
    'declare -n n=$a$b; echo $n',
    '[[ -v $a$b ]]',
    'test -v "$a$b"',
    'n=${a}_$b; echo ${!n}',
    'eval "echo \\$$a$b"',
    'e${z}val "\\$$a$b"',
    '{ev,}al "\\$$a$b"',
    '/bin/s${z}h -c "\\$$a$b"',
    "printf '%s%s' '[[ $a' '$b -eq 1 ]]' | bash",
    'trap "\\$$a$b" EXIT',
    'unset "d[$a$b]"',
    'echo $((\\\n$a\\\n$b))',
    'IFS=_; [[ $a -eq 1 ]]',
    '[[ $HOSTNAME -eq 1 ]]',
    'for n in ${!x_*}; do ((n)); done',
    'let "$(f)"; for n in *; do ((n)); done',
    'declare -u n=$a; ((n))',
    '$\'\\x65val\' "\\$$a$b"',
    ': "# ((\n"; n+=y; : "))"; ((n))',
    'echo $(( $(echo x) ))',
    'n=$((echo x) | cat); ((n))',
  ])('%s', (text) => {
    expect(boundBy([text], false, unset)('ANY')).toBe(true);
    expect(boundBy([text], false, unset)('SSH_TTY', 'z[$(id)]')).toBe(true);
    expect(boundBy([text], false, unset)('SSH_TTY', '/dev/pts/1')).toBe(false);
    expect(boundBy([text], false, unset)('_')).toBe(false);
  });

  it('also if the value of a variable or an exported function does this', () => {
    const values: Readonly<Record<string, string>> = { v: 'z[$a$b]', 'BASH_FUNC_my-f%%': '() { ((w)); }' };
    expect(boundBy(['((v))'], false, (name) => values[name])('ANY')).toBe(true);
    expect(boundBy(['my-f'], false, (name) => values[name])('w')).toBe(true);
    expect(boundBy(['((v))'], false, () => null)('ANY')).toBe(true);
    expect(boundBy(['set -x; ls'], false, (name) => (name === 'PS4' ? '$((w))' : undefined))('w')).toBe(true);
  });

  it.each([
    '[[ $a -eq 1 ]]',
    '[[ "$a" -gt "$b" && -f $c/$d ]]',
    'echo $((i+1)) $((2 * (i + 1)))',
    'for ((i = 0; i < 3; i += 2)); do echo "$i"; done',
    'i=0; while ((i < 3)); do i=$((i + 1)); done',
    'let i=i+1',
    'echo ${a[0]} ${a[i]} "${a[@]}" ${#a[@]}',
    'echo "${a:-x}" ${b:=0} ${!c}',
    'eval "$command"',
    'bash -c "$1"',
    'declare -i n=v',
    'cp file$i.txt "$(pwd)/${dir}_$n"',
    'export PATH="$HOME/bin:$PATH" && npm test',
    'grep -v "x_$a" file',
  ])('and not for %s', (text) => {
    expect(boundBy([text], false, unset)('ANY')).toBe(false);
  });
});

describe('a request binds OLDPWD if bash may go there', () => {
  it.each([
    ...['cd -', 'cd - && ls', '(cd -)', 'pushd -', "c'd' $'\\x2d'", 'cd -P -', 'rm -rf ~-/x', 'cd {-,}'],
    ...['cd "-$x"', 'cd $x-', 'cd ${1:--}', 'cd "${x--}"', 'cd -"$(true)"'],
  ])('%s', (text) => {
    expect(boundBy([text], false, unset)('OLDPWD')).toBe(true);
  });

  it('also if an argument or the value of a variable says so', () => {
    expect(boundBy(['cd "$1"', '-c', 'cd "$1"', '_', '-'], false, unset)('OLDPWD')).toBe(true);
    expect(boundBy(['cd $v'], false, (name) => (name === 'v' ? '-' : undefined))('OLDPWD')).toBe(true);
  });

  it.each(['cd src', 'cat -', 'cd a-b', 'cd -P src', 'git diff HEAD~1 -- x'])('and not for %s', (text) => {
    expect(boundBy([text], false, unset)('OLDPWD')).toBe(false);
  });
});

describe('a grant does not bind', () => {
  it.each(
    `PWD OLDPWD SHLVL _ WINDOWID SSH_CONNECTION SSH_CLIENT SSH_TTY SSH_AUTH_SOCK XDG_SESSION_ID TMUX_PANE TERM TERM_PROGRAM
    INVOCATION_ID CLAUDE_CODE_SESSION_ID CODEX_THREAD_ID LS_COLORS FOO TZ CI`.split(/\s+/),
  )('%s, which changes without a change of what runs', (name) => {
    expect(isBoundVariable(name)).toBe(false);
  });
});

it('a line may not set the server of tmux or screen, although a grant does not bind it', () => {
  for (const name of ['TMUX', 'TMUX_TMPDIR', 'SCREENDIR']) expect([name, decidesWhatRuns(name)]).toEqual([name, true]);
  expect([isBoundVariable('TMUX'), isBoundVariable('TMUX_TMPDIR')]).toEqual([false, false]);
});

it('each row says why it is there, and matches its own names', () => {
  for (const row of [
    ...SHELL_VARIABLES,
    ...PROGRAM_VARIABLES,
    ...SHOWN_VARIABLES,
    ...CHANGING_VARIABLES,
    ...PROMPT_VARIABLES,
  ]) {
    expect(row.evidence.length).toBeGreaterThan(10);
    for (const name of row.names.split(/\s+/)) expect(name).toMatch(/^\*?[A-Za-z_0-9]+\*?$/);
  }
  const rows = [...SHELL_VARIABLES, ...PROGRAM_VARIABLES];
  for (const name of rows.flatMap(({ names }) => names.split(/\s+/))) {
    const example = name.replaceAll('*', 'X_');
    expect([example, decidesWhatRuns(example) || isBoundVariable(example)]).toEqual([example, true]);
  }
});

describe('the character set', () => {
  const at = (name: string, value: string) => [{ name, value }];

  it.each(['C', 'POSIX', 'C.UTF-8', 'C.utf8', 'en_US.UTF-8', 'de_DE.utf8', 'ca_ES.UTF-8@valencia', 'UTF-8', ''])(
    '%j is read like UTF-8',
    (value) => {
      expect(oddCharacterSet(at('LC_ALL', value), 'echo "日"')).toBeNull();
      expect(isSafeLocale('LC_ALL', value)).toBe(true);
    },
  );

  it.each([
    ...['zh_TW.BIG5', 'zh_CN.gbk', 'zh_CN.GB18030', 'ja_JP.SJIS', 'ko_KR.johab', 'zh_TW', 'zh_CN', 'japanese', 'de_DE'],
    ...['zh_TW.BIG5@UTF-8', './C.UTF-8', 'C/../zh_TW.BIG5', 'LC_CTYPE=zh_TW.BIG5;LC_TIME=C', 'x.UTF-8x', 'de_DE@euro'],
  ])('%j is read in another way than UTF-8, whichever variable names it', (value) => {
    for (const name of ['LC_ALL', 'LC_CTYPE', 'LANG']) {
      expect(oddCharacterSet([...at(name, value)], 'true')).toBe(name);
      expect(isSafeLocale(name, value)).toBe(false);
    }
    expect(oddCharacterSet([{ name: 'LANG', value }, ...at('LC_ALL', 'C.UTF-8')], 'true')).toBe('LANG');
  });

  it('with one byte for each character agrees with UTF-8 only on ASCII text', () => {
    expect(oddCharacterSet(at('LANG', 'de_DE.ISO-8859-1'), 'echo x')).toBeNull();
    expect(oddCharacterSet(at('LANG', 'de_DE.ISO-8859-1'), 'echo ä')).toBe('LANG');
  });

  it('is unknown if locales are in another directory, or if bash itself reports another', () => {
    expect(oddCharacterSet(at('LOCPATH', '/tmp/x'), 'true')).toBe('LOCPATH');
    expect(oddCharacterSet(at('character set', 'this shell'), 'true')).toBe('this shell');
  });

  it('is the one that bash uses: LC_ALL, then LC_CTYPE, then LANG', () => {
    expect(localeOf([...at('LANG', 'a'), ...at('LC_ALL', ''), ...at('LC_CTYPE', 'b')])).toBe('b');
    expect(localeOf([])).toBe('C');
  });
});

it('secrets, and values that are too long, stay on the host', () => {
  for (const [name, value] of [
    ['GH_TOKEN', 'x'],
    ['DATABASE_URL', 'postgres://me:word@db/x'],
    ['https_proxy', 'http://u:p@proxy:3128'],
    ['DATABASE_URL', 'postgres://me:wo/rd@db/x'],
    ['ORIGIN', 'https://ghp_x@git.example/x'],
    ['ORIGIN', 'https://x:@git.example/x'],
    ['DSN_URL', 'amqp://0123456789abcdef@mq'],
    ['MYSQL_PWD', 'x'],
    ['PGPASSWORD', 'x'],
    ['AWS_SECRET_ACCESS_KEY', 'x'],
  ] as const)
    expect([name, isSecret(name, value)]).toEqual([name, true]);
  for (const [name, value] of [
    ['PWD', '/w'],
    ['PATH', '/bin'],
    ['SSH_ASKPASS', '/usr/bin/ask'],
    ['DATABASE_URL', 'postgres://db:5432/x'],
    ['LESSKEY', '/x'],
    ['ORIGIN', 'ssh://git@git.example/x'],
    ['SSH_KEYS_DIR', '/x'],
  ] as const)
    expect([name, isSecret(name, value)]).toEqual([name, false]);
  expect(isTooLong('GIT_X', 'x'.repeat(20_000))).toBe(true);
  expect(isTooLong('BASH_FUNC_x%%', 'x'.repeat(20_000))).toBe(false);
});
