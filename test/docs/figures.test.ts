/** Compares figures in the documents with what they count, and checks example files with the code that reads such files. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { removeDirectory } from '../../scripts/remove-directory.mjs';
import { loadRules } from '../../src/platform/rule-files.ts';
import { BATTERY } from '../terminal/battery.ts';
import { KNOWN_DIFFERENCES } from '../terminal/known-differences.ts';
import { ROOT, readDocuments, tableRows } from './markdown.ts';

const documents = readDocuments();
const entries = (folder: string, ending: string): readonly string[] =>
  readdirSync(path.join(ROOT, folder)).filter((name) => name.endsWith(ending));
const textOf = (name: string): string => readFileSync(path.join(ROOT, name), 'utf8');

const lines = (text: string): number => text.split('\n').length - 1;

/** Returns each number between `lead` and `what` in a document. */
const figuresOf = (what: RegExp, lead = ''): readonly number[] =>
  documents.flatMap(({ prose }) =>
    [...prose.replace(/\n/g, ' ').matchAll(new RegExp(`${lead}([\\d,]+) ${what.source}`, 'g'))].map(([, figure = '']) =>
      Number(figure.replaceAll(',', '')),
    ),
  );

/** Expects that the real number is over the figure, but not so far over that the figure is out of date. */
function expectOver(figures: readonly number[], real: number, step: number): void {
  expect(figures.length).toBeGreaterThan(0);
  for (const figure of figures) {
    expect(real).toBeGreaterThan(figure);
    expect(real - figure).toBeLessThan(step);
  }
}

describe('figures', () => {
  it('of rule files are true', () =>
    expectOver(figuresOf(/(?:of them are built in|rule files)/, 'over '), entries('src/rules', '.toml').length, 40));

  it('of lines in the corpus are true', () => {
    const lines = entries('test/corpus', '.toml').flatMap(
      (name) => textOf(`test/corpus/${name}`).match(/^text = /gm) ?? [],
    );
    expectOver(figuresOf(/command lines, each/, 'over '), lines.length, 200);
  });

  it('of the sources and the README after the restructuring are true within a tenth', () => {
    const sources = readdirSync(path.join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !name.endsWith('.d.ts'))
      .map((name) => lines(textOf(`src/${name}`)));
    const readme = textOf('README.md');
    const rows = textOf('docs/evidence.md');
    const figuresIn = (row: RegExp): readonly number[] =>
      (rows.match(row) ?? []).slice(1).map((figure) => Number(figure.replaceAll(',', '')));
    const written = [
      ...figuresIn(/^\| files, lines \|[^|]*\| ([\d,]+), ([\d,]+) \|$/m),
      ...figuresIn(/^\| README \|[^|]*\| ([\d,]+) lines, ([\d,]+) words \|$/m),
    ];
    const counted = [
      sources.length,
      sources.reduce((sum, each) => sum + each, 0),
      lines(readme),
      readme.split(/\s+/).filter((word) => word !== '').length,
    ];
    expect(written.map((figure, at) => Math.abs(figure / (counted[at] ?? 0) - 1) < 0.1)).toEqual(
      counted.map(() => true),
    );
  });

  it('of behaviours compared with plain bash, and the table of differences, are true', () => {
    const figures = figuresOf(/behaviours/);
    expect(figures.length).toBeGreaterThan(1);
    expect(new Set(figures)).toEqual(new Set([Object.keys(BATTERY).length]));
    const page = documents.filter(({ name }) => name === 'docs/differences-from-bash.md');
    const rows = page.flatMap((document) => tableRows(document, 'behaviour'));
    // One row is about `:word`, for which bash has nothing to compare.
    expect(rows.length).toBe(Object.keys(KNOWN_DIFFERENCES).length + 1);
  });
});

it('the program accepts the rule file in the documents, with its examples', async () => {
  const examples = documents
    .filter(({ name }) => name === 'docs/rules-and-scopes.md')
    .flatMap(({ fences }) => fences)
    .filter(({ language }) => language === 'toml')
    .map(({ lines }) => lines.join('\n'));
  expect(examples).toHaveLength(1);
  expect(await loadedWith(examples[0] ?? '')).toBeNull();
  // A rule file is refused if one of its examples does not agree with its rules.
  expect(await loadedWith((examples[0] ?? '').replace('write service web"]', 'write service other"]'))).toMatch(
    /is deploy: high, .*write service web/,
  );
});

/** Returns null if the rules load, otherwise the message of the refusal. */
async function loadedWith(ruleFile: string): Promise<string | null> {
  const directory = mkdtempSync(path.join(tmpdir(), 'ape-docs-'));
  try {
    mkdirSync(path.join(directory, 'rules.d'), { mode: 0o700 });
    writeFileSync(path.join(directory, 'rules.d/own.toml'), ruleFile, { mode: 0o600 });
    const rules = await loadRules(path.join(ROOT, 'dist'), path.join(directory, 'config.toml'));
    return rules.ok ? null : rules.failure.message;
  } finally {
    removeDirectory(directory);
  }
}
