/**
 * Comments, titles of tests and documents name who acts: "the approver", "another process". The refused words hide the actor or the fact:
 * "so long" gives no time, and a thing that "stands" somewhere may be there, be written there, count or be valid. "Where" is for
 * places; a condition begins with "if". A docstring describes null in a sentence, and has one property on each line. A line of the log is a sentence.
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { expect, it } from 'vitest';
import { blanked, hasProse, proseOf } from './prose.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');

/** Where the words are refused: directories of sources, of tests or of documents. */
const ROOMS: readonly string[] = [
  ...readdirSync(path.join(ROOT, 'src'))
    .filter((room) => !room.endsWith('rules'))
    .map((room) => `src/${room}`),
  'bin',
  'docs',
  'scripts',
  'test',
];

const REFUSED =
  /\b(?:nobody|somebody|whoever|whomever|shall|lifeline|so many|so long|where (?:there (?:is|are|was|were)|two)\b|st(?:ands?|ood)(?! (?:for|in for)\b|-in))\b/gi;
/** Code and quotations are not checked: they name things, such as the user `nobody`. A quotation has both marks on one line. */
const CITED = /`[^`\n]*`|"[^"\n]*"|“[^”\n]*”/g;

/** Returns `NAME:LINE: WORD` for each refused word. */
function refusedIn(name: string, text: string): string[] {
  const prose = proseOf(name, text);
  return [...blanked(prose, CITED).matchAll(REFUSED)].map(
    ({ index, 0: word }) => `${name}:${prose.slice(0, index).split('\n').length}: ${word}`,
  );
}

const REFUSED_IN_DOCSTRINGS: readonly (readonly [RegExp, string])[] = [
  [/\/\*\*\s*(?:\*\s*)?null\b/gi, 'write "Returns null if …", or "`null` means …"'],
  [/@property\b[^\n]*@property\b/g, 'write each @property on a line of its own'],
];

/** Returns `NAME:LINE: ADVICE` for each fault. */
function faultsOfDocstrings(name: string, text: string): string[] {
  const prose = proseOf(name, text);
  return REFUSED_IN_DOCSTRINGS.flatMap(([pattern, advice]) =>
    [...prose.matchAll(pattern)].map(({ index }) => `${name}:${prose.slice(0, index).split('\n').length}: ${advice}`),
  );
}

const LOG_CALL = /\blog\.(?:trace|debug|info|warn|error|fatal)\(/;

/** Returns `NAME:LINE: MESSAGE` for each message of the log that is one word. */
function shortLogMessages(name: string, text: string): string[] {
  if (!LOG_CALL.test(text)) return [];
  const source = ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && LOG_CALL.test(`${node.expression.getText()}(`)) {
      const message = node.arguments.find(ts.isStringLiteralLike);
      const line = source.getLineAndCharacterOfPosition(node.getStart()).line + 1;
      if (message !== undefined && !message.text.trim().includes(' ')) found.push(`${name}:${line}: ${message.text}`);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

const filesOf = (room: string): string[] =>
  readdirSync(path.join(ROOT, room), { recursive: true, encoding: 'utf8' })
    .map((name) => path.join(room, name))
    .filter(hasProse);

it.each(ROOMS)('comments and titles in %s name who acts', (room) => {
  const files = filesOf(room);
  expect(files).not.toEqual([]);
  expect(files.flatMap((name) => refusedIn(name, readFileSync(path.join(ROOT, name), 'utf8')))).toEqual([]);
});

it('the documents at the top name who acts', () => {
  const names = readdirSync(ROOT).filter((name) => name.endsWith('.md'));
  expect(names.length).toBeGreaterThan(4);
  expect(names.flatMap((name) => refusedIn(name, readFileSync(path.join(ROOT, name), 'utf8')))).toEqual([]);
});

it.each(ROOMS.filter((room) => room !== 'docs'))('docstrings in %s are sentences', (room) => {
  const read = (name: string) => readFileSync(path.join(ROOT, name), 'utf8');
  expect(filesOf(room).flatMap((name) => faultsOfDocstrings(name, read(name)))).toEqual([]);
});

it('each message of the log is more than one word', () => {
  const files = filesOf('src').filter((name) => /\.(?:ts|mjs)$/.test(name));
  const texts = files.map((name) => [name, readFileSync(path.join(ROOT, name), 'utf8')] as const);
  expect(texts.filter(([, text]) => LOG_CALL.test(text)).length).toBeGreaterThan(5);
  expect(texts.flatMap(([name, text]) => shortLogMessages(name, text))).toEqual([]);
});

it('the check finds a docstring that begins with null, two properties on a line, and a message of one word', () => {
  expect(faultsOfDocstrings('a.ts', '/** Null: none. */\nlet a;\n/**\n * Null when gone.\n */\nlet b;')).toEqual([
    'a.ts:1: write "Returns null if …", or "`null` means …"',
    'a.ts:3: write "Returns null if …", or "`null` means …"',
  ]);
  expect(
    faultsOfDocstrings('a.ts', "/** Returns null. */\nconst a = '/** Null';\n/** @property a x; null: none */"),
  ).toEqual([]);
  expect(faultsOfDocstrings('a.ts', '/** @property a x; @property b y */')).toEqual([
    'a.ts:1: write each @property on a line of its own',
  ]);
  const calls = "log.info({}, 'listening');\nparts.log.error({ a }, 'the server listens');\nother.info('x');\n";
  expect(shortLogMessages('a.ts', `${calls}parts.log.warn('stopped');`)).toEqual([
    'a.ts:1: listening',
    'a.ts:4: stopped',
  ]);
});

it('no message, page or sentence of a rule hides who acts', () => {
  const hidden = /\b(?:nobody|somebody|anybody|whoever|whomever)\b/gi;
  const found = readdirSync(path.join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(?:ts|mjs|js|bash|toml|html)$/.test(name))
    .flatMap((name) => {
      const text = readFileSync(path.join(ROOT, 'src', name), 'utf8');
      return [...text.matchAll(hidden)].map(({ 0: word }) => `src/${name}: ${word}`);
    });
  expect(found).toEqual([]);
});

it('the check finds a refused word in each kind of comment, with its line', () => {
  expect(refusedIn('a.ts', "const a = 'nobody';\n/** Nobody\n * and whoever */\nf(a); // shall\n")).toEqual([
    'a.ts:2: Nobody',
    'a.ts:3: whoever',
    'a.ts:4: shall',
  ]);
  expect(refusedIn('a.ts', "it.each([1])('%s is nobody', f);\ndescribe(`It stands`, g);\nrun('nobody');")).toEqual([
    'a.ts:1: nobody',
    'a.ts:2: stands',
  ]);
  expect(refusedIn('a.md', 'It stands there, and stood; a stand-in stands in for it, and stands for it.')).toEqual([
    'a.md:1: stands',
    'a.md:1: stood',
  ]);
  expect(
    refusedIn('a.md', 'The place where it is. It ends where there is none, and where\ntwo people decide.'),
  ).toEqual(['a.md:1: where there is']);
  expect(refusedIn('a.mjs', 'const a = `\n// nobody\n`; // somebody')).toEqual(['a.mjs:3: somebody']);
  expect(refusedIn('a.h', 'char *a = "nobody"; /* x\n   nobody */\n// whomever\n')).toEqual([
    'a.h:2: nobody',
    'a.h:3: whomever',
  ]);
  expect(refusedIn('a.bash', 'echo nobody $# # shall\n# Nobody\n')).toEqual(['a.bash:1: shall', 'a.bash:2: Nobody']);
  expect(refusedIn('a.md', 'x\n\n```\nnobody\n```\n\nThe user `nobody`, "nobody decided it"; nobody\n')).toEqual([
    'a.md:7: nobody',
  ]);
});
