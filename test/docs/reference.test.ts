/** The completions and the man pages of the package have all verbs, and are well-formed. */
import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { helpOf } from './apes-calls.ts';
import { ROOT } from './markdown.ts';

const PAGES = path.join(ROOT, 'dist/share/man/man1');
const APES = path.join(ROOT, 'dist/bin/apes');
const pages = readdirSync(PAGES);
const nouns = helpOf([]).verbs.filter((verb) => !['session', 'help', 'version'].includes(verb));
const textOf = (page: string): string => readFileSync(path.join(PAGES, page), 'utf8');
/** Returns a word as roff has it. */
const roff = (text: string): string => text.replaceAll('-', '\\-');

describe('the man pages', () => {
  it('exist for each program and verb, and the package installs each', () => {
    const wanted = ['ape-shell.1', 'apes.1', ...nouns.map((noun) => `apes-${noun}.1`)].sort();
    expect([...pages].sort()).toEqual(wanted);
    const { man } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as { man: readonly string[] };
    expect([...man].sort()).toEqual(wanted.map((page) => `dist/share/man/man1/${page}`));
  });

  it.each(pages)('%s gives no warning from mandoc or groff', (page) => {
    const linted = spawnSync('mandoc', ['-Tlint', '-Wwarning', path.join(PAGES, page)], { encoding: 'utf8' });
    expect(linted.stdout + linted.stderr).toBe('');
    const shown = spawnSync('man', ['--warnings=w', '-E', 'UTF-8', '-l', path.join(PAGES, page)], { encoding: 'utf8' });
    expect({ status: shown.status, err: shown.stderr }).toEqual({ status: 0, err: '' });
    expect(shown.stdout).toMatch(/^NAME\n +ape/m);
  });

  it('have every verb and every option of the help', () => {
    const missing: string[] = [];
    for (const noun of nouns) {
      const text = textOf(`apes-${noun}.1`);
      const below = helpOf([noun]).verbs.filter((verb) => verb !== 'help');
      for (const verb of below.length === 0 ? [[noun]] : below.map((name) => [noun, name]))
        for (const option of ['', ...helpOf(verb).options])
          if (option !== '--help' && !text.includes(roff(option === '' ? verb.join(' ') : option)))
            missing.push(`${verb.join(' ')} ${option}`);
    }
    expect(missing).toEqual([]);
  });

  it('of the shell has the text of its --help', () => {
    const help = execFileSync(path.join(ROOT, 'dist/bin/ape-shell'), ['--help'], { encoding: 'utf8' });
    const options = [...help.matchAll(/^ {2}(-[^ ]+(?:, --\w+)?)/gm)].map(([, option = '']) => option);
    expect(options.length).toBeGreaterThan(3);
    for (const option of options) expect(textOf('ape-shell.1')).toContain(roff(option));
  });
});

describe('the completions', () => {
  const FILES = {
    bash: 'bash-completion/completions/apes',
    zsh: 'zsh/site-functions/_apes',
    fish: 'fish/vendor_completions.d/apes.fish',
  };

  it.each(Object.entries(FILES))(
    'for %s are what `apes completion` prints, and that shell can read them',
    (shell, file) => {
      const place = path.join(ROOT, 'dist/share', file);
      expect(execFileSync(APES, ['completion', shell], { encoding: 'utf8' })).toBe(readFileSync(place, 'utf8'));
      const read = spawnSync(shell, ['-n', place], { encoding: 'utf8' });
      expect({ status: read.status, err: read.stderr }).toEqual({ status: 0, err: '' });
    },
  );

  it.each(Object.entries(FILES))('for %s have every verb and option', (_, file) => {
    const text = readFileSync(path.join(ROOT, 'dist/share', file), 'utf8');
    const missing = nouns.flatMap((noun) =>
      [noun, ...helpOf([noun]).verbs.filter((verb) => verb !== 'help')].flatMap((verb) =>
        [verb, ...(verb === noun ? [] : helpOf([noun, verb]).options)].filter(
          (word) => !text.includes(word.replace(/^--/, '')),
        ),
      ),
    );
    expect(missing).toEqual([]);
  });

  it('exist for no other shell', () => {
    const { status, stdout, stderr } = spawnSync(APES, ['completion', 'tcsh'], { encoding: 'utf8' });
    expect({ status, stdout, stderr }).toEqual({
      status: 64,
      stdout: '',
      stderr: 'apes: there is no completion for tcsh; write bash, zsh or fish\n',
    });
  });
});

describe('--json', () => {
  /** Verbs that print no data of their own: servers, a completion, a report, and the screen of another program. */
  const WITHOUT = ['serve', 'mcp', 'mcp-proxy', 'acp', 'gate', 'completion', 'hooks report', 'sessions attach'];

  it('is an option of every other verb', () => {
    const whole = nouns.flatMap((noun) => {
      const below = helpOf([noun]).verbs.filter((verb) => verb !== 'help');
      return below.length === 0 ? [[noun]] : below.map((verb) => [noun, verb]);
    });
    const leaves = whole.flatMap((verb) => {
      const below = helpOf(verb).verbs.filter((name) => name !== 'help' && verb[0] === 'owner');
      return below.length === 0 ? [verb] : below.map((name) => [...verb, name]);
    });
    const lacking = leaves.filter((verb) => !helpOf(verb).options.has('--json')).map((verb) => verb.join(' '));
    expect(lacking.sort()).toEqual([...WITHOUT].sort());
  });
});
