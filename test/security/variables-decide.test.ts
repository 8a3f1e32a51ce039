// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are bash
/** Threat: variables that decide what runs, and character sets in which bash reads another line than the approver was shown. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GatedStage } from './gated-stage.ts';

const stage = new GatedStage();
/** The directory of our own locales. */
let locales = '';
const canary = (): string => join(stage.scratch, 'work', 'canary');
/** BIG5 and GBK read the last byte of the character and the backslash as one character, so the quote ends early. */
const hidden = (): string => `echo "日\\"; touch ${canary()}; #"`;
const inGbk = (): string => `echo "中\\"; touch ${canary()}; echo \\"中\\""`;

beforeAll(async () => {
  await stage.open();
  locales = join(stage.scratch, 'locales');
  execFileSync('mkdir', ['-p', locales]);
  for (const [source, set, name] of [
    ['zh_TW', 'BIG5', 'zh_TW.BIG5'],
    ['zh_CN', 'GBK', 'zh_CN.gbk'],
  ] as const)
    execFileSync('localedef', ['-c', '-i', source, '-f', set, join(locales, name)], { stdio: 'ignore' });
  for (const [ask, as] of [
    [`ape-shell -c 'ls -la'`, 'reading-any'],
    [`ape-shell -c 'echo hi > out.txt'`, 'operation'],
  ] as const) {
    const asked = await stage.run(ask);
    const id = /g_[a-z2-7]{26}/.exec(asked.err)?.[0] ?? '';
    expect(await stage.run(`apes grants approve ${id} --term always --as ${as}`)).toMatchObject({ status: 0 });
  }
});
afterAll(() => stage.close());

const waitsForApproval = async (command: string): Promise<void> => {
  const asked = await stage.run(command);
  expect(asked.err).toContain('NOT RUN YET');
  expect(asked.status).toBe(75);
  expect(existsSync(canary())).toBe(false);
};

it('without a gate, bash reads another line in these locales, which proves that the attack works', () => {
  for (const [name, line] of [
    ['zh_TW.BIG5', hidden()],
    ['zh_CN.gbk', inGbk()],
  ] as const) {
    execFileSync('/bin/bash', ['-c', line], {
      env: { PATH: '/usr/bin:/bin', HOME: stage.scratch, LOCPATH: locales, LC_ALL: name },
    });
    expect(existsSync(canary())).toBe(true);
    execFileSync('rm', [canary()]);
  }
});

describe('a line that the standing grants are meant for runs at once', () => {
  it.each(['ls -la', 'echo more > out.txt', 'ls -la; echo x > out.txt', 'LC_ALL=C ls', 'LC_ALL=C.UTF-8 LANG=C ls -la'])(
    '%s runs without a question',
    async (line) => {
      expect(await stage.run(`ape-shell -c '${line}'`)).toMatchObject({ status: 0 });
    },
  );
});

describe('bash computes variables whose names a line has without `$`', () => {
  const evil = (): string => `'a[$(touch ${canary()})0]'`;

  it.each([
    '[[ v -eq 1 ]]',
    '((v > 3)) && ls',
    'echo ${b[v]}',
    'x=abc; echo ${x:v:1}',
    '[[ "v" -eq 1 ]]',
    "[[ $'\\x76' -eq 1 ]]",
    "[[ $'\\x{76}' -eq 1 ]]",
    'let v',
    'declare -i n=v',
    'for ((; v; )); do break; done',
  ])('so an approval of exactly `%s` does not cover it with another value', async (line) => {
    const file = stage.file('line', line);
    const call = `ape-shell -c "$(cat ${file})"`;
    await stage.approved(call, 'always');
    expect((await stage.run(call)).err).not.toContain('NOT RUN');
    await waitsForApproval(`v=${evil()} ${call}`);
    const once = await stage.approved(`apes run -- bash -c "$(cat ${file})"`, 'always');
    expect(await stage.run(`v=${evil()} apes run -- bash -c "$(cat ${file})"`)).toMatchObject({ status: 75 });
    await stage.run(`v=${evil()} apes grants run ${once}`);
    expect(existsSync(canary())).toBe(false);
  });

  it('so the approval also binds a variable that such a value names', async () => {
    const call = `ape-shell -c '[[ v -eq 1 ]]'`;
    const id = await stage.approved(`v=w+1 ${call}`, 'always');
    await waitsForApproval(`v=w+1 w=${evil()} ${call}`);
    await stage.run(`v=w+1 w=${evil()} apes grants run ${id}`);
    expect(existsSync(canary())).toBe(false);
  });
});

describe('bash builds the name of a variable at run time', () => {
  const evil = (): string => `'z[$(touch ${canary()})0]'`;

  it.each(['[[ $a$b -eq 1 ]]', 'n=${a}_; n=${n%_}$b; echo ${!n} $((n))', 'e${none}val "(( \\$$a$b ))"'])(
    'so an approval of exactly `%s` covers it only in the same environment',
    async (line) => {
      const file = stage.file('line', line);
      const call = (values: string) => `env ${values} ape-shell -c "$(cat ${file})"`;
      const id = await stage.approved(call('a=x b=y'), 'always');
      expect((await stage.run(call('a=x b=y'))).err).not.toContain('NOT RUN');
      expect((await stage.run(call('a=x b=y SSH_TTY=/dev/pts/9 OLDPWD=/usr'))).err).not.toContain('NOT RUN');
      await waitsForApproval(call(`a=x b=y xy=${evil()}`));
      await waitsForApproval(call(`a=SSH_ b=TTY SSH_TTY=${evil()}`));
      await stage.run(`env a=x b=y xy=${evil()} apes grants run ${id}`);
      expect(existsSync(canary())).toBe(false);
    },
  );
});

describe('an approval of exactly a line binds where the line goes, and what its arguments name', () => {
  beforeAll(() => stage.run('mkdir -p one two real/sub other && ln -s $PWD/real/sub other/link'));

  it.each([
    ['OLDPWD=$PWD/one', 'OLDPWD=$PWD/two', `ape-shell -c 'cd - && mkdir -p made'`, 'work/one'],
    ['OLDPWD=$PWD/one', 'OLDPWD=$PWD/two', `ape-shell -c 'cd ~- && mkdir -p made && pwd'`, 'work/one'],
    ['cd real/sub;', 'cd other/link;', `ape-shell -c 'cd .. && mkdir -p made && pwd'`, 'work/real'],
    ['cd real/sub;', 'cd other/link;', `apes run -- bash -c 'cd .. && mkdir -p made && pwd'`, 'work/real'],
  ])('%s and %s are different for %s', async (first, second, call, leads) => {
    await stage.approved(`${first} ${call}`, 'always');
    const runs = await stage.run(`${first} ${call}`);
    expect(runs).toMatchObject({ status: 0 });
    expect(runs.out.trim()).toMatch(new RegExp(`${leads}$`));
    expect(await stage.run(`${second} ${call}`)).toMatchObject({ status: 75 });
  });

  it('a directory that was reached through a link is approved with this way, and a request that runs later goes it too', async () => {
    const call = `ape-shell -c 'cd .. && mkdir -p made; pwd -L'`;
    const id = await stage.approved(`cd other/link; ${call}`);
    const runs = await stage.run(`apes grants run ${id}`);
    expect(runs).toMatchObject({ status: 0 });
    expect(runs.out).toMatch(/work\/other\n/);
  });

  it('a stale PWD is not bound', async () => {
    const call = `ape-shell -c 'cd .. && mkdir -p ./made && pwd'`;
    await stage.approved(`cd real/sub; ${call}`, 'always');
    expect((await stage.run(`cd real/sub; PWD=/usr ${call}`)).out).toMatch(/work\/real\n/);
  });

  it.each([`ape-shell -c '[[ $1 -eq 1 ]]' _ v`, `ape-shell -c 'eval "$1"' _ 'echo $((v))'`])(
    '%s binds v',
    async (call) => {
      await stage.approved(call, 'always');
      expect((await stage.run(call)).err).not.toContain('NOT RUN');
      await waitsForApproval(`v='a[$(touch ${canary()})0]' ${call}`);
    },
  );

  it('and a caller chooses no first value of `$_`', async () => {
    const call = `ape-shell -c 'printf "%s\\n" "$_"; mkdir -p made'`;
    await stage.approved(call, 'always');
    expect((await stage.run(`env _=/chosen ${call}`)).out).toMatch(/\/bash\n$/);
  });
});

describe('bash reads a covered line as it was assessed', () => {
  it.each(['POSIX_PEDANTIC=1', 'POSIXLY_CORRECT=1', 'BASH_COMPAT=4.2', 'GLOBSORT=-name'])(
    'not with %s',
    async (set) => {
      await waitsForApproval(`${set} ape-shell -c 'ls -la'`);
    },
  );

  it('also where bash, as the first shell of a login by ssh, would run ~/.bashrc before it', async () => {
    await stage.run(`echo 'echo() { printf "re%s" defined; }' > $HOME/.bashrc`);
    const asked = await stage.run(`cd && ape-shell -c 'echo more; cat .bashrc'`);
    await stage.run(`apes grants approve ${/g_[a-z2-7]{26}/.exec(asked.err)?.[0]} --term always --as reading-any`);
    for (const level of ['-u SHLVL', 'SHLVL=0', 'SHLVL=999', 'SHLVL=x', 'SHLVL=7']) {
      const inBash = await stage.run(`cd && env ${level} SSH_CLIENT=x bash -c 'echo more; cat .bashrc'`);
      if (level !== 'SHLVL=7') expect([level, inBash.out]).toEqual([level, expect.stringMatching(/^redefined/)]); // the attack works
      const ran = await stage.run(`cd && env ${level} SSH_CLIENT=x ape-shell -c 'echo more; cat .bashrc'`);
      expect([level, ran.status, ran.out]).toEqual([level, 0, expect.stringMatching(/^more\n/)]);
    }
  });
});

describe('a line needs an approval in another character set', () => {
  it.each(['LC_ALL', 'LC_CTYPE', 'LANG'])('that %s names', async (name) => {
    await waitsForApproval(
      `unset LC_ALL LC_CTYPE LANG; LOCPATH=${locales} ${name}=zh_TW.BIG5 ape-shell -c '${hidden()}'`,
    );
    await waitsForApproval(`unset LC_ALL LC_CTYPE LANG; ${name}=zh_TW.BIG5 ape-shell -c '${hidden()}'`);
  });

  it.each([
    ['the line sets', () => `LC_ALL=zh_CN.gbk\n${inGbk()}`],
    ['the line exports', () => `export LC_ALL=zh_CN.gbk\n${inGbk()}`],
    ['the line declares', () => `declare -x LC_CTYPE=zh_CN.gbk\n${inGbk()}`],
    ['a loop sets', () => `for LANG in zh_CN.gbk; do :; done\n${inGbk()}`],
    ['the line reads', () => `read LC_ALL <<< zh_CN.gbk\n${inGbk()}`],
    ['the line sets by an expansion', () => `: \${LC_ALL:=zh_CN.gbk}\n${inGbk()}`],
    ['another bash gets', () => `LC_ALL=zh_CN.gbk bash -c '${inGbk().replaceAll("'", '')}'`],
    ['env gives', () => `env LC_ALL=zh_CN.gbk bash -c '${inGbk().replaceAll("'", '')}'`],
    ['a directory of locales may define', () => `LOCPATH=${locales} ls`],
  ])('that %s', async (_what, line) => {
    const file = stage.file('line', line());
    await waitsForApproval(`ape-shell -c "$(cat ${file})"`);
  });

  it('and the message names the character set', async () => {
    const asked = await stage.run(`LC_ALL=zh_TW.BIG5 ape-shell -c 'ls -la'`);
    expect(asked.err).toContain('character set');
  });
});

it('an exact grant in one character set does not cover the line in another one', async () => {
  const ask = `ape-shell -c 'mkdir -p made; ${hidden()}'`;
  await stage.approved(ask, 'always');
  expect(await stage.run(ask)).toMatchObject({ status: 0 });
  await waitsForApproval(`LC_ALL=zh_TW.BIG5 LOCPATH=${locales} ${ask}`);
});

/** A catalogue of gettext(3) that translates one text. */
function catalogueOf(original: string, translation: string): Buffer {
  const texts = [original, translation].map((text) => Buffer.from(`${text}\0`));
  const [first, second] = texts as [Buffer, Buffer];
  const head = Buffer.alloc(28 + 16);
  const words = [0x950412de, 0, 1, 28, 36, 0, 0, first.length - 1, 44, second.length - 1, 44 + first.length];
  for (const [at, word] of words.entries()) head.writeUInt32LE(word, at * 4);
  return Buffer.concat([head, first, second]);
}

it('LANGUAGE can name a catalogue whose texts bash expands as commands, so an exact grant covers only one value of it', async () => {
  const folder = join(stage.scratch, 'catalogues', 'LC_MESSAGES');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'libc.mo'), catalogueOf('unrecognized option', `$(touch ${canary()})`));
  const steered = `LC_ALL=C.UTF-8 LANGUAGE=../../..${join(stage.scratch, 'catalogues')}`;
  await stage.run(`${steered} ldd --nothing`);
  expect(existsSync(canary())).toBe(true); // without a gate the command runs, which proves that the attack works
  rmSync(canary());
  const ask = `ape-shell -c 'ldd --nothing'`;
  await stage.approved(`LC_ALL=C.UTF-8 ${ask}`, 'always');
  expect(await stage.run(`LC_ALL=C.UTF-8 ${ask}`)).toMatchObject({ status: 1 });
  await waitsForApproval(`${steered} ${ask}`);
});

describe('a line with a variable that decides what runs needs an approval', () => {
  it.each([
    'PERLLIB=/tmp/x',
    'MANPATH=/tmp/x',
    'MANROFFOPT=-U',
    'GROFF_BIN_PATH=/tmp/x',
    'DBUS_SYSTEM_BUS_ADDRESS=unixexec:path=/bin/sh',
    'APT_CONFIG=/tmp/x',
    'COMPILER_PATH=/tmp/x',
    'ZIPOPT=-T',
    'GNUMAKEFLAGS=--eval=x',
    'LESSKEYIN=/tmp/x',
    'DPKG_PAGER=id',
    'TCLLIBPATH=/tmp/x',
    'Npm_config_script_shell=/tmp/x',
    'GOCACHEPROG=id',
    'SOME_NEW_PAGER=id',
    'LEX=id',
  ])('%s in the environment, and exported in the line', async (assignment) => {
    await waitsForApproval(`${assignment.includes('.') ? '' : 'env '}${assignment} ape-shell -c 'ls -la'`);
    await waitsForApproval(`ape-shell -c 'export ${assignment}; ls -la; echo x > out.txt'`);
  });

  it('and a line that exports a variable of no table is not covered by a grant for redirections', async () => {
    await waitsForApproval(`ape-shell -c 'export SOMETHING_NEW=x; echo x > out.txt'`);
    await waitsForApproval(`ape-shell -c 'declare -x SOMETHING_NEW=x; echo x > out.txt'`);
    const shown = await stage.run(`apes explain -- 'export SOMETHING_NEW=x'`);
    expect(shown.out).toMatch(/write\s+variable\s+SOMETHING_NEW=x/);
  });

  it('although an exact grant covers it with another value', async () => {
    await stage.approved(`ape-shell -c 'mkdir -p made; true'`, 'always');
    expect(await stage.run(`ape-shell -c 'mkdir -p made; true'`)).toMatchObject({ status: 0 });
    await waitsForApproval(`PERLLIB=/tmp/x ape-shell -c 'mkdir -p made; true'`);
  });

  it('also if an interactive bash evaluates the variable before it reads its standard input', async () => {
    const ask = (more: string) => `echo 'true three' | ${more} ape-shell -i -s`;
    const id = await stage.approved(ask(''), 'always');
    expect(id).toMatch(/^g_/);
    await waitsForApproval(ask(`PROMPT_COMMAND='touch ${canary()}'`));
    await waitsForApproval(ask(`PS0='$(touch ${canary()})'`));
    await waitsForApproval(ask(`PS1='$(touch ${canary()})'`));
  });
});
