/**
 * A failure has one shape: fields, with the text for people in `message`. A bare sentence as a failure could be mistaken for another text,
 * and its readers could decide only by its words. So no check returns one: a fault is a `Fault`, a code, a `Failure` or a `Refusal`.
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { expect, it } from 'vitest';

const ROOT = path.resolve(import.meta.dirname, '../../src');

/** The name of a function that returns what is wrong: `hoursFault`, `faultOf`, `malformation`. */
const CHECK = /fault(?:Of)?$|malformation(?:Of)?$/i;

type Func = ts.FunctionDeclaration | ts.MethodDeclaration | ts.ArrowFunction | ts.FunctionExpression;

/** Whether a text of any wording is possible. Types that begin with a string literal are codes. */
function isBareText(type: ts.TypeNode): boolean {
  if (type.kind === ts.SyntaxKind.StringKeyword) return true;
  if (ts.isUnionTypeNode(type)) return type.types.some(isBareText);
  if (ts.isParenthesizedTypeNode(type)) return isBareText(type.type);
  return ts.isTypeReferenceNode(type) && type.typeName.getText() === 'Promise' && isBareText(argumentOf(type, 0));
}

const argumentOf = ({ typeArguments }: ts.TypeReferenceNode, at: number): ts.TypeNode =>
  typeArguments?.[at] ?? ts.factory.createKeywordTypeNode(ts.SyntaxKind.UnknownKeyword);

/** Returns the function that the node names, with its name; null: the node names no function. */
function namedFunction(node: ts.Node): readonly [string, Func] | null {
  if ((ts.isFunctionDeclaration(node) || ts.isMethodDeclaration(node)) && node.name !== undefined)
    return [node.name.getText(), node];
  if (!(ts.isVariableDeclaration(node) || ts.isPropertyDeclaration(node)) || node.initializer === undefined)
    return null;
  const { initializer } = node;
  return ts.isArrowFunction(initializer) || ts.isFunctionExpression(initializer)
    ? [node.name.getText(), initializer]
    : null;
}

/** Whether the node is a `Result` that fails with a bare text. */
const isBareResult = (node: ts.Node): boolean =>
  ts.isTypeReferenceNode(node) && node.typeName.getText() === 'Result' && isBareText(argumentOf(node, 1));

/** Whether the node is written text with a blank in it or with a value in it: a sentence, not a code. */
const isSentence = (node: ts.Node | undefined): boolean =>
  node !== undefined && (ts.isTemplateExpression(node) || (ts.isStringLiteralLike(node) && node.text.includes(' ')));

/** Whether the node makes a failure of a sentence: `failed('no file')`, `{ ok: false, failure: 'no file' }`. */
function isBareMaking(node: ts.Node): boolean {
  if (ts.isCallExpression(node)) return node.expression.getText() === 'failed' && isSentence(node.arguments[0]);
  return ts.isPropertyAssignment(node) && node.name.getText() === 'failure' && isSentence(node.initializer);
}

/** Whether the node is a check that returns a bare text, or does not say what it returns. */
function isBareCheck(node: ts.Node): boolean {
  const [name, { type }] = namedFunction(node) ?? ['', { type: undefined }];
  return CHECK.test(name) && (type === undefined || isBareText(type));
}

/** Returns the places in a file where a failure is a bare text. */
function bareFailures(file: string, text: string): readonly string[] {
  if (!/fault|malformation|Result<|failed\(|failure:/i.test(text)) return [];
  const tree = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (isBareCheck(node) || isBareResult(node) || isBareMaking(node))
      found.push(`${file}:${tree.getLineAndCharacterOfPosition(node.getStart()).line + 1}`);
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return found;
}

it('no failure in src is a bare text', () => {
  const files = readdirSync(ROOT, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  expect(files.length).toBeGreaterThan(900);
  expect(files.flatMap((name) => bareFailures(name, readFileSync(path.join(ROOT, name), 'utf8')))).toEqual([]);
});

it.each([
  ['export function hoursFault(hours: Hours): string | null { return null; }', 1],
  ['const quietFault = (quiet: Quiet): string | undefined => undefined;', 1],
  ['async function listFault(): Promise<string | null> { return null; }', 1],
  ['class A { #viewFault(): string { return ""; } }', 1],
  ['export function planFault() { return check(); }', 1],
  ['function readRule(table: Table): Result<Rule, string> { return check(); }', 1],
  ['const cache = new Map<string, Promise<Result<Needs<Line>, string | null>>>();', 1],
  ["const read = (text: string) => (isRule(text) ? success(text) : failed('this is no rule'));", 1],
  [`const read = (text: string) => failed(\`\${text} is no rule\`);`, 1],
  ["const outcome = { ok: false, failure: 'the gate does not answer' };", 1],
  ['function faultOf(hook: Hook): Fault | null { return null; }', 0],
  ['function hoursFault(text: string): Promise<Fault | null> { return check(text); }', 0],
  ["function sealFault(): 'shape' | 'chain' | null { return null; }", 0],
  ["const checked = (isForged: boolean) => (isForged ? failed('forged') : success(null));", 0],
  ['function readRule(table: Table): Result<string, Fault> { return failed(fault(table.name)); }', 0],
  ["function check(): Result<null, 'forged' | 'origin'> { return failed('forged'); }", 0],
  ['function whyPrivate(host: string): string | null { return null; }', 0],
])('in `%s` the check finds %i bare texts', (text, count) => {
  expect(bareFailures('x.ts', text)).toHaveLength(count);
});
