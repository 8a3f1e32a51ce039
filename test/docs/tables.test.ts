/** Tables in the documents agree with the code: exit statuses, settings, results of a send, promises and their tests, folders. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parse as parseToml } from 'smol-toml';
import { describe, expect, it } from 'vitest';
import { EXIT_STATUS } from '../../src/core/failure.ts';
import { SEND_ENDINGS } from '../../src/core/message/send-outcome.ts';
import { readSettings, SETTING_KEYS } from '../../src/core/settings.ts';
import { HARNESS_NAMES } from '../../src/harness/harnesses.ts';
import { codeSpansOf, type Document, ROOT, readDocument, readDocuments, tableRows } from './markdown.ts';

const documents = readDocuments();
const page = (name: string): Document => documents.find((each) => each.name === name) ?? readDocument(name, '');
const names = (text: string): readonly string[] => [...text.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);

/** Returns the statuses in a cell; `79–83` stands for five. */
function statusesIn(cell: string): readonly number[] {
  const [first = Number.NaN, last = first] = cell.split('–').map(Number);
  return Number.isNaN(first) ? [] : Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

describe('exit statuses', () => {
  const rows = tableRows(page('README.md'), 'status');
  const sendOnly = Object.values(SEND_ENDINGS)
    .map(({ exitStatus }) => exitStatus)
    .filter((status) => status > 78);

  it('in the README are those of the code', () => {
    const named = rows.flatMap(([status = '']) => statusesIn(status)).sort();
    expect(named).toEqual([...new Set([...Object.values(EXIT_STATUS), ...sendOnly])].sort());
  });

  it('in any document exist in the code', () => {
    const known = new Set([...Object.values(EXIT_STATUS), ...sendOnly, 0, 1, 2]);
    const named = documents.flatMap(({ name, prose }) =>
      [...prose.matchAll(/\bexit(?:s|ed)?(?: status| with)? (\d+)\b/gi)].map(([text, status]) => ({
        name,
        text,
        status,
      })),
    );
    expect(named.length).toBeGreaterThan(5);
    expect(named.filter(({ status }) => !known.has(Number(status)))).toEqual([]);
  });

  it('of a send, with the status and code of the answer, are those of the code', () => {
    const named = tableRows(page('docs/sessions.md'), 'result').map(([, exit = '', http = '', codes = '']) => ({
      exit,
      http,
      codes,
    }));
    for (const { exitStatus, status, code } of Object.values(SEND_ENDINGS))
      expect(
        named.filter(({ codes }) => names(codes).includes(code)).map(({ exit, http }) => [exit, http.split(', ')[0]]),
        code,
      ).toEqual([[String(exitStatus), String(status)]]);
  });
});

describe('settings', () => {
  it('on the page are all settings that the file may have', () => {
    const named = tableRows(page('docs/settings.md'), 'key').flatMap(([keys = '']) => {
      const [first = '', ...others] = names(keys);
      const group = first.split('.')[0];
      return [first, ...others.map((key) => (key.startsWith('.') ? `${group}${key}` : key))];
    });
    expect([...named].sort()).toEqual([...SETTING_KEYS].sort());
  });

  it('in examples are accepted', () => {
    const examples = documents
      .filter(({ name }) => ['docs/notifications.md', 'docs/file-operations.md'].includes(name))
      .flatMap(({ fences }) => fences)
      .filter(({ language }) => language === 'toml');
    expect(examples.length).toBeGreaterThan(4);
    for (const { lines } of examples) {
      const read = readSettings(parseToml(lines.join('\n')), 'config.toml', () => undefined);
      expect(read.ok ? null : read.failure.message).toBeNull();
    }
  });

  it('in JSON examples are valid JSON', () => {
    const texts = documents.flatMap(({ fences }) => fences).filter(({ language }) => language === 'json');
    expect(texts.length).toBeGreaterThan(2);
    for (const { lines } of texts) expect(() => JSON.parse(lines.join('\n'))).not.toThrow();
  });
});

describe('SECURITY.md', () => {
  const rows = tableRows(page('SECURITY.md'), 'no.');

  it('numbers the promises, and each promise names a test that exists and is not empty', () => {
    expect(rows.map(([number]) => Number(number))).toEqual(rows.map((_, index) => index + 1));
    expect(rows.length).toBeGreaterThan(8);
    expect(rows.flatMap(([number, , tests = '']) => missingTests(tests).map((test) => `${number}: ${test}`))).toEqual(
      [],
    );
  });

  it('has each promise that a test names by its number', () => {
    const named = readdirSync(path.join(ROOT, 'test/security')).flatMap((name) => {
      const number = /\bPromise (\d+) of SECURITY\.md\b/.exec(
        readFileSync(path.join(ROOT, 'test/security', name), 'utf8'),
      )?.[1];
      return number === undefined ? [] : [{ name, number }];
    });
    expect(named.length).toBeGreaterThan(3);
    for (const { name, number } of named)
      expect(names(rows.find(([first]) => first === number)?.[2] ?? ''), number).toContain(`test/security/${name}`);
  });
});

/** Returns the named tests that are missing. A cell that names no test lacks one. */
function missingTests(cell: string): readonly string[] {
  const tests = names(cell);
  if (tests.length === 0) return ['no test'];
  return tests.filter(
    (name) =>
      !/^test\/.+\.(?:test\.ts|scenario|ts)$/.test(name) ||
      !existsSync(path.join(ROOT, name)) ||
      !/\b(?:it|test)(?:\.\w+)*[(<]|^## /m.test(readFileSync(path.join(ROOT, name), 'utf8')),
  );
}

it('ARCHITECTURE.md names every folder of src/', () => {
  const named = new Set(codeSpansOf(page('ARCHITECTURE.md')));
  const folders = ['', 'core/'].flatMap((below) =>
    readdirSync(path.join(ROOT, 'src', below), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => `src/${below}${name}/`),
  );
  expect(folders.length).toBeGreaterThan(20);
  expect(folders.filter((folder) => !named.has(folder))).toEqual([]);
});

it('ARCHITECTURE.md names, in the row of a folder of src/, all folders in this folder', () => {
  const rows = tableRows(page('ARCHITECTURE.md'), 'folder');
  const missing = rows.flatMap(([folder = '', what = '']) => {
    const [inside = ''] = names(folder);
    // The row of core has whole paths, which the test above compares. A folder of a harness has the name of the harness.
    if (!inside.startsWith('src/') || inside === 'src/core/' || inside === 'src/harness/') return [];
    return readdirSync(path.join(ROOT, inside), { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !names(what).includes(`${entry.name}/`))
      .map(({ name }) => `${inside}${name}/`);
  });
  expect(rows.length).toBeGreaterThan(20);
  expect(missing).toEqual([]);
});

it('CONTRIBUTING.md names every suite', () => {
  const named = new Set(codeSpansOf(page('CONTRIBUTING.md')));
  const suites = [...readFileSync(path.join(ROOT, 'vitest.config.ts'), 'utf8').matchAll(/suite\('(\w+)'/g)];
  expect(suites.length).toBeGreaterThan(10);
  expect(suites.map(([, name]) => `test/${name}/`).filter((folder) => !named.has(folder))).toEqual([]);
});

it('docs/harnesses.md names every harness', () => {
  const named = new Set(codeSpansOf(page('docs/harnesses.md')).flatMap((code) => code.split(' ')));
  expect(HARNESS_NAMES.filter((name) => !named.has(name))).toEqual([]);
});

it('the README has the two commands that set everything up, and .ci/run runs the second of them', () => {
  const { fences } = page('README.md');
  const commands = fences.filter(({ language }) => language === 'sh').map(({ lines }) => lines.join('\n'));
  expect(commands).toEqual(['npm ci && npm start', 'npm ci && npm test']);
  const steps = readFileSync(path.join(ROOT, '.ci/run'), 'utf8').split('\n');
  expect(
    steps.filter((line) => /^npm (?:ci|test)\b/.test(line)).map((line) => line.split(' ').slice(0, 2).join(' ')),
  ).toEqual(['npm ci', 'npm test']);
  expect(readFileSync(path.join(ROOT, '.github/workflows/test.yml'), 'utf8')).toMatch(/^ +- run: \.ci\/run$/m);
});

it('the package carries every document', () => {
  const { files } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as { files: readonly string[] };
  expect(
    documents.map(({ name }) => name.replace(/^docs\/.*/, 'docs')).filter((name) => !files.includes(name)),
  ).toEqual([]);
});

describe('the reader of tables', () => {
  it('returns the rows below the head, with escaped bars, and stops at the end of the table', () => {
    const text = '| a | b |\n|---|---|\n| 1 | `x \\| y` |\n| 2 | z |\n\n| 3 | no |\n';
    expect(tableRows(readDocument('X.md', text), 'a')).toEqual([
      ['1', '`x \\| y`'],
      ['2', 'z'],
    ]);
  });

  it('finds a promise without a test, with a missing test, and with a file that tests nothing', () => {
    expect(missingTests('later')).toEqual(['no test']);
    const gone = ['test/security/gone.test.ts', 'test/seed.ts', 'README.md'];
    expect(missingTests(gone.map((name) => `\`${name}\``).join(', '))).toEqual(gone);
    expect(missingTests('`test/security/csrf.test.ts`, `test/scenario/bad-luck.scenario`')).toEqual([]);
  });

  it('reads a range of statuses', () => {
    expect(statusesIn('79–81')).toEqual([79, 80, 81]);
    expect(statusesIn('126, 127, 128+n, others')).toEqual([]);
  });
});
