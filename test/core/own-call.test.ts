/** A call of our own programs is recognised only in exactly the form in which we write it. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  commandInFrame,
  gatedCall,
  guardLine,
  installationOfEveryUser,
  installationWords,
  isHookLineOf,
  looksLikeHookLine,
  readGatedCall,
  reportLine,
  timedGuardLine,
  withoutBlanks,
} from '../../src/core/grant/own-call.ts';
import { pathWithoutShims } from '../../src/core/harness/shim-path.ts';

const SHELL = '/opt/ape shell/bin/ape-shell';
const WORDS = ["HOME=/home/o'neil", 'APES_HOME=/opt/a b'];
const call = (command: string): string => gatedCall(SHELL, WORDS, command);
const commandIn = (text: string): string | null => readGatedCall(text, SHELL)?.command ?? null;

/** Gemini CLI 0.61.0 puts this text around every command. */
const framed = (command: string, file = '/tmp/gemini-shell-R5Y3Mr/bgpids.tmp'): string =>
  `shopt -u promptvars nullglob extglob nocaseglob dotglob; _bgpids_file=${file}\n(\n  trap 'jobs -p > "$_bgpids_file"' EXIT\n${command}\n)\n__code=$?\nexit $__code`;

/** Characters that are blanks for JavaScript, and parts of a word for bash; U+200B and U+2060 are invisible. */
const BLANK_ELSEWHERE = '\r\v\f\u0085\u00a0\u1680\u2000\u2003\u2007\u2028\u2029\u202f\u205f\u3000\ufeff\u200b\u2060';
const bashRuns = (text: string): boolean =>
  spawnSync('/bin/bash', ['-c', text], { env: { LC_ALL: 'C.UTF-8' }, stdio: 'ignore' }).status === 0;

describe('a gated call', () => {
  it('returns its command, whatever characters it has', () => {
    const texts = fc.string({ unit: fc.constantFrom("'", '\\', '"', '\n', '$', ' ', 'a', '`', 'é') });
    fc.assert(
      fc.property(texts, (text) => {
        expect(readGatedCall(call(text), SHELL)).toEqual({ installation: WORDS, command: text });
        expect(readGatedCall(gatedCall(SHELL, [], text), SHELL)).toEqual({ installation: [], command: text });
      }),
      { numRuns: 500 },
    );
  });

  it.each(['bash', 'dash', 'zsh', 'fish'])('is read alike by %s, if it is installed', (shell) => {
    const commands = [
      "x\\'; echo ran; #",
      '\\',
      "'",
      "\\\\''\\",
      'a\\\nb',
      "'\\'\\\\'; echo ran",
      '$x `id` "! {a,b} ~ *',
    ];
    for (const text of commands) {
      const { error, stdout } = spawnSync(shell, ['-c', gatedCall('/bin/echo', ['X=\\'], text)], { encoding: 'utf8' });
      if (error === undefined) expect(stdout).toBe(`--installation=X=\\ -c ${text}\n`);
    }
  });

  it('is not recognised if there is anything before, after or inside it', () => {
    const own = call('true');
    const posing = [
      `${own}; touch x`,
      `${own} && touch x`,
      `${own} touch`,
      `x=1 ${own}`,
      `${own}\ntouch x`,
      `touch x\n${own}`,
      `${own} > x`,
      `(${own})`,
      `${SHELL} -c 'true'`,
      `'${SHELL}' -lc 'true'`,
      `'${SHELL}' -c "true"`,
      `'${SHELL}' -c 'true''; touch x'`,
      `'${SHELL}' -c 'a'$(touch x)'b'`,
      `'./ape-shell' -c 'true'`,
      "'/opt/other/ape-shell' -c 'true'",
      `'${SHELL}' -c 'true`,
      `'${SHELL}' --installation=HOME=/x -c 'true'`,
      `'${SHELL}' '--installation=HOME=/x'  -c 'true'`,
      `'${SHELL}' '-l' -c 'true'`,
      `'${SHELL}' '--installation=HOME=/x' -c 'true' 'x'`,
      `'${SHELL}' '--installation=HOME=/x'$(touch x) -c 'true'`,
    ];
    expect(posing.filter((text) => commandIn(text) !== null)).toEqual([]);
  });

  it('is not recognised with any character before or after it, or in the frame of Gemini CLI', () => {
    const own = call('true');
    const around = Array.from({ length: 0x10000 }, (_, code) => String.fromCharCode(code));
    expect(around.filter((one) => commandIn(one + own) !== null || commandIn(own + one) !== null)).toEqual([]);
    expect(commandIn(framed(own))).toBeNull();
  });

  it('loses the blanks of bash around it, and no other character', () => {
    const own = call(' a ');
    expect(withoutBlanks(`\n \t${own}\t\n `)).toBe(own);
    expect([...BLANK_ELSEWHERE].filter((one) => withoutBlanks(one) === '')).toEqual([]);
    expect([' ', '\n\n', ''].map(withoutBlanks)).toEqual(['', '', '']);
    // bash itself says which of them it skips before a command.
    const skipped = [...` \t\n${BLANK_ELSEWHERE}`].filter((one) => bashRuns(`${one}'/bin/true'${one}`));
    expect(skipped).toEqual([' ', '\t', '\n']);
  });
});

describe('the frame of Gemini CLI', () => {
  it('returns its command, whatever random name it has', () => {
    for (const command of ['date > x', 'a\nb', 'echo )\n(', ' '])
      for (const file of ['/tmp/gemini-shell-R5Y3Mr/bgpids.tmp', '/tmp/gemini-shell-Zz0000/bgpids.tmp'])
        expect(commandInFrame(framed(command, file))).toBe(command);
  });

  it('is not recognised if it has any other text in it', () => {
    const own = framed('date');
    const posing = [
      `${own}\n`,
      `${own}; touch x`,
      `touch x; ${own}`,
      own.replace('jobs -p', 'touch x'),
      own.replace('nullglob', 'expand_aliases'),
      own.replace(' dotglob', ''),
      own.replace('; _bg', ';\r_bg'),
      own.replace('EXIT\n', 'EXIT \n'),
      'date',
      framed(''),
    ];
    expect(posing.filter((text) => commandInFrame(text) !== null)).toEqual([]);
  });

  it('is recognised with a file in the directory for temporary files, and with no other file', () => {
    const files = ['/var/tmp/gemini-shell-R5Y3Mr/bgpids.tmp', "'/srv/a b/gemini-shell-R5Y3Mr/bgpids.tmp'"];
    expect(files.map((file) => commandInFrame(framed('date', file)))).toEqual(['date', 'date']);
    const posing = [
      '/any/file',
      '$(touch x)',
      "'a';touch 'x'",
      "'$(touch x)'",
      '/tmp/gemini-shell-R5Y3Mr/bgpids.tmp2',
      '/tmp/gemini-shell-R5Y3Mr/../bgpids.tmp',
      '/tmp/gemini-shell-R5Y3M/bgpids.tmp',
      '/tmp/gemini-shell-R5Y3M\u00e9/bgpids.tmp',
      'tmp/gemini-shell-R5Y3Mr/bgpids.tmp',
      '/tmp/../etc/gemini-shell-R5Y3Mr/bgpids.tmp',
      "'/tmp/./gemini-shell-R5Y3Mr/bgpids.tmp'",
      "'/tmp//gemini-shell-R5Y3Mr/bgpids.tmp'",
      "'/tmp/\n/gemini-shell-R5Y3Mr/bgpids.tmp'",
      '/tmp/x /tmp/gemini-shell-R5Y3Mr/bgpids.tmp',
    ];
    expect(posing.filter((file) => commandInFrame(framed('date', file)) !== null)).toEqual([]);
  });
});

describe('a hook line', () => {
  const dist = "/opt/it's/dist";

  const values: Record<string, string> = {
    HOME: '/home/ada',
    XDG_STATE_HOME: '/s',
    XDG_DATA_HOME: 'relative',
    PATH: '/bin',
  };
  const variable = (name: string): string | undefined => values[name];
  const words = installationWords(variable);

  it('names the installation by exactly the variables that decide it', () => {
    expect(words).toEqual(['HOME=/home/ada', 'XDG_STATE_HOME=/s']);
    expect(installationWords(() => undefined)).toEqual(['HOME']);
    expect(installationOfEveryUser(variable)).toEqual(['HOME']);
    expect(installationOfEveryUser(() => '/srv/apes')).toEqual(['APES_HOME=/srv/apes', 'HOME']);
  });

  it('of this installation is recognised, and a similar line is not', () => {
    const guard = guardLine('/opt/x/dist/bin/hook-guard', 'codex', words);
    const known = (text: string): boolean => isHookLineOf(text, '/opt/x/dist', variable);
    expect(known(guard)).toBe(true);
    expect(known(reportLine('/opt/x/dist/bin/apes', 'codex', words))).toBe(true);
    const timed = timedGuardLine('/opt/x/dist/bin/deadline', '/opt/x/dist/bin/hook-guard', 'codex', words);
    expect(known(timed)).toBe(true);
    expect(known(timed.replace(/ \d+ /, ' 86000 '))).toBe(false);
    expect(known(timed.replace('/opt/x/dist/bin/deadline', '/tmp/deadline'))).toBe(false);
    expect(known(guardLine('/opt/x/dist/bin/hook-guard', 'codex', ['HOME']))).toBe(true);
    for (const other of [
      `${guard}; touch x`,
      guard.replace('exit 2', 'exit 0'),
      guard.replace('/opt/x', '/tmp'),
      guard.replace('/home/ada', '/home/eve'),
      guard.replace('HOME=', 'APES_HOME='),
      guardLine('/opt/x/dist/bin/hook-guard', 'codex', []),
    ])
      expect(known(other), other).toBe(false);
  });

  it('claims a missing or killed guard only on the condition that no reason was shown', () => {
    const deny = (script: string) =>
      spawnSync('/bin/sh', ['-c', guardLine('/bin/sh', '-c', [script])], { encoding: 'utf8' });
    const { status, stderr } = deny('echo REASON >&2; exit 2');
    expect({ status, lines: stderr.trim().split('\n') }).toEqual({
      status: 2,
      lines: [
        'REASON',
        expect.stringMatching(/^ape-shell: DENIED, nothing ran\. If no other reason is shown, the gate is missing/),
      ],
    });
    expect(deny('kill -9 $$').stderr).toMatch(/is missing or was killed/);
  });

  it('is written in the same way in the cases of the certification', () => {
    const cases = readFileSync(new URL('../../src/certify/cases/bash-by-path-cases.mjs', import.meta.url), 'utf8');
    const line = timedGuardLine('/dist/deadline', '/dist/hook-guard', 'codex', ['HOME']);
    expect(cases).toContain(line.slice(line.indexOf(' || {')));
  });

  it('of another version or copy can still be removed as ours; a line of the user cannot', () => {
    expect(looksLikeHookLine(guardLine(`${dist}/bin/hook-guard`, 'codex', words))).toBe(true);
    expect(looksLikeHookLine(timedGuardLine(`${dist}/bin/deadline`, `${dist}/bin/hook-guard`, 'codex', words))).toBe(
      true,
    );
    expect(looksLikeHookLine(reportLine(`${dist}/bin/apes`, 'claude-code', words))).toBe(true);
    expect(looksLikeHookLine("'/opt/x/dist/bin/hook-guard' codex || { echo 'as it was before' >&2; exit 2; }")).toBe(
      true,
    );
    expect(looksLikeHookLine("'/opt/x/dist/bin/apes' hooks report codex >/dev/null 2>&1 || exit 0")).toBe(true);
    expect(looksLikeHookLine('notify-send done')).toBe(false);
    expect(looksLikeHookLine("'/opt/x/hook-guard' codex || { echo 'a' >&2; exit 2; }; touch x")).toBe(false);
    expect(looksLikeHookLine("'/opt/x/hook-guard' codex || { echo x; }; touch x || { echo 'a' >&2; exit 2; }")).toBe(
      false,
    );
    expect(looksLikeHookLine("'/opt/x/apes' hooks report codex >x; touch x >/dev/null 2>&1 || exit 0")).toBe(false);
    expect(looksLikeHookLine("'/home/ada/hook-guard.sh' codex")).toBe(false);
  });
});

describe('the PATH of an approved command', () => {
  it('lacks the directories of shims, and is otherwise unchanged', () => {
    expect(pathWithoutShims('/a/ape-shell-shims:/usr/bin::/b/ape-shell-shims/')).toBe('/usr/bin:');
    expect(pathWithoutShims('/usr/bin:/my-ape-shell-shims-not')).toBe('/usr/bin:/my-ape-shell-shims-not');
  });
});
