/**
 * The name of a boolean shows that it is a boolean: `isQuiet`, `mayWait`, or a verb with its object, `allowsRootOwned`. A `Result` has
 * no such name, because `if (isLive.ok)` does not ask whether something is live.
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { expect, it } from 'vitest';

const ROOT = path.resolve(import.meta.dirname, '../../src');

const SAYS_BOOLEAN = /^(?:is|are|was|has|had|may|must|can|needs)[A-Z]|^[a-z]+s(?:_[a-z]|[A-Z])|^_/;

/** Names, by file, that other software chose or that a program outside of our code reads. */
const GIVEN: Readonly<Record<string, readonly string[]>> = {
  'cli/sessions/start.ts': ['wait'], // commander makes it from `--no-wait`
  'cli/shell/status.ts': ['starts'], // `--json`
  'core/text/json-answer.ts': ['ok'], // `--json`
  'core/reading/read-options.ts': ['permutes'], // getopt(3)
  'harness/check-line.ts': ['holds'], // `--json`
  'pty/pseudo-terminal.ts': ['reading'], // Node
  'server/grants/ask-outcome.ts': ['filed'], // HTTP API
};

const isBoolean = (type: ts.TypeNode): boolean =>
  ts.isUnionTypeNode(type) ? type.types.some(isBoolean) : type.kind === ts.SyntaxKind.BooleanKeyword;

const isTruth = ({ kind }: ts.Expression): boolean =>
  kind === ts.SyntaxKind.TrueKeyword || kind === ts.SyntaxKind.FalseKeyword;

/** Returns the declared booleans whose name does not show that they are booleans. */
function otherBooleans(name: string, text: string): readonly string[] {
  if (!/\bboolean\b|= (?:true|false)\b/.test(text)) return [];
  const source = ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    const isDeclared =
      ts.isPropertySignature(node) ||
      ts.isPropertyDeclaration(node) ||
      ts.isParameter(node) ||
      ts.isVariableDeclaration(node);
    const initial = isDeclared && !ts.isPropertySignature(node) ? node.initializer : undefined;
    if (isDeclared && (node.type === undefined ? initial !== undefined && isTruth(initial) : isBoolean(node.type))) {
      const declared = node.name.getText().replace('#', '');
      if (!SAYS_BOOLEAN.test(declared) && GIVEN[name]?.includes(declared) !== true) found.push(`${name}: ${declared}`);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** Returns the results with the name of a boolean. */
const booleanResults = (name: string, text: string): readonly string[] =>
  [...text.matchAll(/\b((?:is|has|may|must|can)[A-Z]\w*)\.(?:ok|value|failure)\b/g)].map(
    ([, named]) => `${name}: ${named}`,
  );

const FILES = readdirSync(ROOT, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => [name, readFileSync(path.join(ROOT, name), 'utf8')] as const);

it('each declared boolean has the name of a boolean', () => {
  expect(FILES.length).toBeGreaterThan(900);
  expect(FILES.flatMap(([name, text]) => otherBooleans(name, text))).toEqual([]);
});

it('no result has the name of a boolean', () => {
  expect(FILES.flatMap(([name, text]) => booleanResults(name, text))).toEqual([]);
});

it('each name in the list of exceptions still exists', () => {
  const texts = new Map(FILES);
  for (const [name, given] of Object.entries(GIVEN))
    for (const each of given) expect(texts.get(name)).toMatch(new RegExp(`\\b${each}(?:: boolean| = false)`));
});

it('the check finds a boolean with another name, and a result with the name of a boolean', () => {
  const text =
    'interface A { readonly quiet: boolean; readonly isB: boolean; directories?: boolean | null }\nfunction f(keeps = false, login: boolean) {}';
  expect(otherBooleans('a.ts', text)).toEqual(['a.ts: quiet', 'a.ts: directories', 'a.ts: keeps', 'a.ts: login']);
  expect(booleanResults('a.ts', 'if (!isLive.ok) return mayWait.value; return isSo;')).toEqual([
    'a.ts: isLive',
    'a.ts: mayWait',
  ]);
});
