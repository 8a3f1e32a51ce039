/** Code decides by codes, never by the words of a message or a title, so these words can change without another effect. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { expect, it } from 'vitest';

const src = fileURLToPath(new URL('../../src/', import.meta.url));

/** The members of our failures and reasons that contain text for people. */
const PROSE: ReadonlySet<string> = new Set(['message', 'reason', 'advice', 'hint', 'consequence', 'sentence']);
/** The members of our answers that contain a title for people. */
const TITLES: ReadonlySet<string> = new Set(['title', 'heading']);
/**
 * The names of values that are codes, although a code can have blanks (`process substitution`). A comparison of any other value with a
 * sentence counts as a decision.
 */
const CODES: ReadonlySet<string> = new Set([
  ...['kind', 'why', 'operation', 'nesting', 'lookup', 'force', 'outcome', 'shows', 'standing', 'permitted'],
  ...['wait', 'doing', '#doing'],
]);
/** Methods of a text that can decide by its words. */
const ASKED: ReadonlySet<string> = new Set([
  'includes',
  'startsWith',
  'endsWith',
  'match',
  'matchAll',
  'search',
  'indexOf',
]);
/** Methods of a pattern that can decide by the words of a text. */
const ASKED_WITH: ReadonlySet<string> = new Set(['test', 'exec']);
/** Methods of a map or a set that can decide by the words of their key. */
const KEYED: ReadonlySet<string> = new Set(['get', 'has']);

/** The author of a rule file says which part of a reason an example must have, in the words of that rule. */
const OF_RULE_FILES = 'core/rules/rule-examples.ts';

/** Whether the node is such a text: `failure.message`, `reason`, `end?.failure.message`, `(x.advice ?? '')`. */
function isProse(node: ts.Node): boolean {
  if (ts.isParenthesizedExpression(node) || ts.isNonNullExpression(node)) return isProse(node.expression);
  if (ts.isBinaryExpression(node)) return isProse(node.left);
  if (ts.isPropertyAccessExpression(node)) return PROSE.has(node.name.text);
  return ts.isIdentifier(node) && PROSE.has(node.text);
}

const isTitle = (node: ts.Node | undefined): boolean => node !== undefined && TITLES.has(nameOf(node));

/** Returns the last name of an access or a call: `kind` for `target.kind` and for `target.kind()`. */
function nameOf(node: ts.Node): string {
  if (ts.isCallExpression(node)) return nameOf(node.expression);
  if (ts.isPropertyAccessExpression(node)) return node.name.text;
  return ts.isIdentifier(node) ? node.text : '';
}

const isWritten = (node: ts.Node): boolean => ts.isStringLiteralLike(node) && node.text !== '';

/** Words that are a call, an operation of a rule file or a mark in a file, not a sentence. */
const NAMES = /grants run|hooks report|git commit|SQLite format 3|^\*\*\* (?:Begin|End) Patch$/;
/** Whether the node is written text with a blank between words, such as `'a builtin'`: a sentence of ours. */
const isSentence = (node: ts.Node): boolean =>
  (ts.isStringLiteralLike(node) || ts.isRegularExpressionLiteral(node)) &&
  /[a-z]{2} [a-z]|\b[ai] [a-z]{2}/i.test(node.text) &&
  !NAMES.test(node.text);

/** Returns the places in a file where the words of a message decide something. */
function decisionsByProse(file: string, text: string): string[] {
  const found: string[] = [];
  const tree = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const visit = (node: ts.Node): void => {
    if (isDecision(node)) found.push(`${file}:${tree.getLineAndCharacterOfPosition(node.getStart()).line + 1}`);
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return found;
}

/** Whether a comparison of the value with the written text decides by the words of a sentence of ours. */
const isByWords = (value: ts.Node, written: ts.Node): boolean =>
  ((isProse(value) || isTitle(value)) && isWritten(written)) || (isSentence(written) && !CODES.has(nameOf(value)));

function isDecision(node: ts.Node): boolean {
  if (ts.isBinaryExpression(node) && /^[!=]==?$/.test(node.operatorToken.getText()))
    return isByWords(node.left, node.right) || isByWords(node.right, node.left);
  if (ts.isSwitchStatement(node))
    return (
      isProse(node.expression) ||
      node.caseBlock.clauses.some((each) => ts.isCaseClause(each) && isByWords(node.expression, each.expression))
    );
  if (ts.isElementAccessExpression(node)) return isTitle(node.argumentExpression);
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return false;
  const { name, expression } = node.expression;
  if (ASKED_WITH.has(name.text)) return node.arguments.some(isProse) || isSentence(expression);
  if (KEYED.has(name.text) && isTitle(node.arguments[0])) return true;
  if (ASKED.has(name.text) && node.arguments.some(isSentence)) return true;
  const [sought] = node.arguments;
  if (ASKED.has(name.text) && ts.isArrayLiteralExpression(expression) && sought !== undefined)
    return expression.elements.some((each) => isByWords(sought, each));
  // Code that removes words from an advice depends on these words. They belong in a field of their own.
  const isCut =
    name.text === 'replace' && ts.isPropertyAccessExpression(expression) && expression.name.text !== 'message';
  return (ASKED.has(name.text) || isCut) && isProse(expression);
}

const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
/** The scripts of the pages, and the plugins and guards of harnesses. */
const scripts = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.js'));

it('no decision depends on the wording of a message', () => {
  expect(files.length).toBeGreaterThan(400);
  expect(scripts).toContain('web/assets/pages.js');
  const found = [...files, ...scripts]
    .filter((file) => file !== OF_RULE_FILES)
    .flatMap((file) => decisionsByProse(file, readFileSync(path.join(src, file), 'utf8')));
  expect(found).toEqual([]);
});

it.each([
  ['/token expired/.test(end.failure.message)', 1],
  ["runs.startsWith('a builtin')", 1],
  ['/not found: /.test(runs)', 1],
  ["operation.startsWith('git commit')", 0],
  ["path.startsWith('/dev/')", 0],
  ['pattern.exec(reason)?.[0]', 1],
  ["failure.message.includes('taken')", 1],
  ["(failure.advice ?? '').startsWith('see')", 1],
  ["why.advice?.replace(/nothing ran/, '')", 1],
  ["judged.reason === 'is not known'", 1],
  ["switch (failure.message) { case 'x': }", 1],
  ["given.title !== 'exactly this'", 1],
  ["'exactly this' === exact.title", 1],
  ["covers === 'exactly this'", 1],
  ["card.textContent === 'Not done'", 1],
  ["offer.title.startsWith('exactly this')", 1],
  ["['exactly this'].includes(covers)", 1],
  ["switch (covers) { case 'exactly this': }", 1],
  ["({ 'exactly this': 1 })[given.title]", 1],
  ['WIDTHS.get(heading)', 1],
  ["switch (word.kind) { case 'process substitution': }", 0],
  ["this.#doing() === 'waits for ticks'", 0],
  ["title === ''", 0],
  ["failure.code === 'refused'", 0],
  ["failure.advice === undefined || reason === ''", 0],
  ["failure.detail?.startsWith('auth.')", 0],
])('in `%s` the check finds %i decisions by the words of a message', (text, count) => {
  expect(decisionsByProse('x.ts', text)).toHaveLength(count);
});

const MIXED = /nothing (?:ran|was done)[`'"]|see \\?`apes health/;

/** Returns files with advice that states a consequence or names `apes health`, for which a failure has fields of their own. */
function mixedAdvice(file: string, text: string): string[] {
  const found: string[] = [];
  const tree = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node)) {
      const from = { failure: 2, wrong: 1 }[node.expression.getText()] ?? node.arguments.length;
      if (node.arguments.slice(from).some((each) => MIXED.test(each.getText()))) found.push(file);
    }
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return found;
}

it('a failure says in a field of its own that nothing ran, not in its advice', () => {
  expect(files.flatMap((file) => mixedAdvice(file, readFileSync(path.join(src, file), 'utf8')))).toEqual([]);
  expect(mixedAdvice('x.ts', "failure('system', 'x', 'do y; nothing ran')")).toEqual(['x.ts']);
  expect(mixedAdvice('x.ts', "nothingRan(failure('system', 'x', 'do y'))")).toEqual([]);
});

/** Returns the codes of the tables of reasons that no other source uses. */
function unusedCodes(tables: readonly string[], sources: string): string[] {
  const codes = tables.flatMap((table) =>
    [...table.matchAll(/^ {2}(?:'([\w-]+)'|(\w+)): \{/gm)].map(([, quoted, bare]) => quoted ?? bare ?? ''),
  );
  expect(codes.length).toBeGreaterThan(0);
  return codes.filter((code) => !sources.includes(`'${code}'`));
}

it('every code in a table of reasons is used', () => {
  const isTable = (file: string) => /^core\/reasons\/.*-reasons\.ts$/.test(file);
  const read = (file: string) => readFileSync(path.join(src, file), 'utf8');
  const tables = files.filter(isTable).map(read);
  const others = files.filter((file) => !isTable(file)).map(read);
  expect(tables.length).toBeGreaterThan(4);
  expect(unusedCodes(tables, others.join('\n'))).toEqual([]);
  expect(unusedCodes([...tables, "  'never-given': {"], others.join('\n'))).toEqual(['never-given']);
});
