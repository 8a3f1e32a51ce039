/**
 * Gives random texts of git's special characters to the git of this machine, and compares the settings that it reads with ours.
 *
 *   APE_TEST_GIT_SETTINGS=N APE_TEST_SEED=S npx vitest run --project fuzz test/fuzz/git-settings.test.ts
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type GitSetting, parseGitSettings } from '../../src/core/text/git-settings.ts';
import { type Random, seeded } from './random.ts';

const COUNT = Number(process.env['APE_TEST_GIT_SETTINGS'] ?? 1_000);
const SEED = Number(process.env['APE_TEST_SEED'] ?? 1);

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'ape-git-settings-'));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const FIXED = [
  '',
  '\ufeff[a]\nk = v',
  '\ufeff\ufeff[a]\nk = v',
  'k = v',
  '[user]\n name = x\\\\\n[filter "f"]\n clean = sh',
  '# remark \\\n[remote "o"] prune',
  '[a]k',
  '[a]k ; remark',
  '[a] k = "x # y" # z',
  '[a] k = x\\\r\n y\r\n',
  '[a] k = x\rz',
  '[a] k = x\r\r\n',
  '[a.B "C.d"] k-1 = ',
  '[.a] k',
  '[a.] k',
  '[ "a"] k',
  '[a ""] k',
  '[a "b\\"c\\\\\\d"] k',
  '[a "b\n"] k',
  '[a\n"b"] k',
  '[a "b" ] k',
  '[] k',
  '[a',
  '[a "b',
  '[a] k = "x',
  '[a] k = x\\',
  '[a] k = x\\q',
  '[a] 1 = x',
  '[a] k_ = x',
  '[a] k\u2028= x',
  '[a] k = x\u2028y\u2029z\u0085\u00a0\v\f',
  '\v[a] k',
];

const PIECES = [
  ...['[', ']', '"', '\\', '\\\\', '\\n', '\\t', '\\b', '\\"', '=', '#', ';', '.', '-', '_', '!'],
  ...[' ', '\t', '\r', '\n', '\r\n', '\\\n', '\\\r\n', '\v', '\f', '\u2028', '\u00a0', '\ufeff', 'ü'],
  ...['a', 'K', '7', 'key', '\nkey = ', ' = ', '[a]', '\n[b "C"]\n', '[d.E]', '[a "', '"]', '= "'],
];

/** Most texts begin as a text that git accepts, so that what comes after it is read too. */
function randomText(random: Random): string {
  const begin = random.pick(['', '[a]\n', '[b "C"]', '[a]key', '[a]key=', '[a]\nkey = x', '[a] key = "', '[a "']);
  return begin + Array.from({ length: random.below(9) }, () => random.pick(PIECES)).join('');
}

/** A git before 2.45 turns a blank in the middle of a value into a space. So a blank is here a space, also in quotes. */
const withSpaces = (entry: string): string => entry.replace(/[\t\r]/g, ' ');

/** Returns the name and the value in the form of `git config --list -z`. */
function shown({ section, subsection, key, value }: GitSetting): string {
  const name = [...(section === '' && subsection === null ? [] : [section]), subsection ?? [], key].flat().join('.');
  return withSpaces(`${name}${value === null ? '' : `\n${value}`}`);
}

/** Returns for each file what git lists. One git reads all files, so it fails if it refuses one of them. */
function listedByGit(paths: readonly string[]): readonly (readonly string[])[] {
  const all = join(directory, 'all');
  writeFileSync(all, paths.map((path) => `[include]\npath = ${path}\n`).join(''));
  const words = ['config', '--file', all, '--includes', '--list', '--show-origin', '-z'];
  const { stdout, stderr, status } = spawnSync('git', words, { encoding: 'utf8', maxBuffer: 1 << 28 });
  expect(status, stderr).toBe(0);
  const listed = new Map<string, string[]>(paths.map((path) => [`file:${path}`, []]));
  const parts = stdout.split('\0');
  for (let at = 0; at + 1 < parts.length; at += 2) listed.get(parts[at] ?? '')?.push(withSpaces(parts[at + 1] ?? ''));
  return [...listed.values()];
}

/** Returns the files that git reads without an error. */
function acceptedByGit(paths: readonly string[]): readonly string[] {
  const script = 'for f; do git config --file "$f" --list >/dev/null 2>&1 && echo "$f"; done; true';
  const { stdout, status } = spawnSync('/bin/sh', ['-c', script, 'sh', ...paths], { encoding: 'utf8' });
  expect(status).toBe(0);
  return stdout.split('\n').slice(0, -1);
}

it('we read the settings that git reads, and refuse the texts that git refuses', () => {
  const random = seeded(SEED * 7919);
  const texts = [...FIXED, ...Array.from({ length: COUNT }, () => randomText(random))];
  const read = texts.map((text, at) => {
    const path = join(directory, String(at));
    writeFileSync(path, text);
    return { text, path, settings: parseGitSettings(text) };
  });
  const refused = read.filter(({ settings }) => settings === null);
  const accepted = read.filter(({ settings }) => settings !== null);
  expect(refused.length).toBeGreaterThan(COUNT / 10);
  expect(accepted.length).toBeGreaterThan(COUNT / 10);

  const wrong = acceptedByGit(refused.map(({ path }) => path));
  expect(refused.filter(({ path }) => wrong.includes(path)).map(({ text }) => text)).toEqual([]);
  const listed = listedByGit(accepted.map(({ path }) => path));
  expect(accepted.map(({ text, settings }) => [text, (settings ?? []).map(shown)])).toEqual(
    accepted.map(({ text }, at) => [text, listed[at]]),
  );
});
