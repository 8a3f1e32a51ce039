/** Which lines run without a grant: lines that leave the shell, and some calls of our own program. */
import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decide, plainWords } from '../../src/core/grant/decision.ts';

const ourProgram = (line: string) => decide({ words: plainWords(line), isOurs: true, isRedefined: false }).kind;
const anotherProgram = (line: string) => decide({ words: plainWords(line), isOurs: false, isRedefined: false }).kind;

describe('a line needs no grant', () => {
  it.each(['exit', 'exit 3', 'exit 255', ' exit ', 'logout'])('if it leaves the shell: %j', (line) => {
    expect(anotherProgram(line)).toBe('leave');
  });

  it.each([
    'apes grants list',
    'apes grants show g_x',
    'apes grants status g_x --json',
    'apes grants run g_x --wait',
    'apes grants withdraw g_x',
    'apes health',
    'apes health --json',
    'apes whoami',
    'apes explain -- rm -rf /',
    'apes explain --json -- git log',
    'apes workflow list',
    'apes workflow show denied',
    'apes --version',
  ])('if it calls our own program for control, but not another program of that name: %j', (line) => {
    expect(ourProgram(line)).toBe('self-control');
    expect(anotherProgram(line)).toBe('ask');
  });
});

describe('a line needs a grant', () => {
  it.each([
    'apes',
    'apes grants',
    'apes grants approve g_x',
    'apes grants deny g_x',
    'apes grants revoke g_x',
    'apes grants inbox',
    'apes session start -- vim',
    'apes sessions attach s_x',
    'apes sessions kill s_x',
    'apes sessions watch s_x',
    'apes sessions show s_x', // another session's screen
    'apes sessions list', // other sessions' programs, directories, titles
    'apes send s_x hello',
    'apes nudge s_x',
    'apes grants --help approve',
    'apes up',
    'apes down',
    'apes serve',
    'apes owner link',
    'apes owner key create --here',
    'apes login http://x',
    'apes logout',
    'apes shell uninstall',
    'apes run -- rm x',
    'apes workflow',
    'apes constructor',
    'apes __proto__ x',
    'apes toString list',
  ])('even if it calls our own program: %j', (line) => {
    expect(ourProgram(line)).toBe('ask');
  });

  it.each([
    'exit 3 4',
    'exit $X',
    'exit 1000',
    'exit; rm x',
    'exit\nrm x',
    'exit -1',
    'apes whoami; rm x',
    'apes whoami && rm x',
    'apes explain -- ls; rm x',
    'apes explain $(rm x)',
    'apes whoami | sh',
    'apes whoami > /etc/x',
    'apes whoami $(rm x)',
    'apes whoami `rm x`',
    'apes whoami\nrm x',
    'apes whoami\rrm x',
    'apes whoami &',
    'apes whoami #',
    'X=1 apes whoami',
    'apes "whoami"',
    'apes w*',
    'apes {whoami,x}',
    '~/apes whoami',
    'apes whoami ~',
    '! apes whoami',
    'apes whoami \u00a0',
    'apes whoami \u2028rm',
    '',
  ])('if it is not a plain command: %j', (line) => {
    expect(ourProgram(line)).toBe('ask');
  });

  it('if its first word was redefined', () => {
    for (const line of ['exit', 'apes whoami', 'logout'])
      expect(decide({ words: plainWords(line), isOurs: true, isRedefined: true }).kind).toBe('ask');
  });
});

describe('the words of a plain command', () => {
  it('are found in time that grows with the length of the line, however many blanks it has', () => {
    const start = performance.now();
    expect(plainWords(`cat a${' \t'.repeat(50_000)}.env`)).toEqual(['cat', 'a', '.env']);
    expect(plainWords(`cat a${' '.repeat(100_000)};`)).toBeNull();
    expect(performance.now() - start).toBeLessThan(1000);
  });

  it('are the words that bash makes of the command, and the command has no other effect', () => {
    const unit = fc.constantFrom(...'ab1-_./=:,@%+ \t$`\'"\\;|&<>(){}[]*?!~#\n'.split(''));
    const lines = fc.sample(fc.string({ unit, minLength: 1, maxLength: 14 }), 6000);
    const plain = lines.flatMap((line) => {
      const words = plainWords(line);
      return words === null ? [] : [{ line, words }];
    });
    expect(plain.length).toBeGreaterThan(100);
    const script = plain.map(({ line }) => `printf '%s\\n' - ${line}`).join('\n');
    const run = spawnSync('/bin/bash', ['--norc'], { input: script, encoding: 'utf8', env: {}, cwd: '/' });
    expect(run.stderr).toBe('');
    expect(run.stdout).toBe(plain.map(({ words }) => `${['-', ...words].join('\n')}\n`).join(''));
  });
});
