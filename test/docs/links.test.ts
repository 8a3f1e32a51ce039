/** Every link in the documents has a target, every path of the project that they name exists, and each page says what it is for. */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { codeSpansOf, type Document, ROOT, readDocument, readDocuments } from './markdown.ts';

const documents = readDocuments();

function brokenLinks(document: Document, all: readonly Document[]): readonly string[] {
  return document.links
    .filter(({ target }) => !/^(?:https?|mailto):/.test(target))
    .filter(({ target }) => !leadsSomewhere(document, target, all))
    .map(({ line, target }) => `${document.name}:${line}: ${target}`);
}

function leadsSomewhere(document: Document, target: string, all: readonly Document[]): boolean {
  const [file = '', anchor = ''] = target.split('#');
  const name = file === '' ? document.name : path.normalize(path.join(path.dirname(document.name), file));
  if (name.startsWith('..') || (file !== '' && !existsSync(path.join(ROOT, name)))) return false;
  return anchor === '' || (all.find((each) => each.name === name)?.anchors.has(anchor) ?? false);
}

/** Returns missing files and folders of this project that code spans name. If a name has a placeholder, its folder has to exist. */
const missingPaths = (document: Document): readonly string[] =>
  codeSpansOf(document)
    .filter((code) => /^(?:src|test|bin|scripts|docs|\.ci|\.github)\/[\w./*-]*$/.test(code))
    .filter((code) => !existsSync(path.join(ROOT, code.replace(/[^/]*(?:\*|NAME|TOOL|VERB).*$/, ''))))
    .map((code) => `${document.name}: ${code}`);

it('every link and anchor has a target', () => {
  expect(documents.length).toBeGreaterThan(20);
  expect(documents.flatMap(({ links }) => links).length).toBeGreaterThan(60);
  expect(documents.flatMap((document) => brokenLinks(document, documents))).toEqual([]);
});

it('every path of the project that a document names exists', () => {
  expect(documents.flatMap(missingPaths)).toEqual([]);
});

it('each page is linked from the README, directly or by other pages', () => {
  const reached = new Set(['README.md']);
  for (const name of reached)
    for (const { target } of documents.find((document) => document.name === name)?.links ?? [])
      if (/\.md(?:#|$)/.test(target) && !/^https?:/.test(target))
        reached.add(path.normalize(path.join(path.dirname(name), target.split('#')[0] ?? '')));
  expect(documents.map(({ name }) => name).filter((name) => !reached.has(name))).toEqual([]);
});

it('each page of docs/ starts with what the reader can do after it', () => {
  const pages = documents.filter(({ name }) => /^docs\/[\w-]+\.md$/.test(name));
  expect(pages.length).toBeGreaterThan(12);
  expect(
    pages.filter(({ text }) => !/^# .+\n\n\*\*After this page you can\*\* /.test(text)).map(({ name }) => name),
  ).toEqual([]);
});

it('the README has at most 200 lines', () => {
  expect(readFileSync(path.join(ROOT, 'README.md'), 'utf8').split('\n').length - 1).toBeLessThanOrEqual(200);
});

it('the check finds a missing file, a missing anchor, a path outside of the project and a path that does not exist', () => {
  const text =
    '# A b: `c`\n[a](#a-b-c) [b](#gone) [c](gone.md) [d](../x.md) [e](LICENSE) `[f](code)` `src/gone.ts` `src/core/`\n';
  const planted = readDocument('X.md', text);
  expect(brokenLinks(planted, [planted])).toEqual(['X.md:2: #gone', 'X.md:2: gone.md', 'X.md:2: ../x.md']);
  expect(missingPaths(planted)).toEqual(['X.md: src/gone.ts']);
  expect(readDocument('X.md', '# a\n# a\n').anchors).toEqual(new Set(['a', 'a-1']));
  expect(() => readDocument('X.md', '```\nx\n')).toThrow('does not end');
});
