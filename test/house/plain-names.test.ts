/**
 * A name says what a thing is. `told` is an event, an answer or a text; `tell` prints, sends, or calls a listener; a `deed` is an
 * access or an attack; `patience` is a longest wait. Words that only the wire, the database and documents of devices still have
 * (docs/decisions/0014-words-of-the-wire-stay.md) are in no name of ours. The names of the browser's scripts are not checked.
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { expect, it } from 'vitest';

const ROOT = path.resolve(import.meta.dirname, '../..');
const REFUSED =
  /^#?(?:[Tt]ell|[Tt]old|[Dd]eeds?)$|(?:Told|_TOLD)$|Deeds?$|^untold$|PATIENCE|patience|^demand$|.Findings?$|^Findings|FINDINGS?|Touches$|TOUCHES/;

/** `NAME:LINE: IDENTIFIER` for each declaration with such a name. */
function refusedIn(name: string, text: string): readonly string[] {
  if (!/tell|told|deed|patience|finding|touches|demand/i.test(text)) return [];
  const source = ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    const declared = (node as { readonly name?: ts.Node }).name;
    if (declared !== undefined && (ts.isIdentifier(declared) || ts.isPrivateIdentifier(declared)))
      if (!ts.isPropertyAccessExpression(node) && REFUSED.test(declared.text))
        found.push(`${name}:${source.getLineAndCharacterOfPosition(declared.getStart()).line + 1}: ${declared.text}`);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

it('no declaration in src has a name that hides what the thing is', () => {
  const files = readdirSync(path.join(ROOT, 'src'), { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.ts') && !name.startsWith('certify/'),
  );
  expect(files.length).toBeGreaterThan(900);
  expect(files.flatMap((name) => refusedIn(name, readFileSync(path.join(ROOT, 'src', name), 'utf8')))).toEqual([]);
});

it('the check finds such a name of a variable, a parameter, a method, a type and a constant', () => {
  const text =
    'const told = 1;\nfunction f(tell: () => void) {}\nclass A {\n  #told = 1;\n  onTold() {}\n}\ntype Told = 1;\nconst PATIENCE_MS = 1;\nx.told();\nconst isOld = 1;\nconst MAX_FINDINGS = 1;\nconst demand = { findings: 1, demands: [] };';
  expect(refusedIn('a.ts', text)).toEqual([
    'a.ts:1: told',
    'a.ts:2: tell',
    'a.ts:4: #told',
    'a.ts:5: onTold',
    'a.ts:7: Told',
    'a.ts:8: PATIENCE_MS',
    'a.ts:11: MAX_FINDINGS',
    'a.ts:12: demand',
  ]);
});
