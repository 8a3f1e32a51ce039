/** The completions and the man pages of the package have all verbs, and are well-formed. */
import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { newProgram } from '../../src/cli/commander.ts';
import type { CliContext } from '../../src/cli/context.ts';
import { buildProgram } from '../../src/cli/program.ts';
import { helpOf } from './apes-calls.ts';
import { ROOT, readDocument, tableRows } from './markdown.ts';

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

/** Where the package has the completion of each shell. */
const FILES = {
  bash: 'bash-completion/completions/apes',
  zsh: 'zsh/site-functions/_apes',
  fish: 'fish/vendor_completions.d/apes.fish',
};

describe('the completions', () => {
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
  const uncalled = { version: '0', settle: () => async () => undefined } as unknown as CliContext;
  const whole = actingVerbs(buildProgram(uncalled));

  it('is an option of every verb that the page does not name as one without, with a reason', () => {
    expect(whole.length).toBeGreaterThan(90);
    const name = 'docs/command-line.md';
    const page = readDocument(name, readFileSync(path.join(ROOT, name), 'utf8'));
    const rows = tableRows(page, 'verb without `--json`');
    const named = rows.flatMap(([verbs = '']) => [...verbs.matchAll(/`([^`]+)`/g)].map(([, verb = '']) => verb));
    expect(withoutJson(whole).sort()).toEqual([...named].sort());
    for (const [verbs, reason = ''] of rows) expect(reason, verbs).toMatch(/^\w.{20,}$/);
  });

  it('is missed in a verb that has no sub-verbs, that is hidden, or that acts beside its sub-verbs', () => {
    const program = newProgram('x');
    program.command('leaf');
    program.command('has').option('--json', '');
    program.command('hidden', { hidden: true });
    program.command('noun').command('below <id>');
    program.command('both [file]').command('below').option('--json', '');
    expect(withoutJson(actingVerbs(program))).toEqual(['leaf', 'hidden', 'noun below', 'both']);
  });

  it.each(Object.keys(FILES))('of the completion for %s is the envelope with this completion', (shell) => {
    const printed = JSON.parse(execFileSync(APES, ['completion', shell, '--json'], { encoding: 'utf8' })) as unknown;
    const text = execFileSync(APES, ['completion', shell], { encoding: 'utf8' });
    expect(printed).toEqual({ ok: true, data: { shell, text } });
  });
});

/** A verb that does something itself, with its words after `apes`. */
interface ActingVerb {
  readonly path: string;
  readonly command: Command;
}

/** Lists the verbs that act, also hidden ones. A noun such as `grants` does not act; `plan` acts on a file, and has verbs below it too. */
function actingVerbs(command: Command, path: readonly string[] = []): readonly ActingVerb[] {
  const isActing = command.commands.length === 0 || command.registeredArguments.length > 0;
  const below = command.commands.flatMap((inner) => actingVerbs(inner, [...path, inner.name()]));
  return isActing ? [{ path: path.join(' '), command }, ...below] : below;
}

const withoutJson = (verbs: readonly ActingVerb[]): string[] =>
  verbs.filter(({ command }) => !command.options.some(({ long }) => long === '--json')).map(({ path }) => path);
