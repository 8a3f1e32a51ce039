/** The host finds the project of a tool on a real disk, and the server judges by what the host has found. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { projectOf } from '../../src/gate/facts/project-of.ts';

let top: string;
beforeEach(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), 'ape-project-')));
  mkdirSync(join(top, 'a/b/c'), { recursive: true });
});
afterEach(() => rmSync(top, { recursive: true, force: true }));

const found = (names: string, home: string | null = null) =>
  projectOf(join(top, 'a/b/c'), names, home)?.slice(top.length) ?? null;

it('a name means the nearest folder that has one of its files, and nothing is found without such a file', () => {
  expect(found('Rakefile')).toBe(null);
  writeFileSync(join(top, 'Rakefile'), '1');
  expect(found('Rakefile')).toBe('');
  writeFileSync(join(top, 'a/rakefile'), '1');
  expect(found('Rakefile')).toBe('');
  expect(found('rakefile|Rakefile')).toBe('/a');
});

const place = (path: string) => join(top, 'a/b', path);
it.each<[string, string, () => void]>([
  ['a folder in place of a file', 'package.json', () => mkdirSync(place('package.json'))],
  ['a file in place of a folder', 'node_modules/', () => writeFileSync(place('node_modules'), '1')],
  ['a link that leads nowhere', 'package.json', () => symlinkSync('nowhere', place('package.json'))],
  [
    'a link, which may lead elsewhere for the tool',
    'package.json',
    () => symlinkSync('/proc/self/cwd/above-it.json', place('package.json')),
  ],
  ['a link to a folder', 'node_modules/', () => symlinkSync('/tmp', place('node_modules'))],
  ['an empty file, which some tools ignore', 'package.json', () => writeFileSync(place('package.json'), ' \n')],
])('%s does not end the search for %s, because the tool may go on upward', (_, names, make) => {
  make();
  expect(found(names)).toBe('/a/b');
  expect(found(`${names}|above-it.json`)).toBe('/a/b');
  writeFileSync(join(top, 'above-it.json'), '{}');
  expect(found(`${names}|above-it.json`)).toBe('');
});

it('a folder ends the search for a name with a slash', () => {
  mkdirSync(join(top, 'a/node_modules'));
  writeFileSync(join(top, 'package.json'), '{}');
  expect(found('package.json|node_modules/')).toBe('/a');
});

it('an escape in a file can be the text', () => {
  writeFileSync(join(top, 'package.json'), '{"work\\u0073paces":["a"]}');
  writeFileSync(join(top, 'a/package.json'), '{}');
  expect(found('package.json package.json:workspaces')).toBe('');
});

it('a file also starts the search: nothing is below it', () => {
  writeFileSync(join(top, 'a/b/x.js'), '');
  writeFileSync(join(top, 'a/package.json'), '{}');
  expect(projectOf(join(top, 'a/b/x.js'), 'package.json', null)).toBe(join(top, 'a'));
});

it('the highest of the folders counts', () => {
  writeFileSync(join(top, 'a/go.mod'), 'module x');
  writeFileSync(join(top, 'a/b/go.mod'), 'module x');
  writeFileSync(join(top, 'go.work'), 'go 1.22');
  expect(found('go.mod')).toBe('/a/b');
  expect(found('go.mod go.work')).toBe('');
});

it('a name with a text means the highest file with this text, and a name with a colon the highest file', () => {
  writeFileSync(join(top, 'package.json'), '{}');
  writeFileSync(join(top, 'a/package.json'), '{"workspaces":["b"]}');
  writeFileSync(join(top, 'a/b/package.json'), '{}');
  expect(found('package.json package.json:workspaces')).toBe('/a');
  expect(found('package.json:')).toBe('');
});

it('a file that cannot be read counts as having the text', () => {
  mkdirSync(join(top, 'package.json'));
  expect(found('package.json:workspaces')).toBe('');
});

it('a setting in the home directory is no project', () => {
  writeFileSync(join(top, 'a/.rubocop.yml'), 'a: b');
  mkdirSync(join(top, 'a/.venv'));
  expect(found('.rubocop.yml')).toBe('/a');
  expect(found('.rubocop.yml', join(top, 'a'))).toBe(null);
  expect(found('./.venv/', join(top, 'a'))).toBe('/a');
});
