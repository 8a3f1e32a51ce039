/** A harness is one folder, and some other places have to name the harness. Planted faults show that a missing place is found. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { AGENTS } from '../../src/certify/harnesses.mjs';
import { HARNESSES } from '../../src/core/harness/harnesses.ts';
import { installationOf } from '../../src/harness/harness-installations.ts';
import { findHarness, HARNESS_NAMES } from '../../src/harness/harnesses.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const folder = path.join(root, 'src/harness');
const EVERY_FOLDER = ['harness.ts', 'tools.ts', 'installation.ts'];
/** The name that stands for every agent without a folder here. */
const OUR_OWN_PROTOCOL = 'generic';

/**
 * Each place that has to name the harnesses, with the harnesses that it names.
 * @property files   the files in the folder of each harness
 * @property screens the harnesses whose screens we read
 * @property tried   the harnesses that `apes hooks certify` tries
 * @property page    the text of docs/harnesses.md
 */
interface Places {
  readonly files: Readonly<Record<string, readonly string[]>>;
  readonly screens: readonly string[];
  readonly tried: readonly string[];
  readonly page: string;
}

const foldersIn = (): Places['files'] =>
  Object.fromEntries(
    readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => [name, readdirSync(path.join(folder, name))] as const)
      // git leaves an empty folder if another version had files there.
      .filter(([, files]) => files.length > 0),
  );

const asTheyAre = (): Places => ({
  files: foldersIn(),
  screens: HARNESSES.map(({ name }) => name),
  tried: AGENTS.map(({ name }) => name),
  page: readFileSync(path.join(root, 'docs/harnesses.md'), 'utf8'),
});

const isTried = (name: string): boolean => name !== OUR_OWN_PROTOCOL && findHarness(name)?.isTried !== false;

function missing({ files, screens, tried, page }: Places): string[] {
  const wants = (name: string): readonly string[] => [...EVERY_FOLDER, ...(isTried(name) ? ['certify.mjs'] : [])];
  return [
    ...HARNESS_NAMES.flatMap((name) => [
      ...wants(name).flatMap((file) => (files[name]?.includes(file) ? [] : [`${name}: no ${file} in its folder`])),
      ...(screens.includes(name) ? [] : [`${name}: not in src/core/harness/harnesses.ts`]),
      ...(tried.includes(name) === isTried(name) ? [] : [`${name}: src/certify/harnesses.mjs and isTried differ`]),
      ...(new RegExp(`\`[^\`]*(?<![\\w-])${name}(?![\\w-])[^\`]*\``).test(page)
        ? []
        : [`${name}: not in docs/harnesses.md`]),
    ]),
    ...[...Object.keys(files), ...screens]
      .filter((name) => findHarness(name) === null)
      .map((name) => `${name}: not in src/harness/harnesses.ts`),
  ];
}

describe('a harness', () => {
  it('is in every place, and each place names no other harness', () => {
    expect(HARNESS_NAMES.length).toBeGreaterThan(10);
    expect(missing(asTheyAre())).toEqual([]);
    for (const name of HARNESS_NAMES) expect(installationOf(name), name).toBeDefined();
  });

  it('has no file of its own in src/certify', () => {
    const known = HARNESS_NAMES.filter((name) => name !== OUR_OWN_PROTOCOL);
    const files = readdirSync(path.join(root, 'src/certify'), { recursive: true, encoding: 'utf8' });
    expect(files.filter((file) => !file.startsWith('protocols/') && known.some((name) => file.includes(name)))).toEqual(
      [],
    );
  });
});

describe('the check', () => {
  const without = (list: readonly string[], name: string) => list.filter((one) => one !== name);
  const real = asTheyAre();

  it.each<[string, Partial<Places>, string]>([
    [
      'a file',
      { files: { ...real.files, pi: ['harness.ts', 'tools.ts', 'installation.ts'] } },
      'pi: no certify.mjs in its folder',
    ],
    ['a screen', { screens: without(real.screens, 'codex') }, 'codex: not in src/core/harness/harnesses.ts'],
    ['a trial', { tried: without(real.tried, 'kimi') }, 'kimi: src/certify/harnesses.mjs and isTried differ'],
    ['a row of the page', { page: real.page.replaceAll('hermes', 'x') }, 'hermes: not in docs/harnesses.md'],
    ['a name in the list', { files: { ...real.files, other: EVERY_FOLDER } }, 'other: not in src/harness/harnesses.ts'],
  ])('finds that %s is missing', (_, fault, line) => {
    expect(missing({ ...real, ...fault })).toEqual([line]);
  });
});
