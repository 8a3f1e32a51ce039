/** Reads every import of the files under src/ that run in our own processes, not in a browser or a harness, with the compiler's parser. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

/**
 * @property from    a file relative to src/, with `/`
 * @property target  a file relative to src/, or the name of a package or `node:` module as written
 * @property isOwn   whether the target is a file of ours
 * @property kind    `type` disappears on compilation; `lazy` is `import()`, which is evaluated only when it is reached
 */
export interface Import {
  readonly from: string;
  readonly target: string;
  readonly isOwn: boolean;
  readonly kind: 'type' | 'value' | 'lazy';
}

const src = fileURLToPath(new URL('../../src/', import.meta.url));

export function importsOfSource(): readonly Import[] {
  return readdirSync(src, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.m?[jt]s$/.test(name) && !runsElsewhere(name))
    .flatMap((name) => importsOf(name, readFileSync(path.join(src, name), 'utf8')));
}

/** Whether the file runs in a browser or inside a harness: the plugins of harnesses are JavaScript. */
const runsElsewhere = (name: string): boolean => name.startsWith('web/assets/') || /^harness\/.*\.js$/.test(name);

/** @param from a file relative to src/ */
export function importsOf(from: string, text: string): readonly Import[] {
  const found: Import[] = [];
  const add = (specifier: ts.Node | undefined, kind: Import['kind']) => {
    if (specifier === undefined || !ts.isStringLiteralLike(specifier)) return;
    const isOwn = specifier.text.startsWith('.');
    const target = isOwn ? path.posix.join(path.posix.dirname(from), specifier.text) : specifier.text;
    found.push({ from, target, isOwn, kind });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) add(node.moduleSpecifier, isTypeOnly(node.importClause) ? 'type' : 'value');
    if (ts.isExportDeclaration(node)) add(node.moduleSpecifier, node.isTypeOnly ? 'type' : 'value');
    if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) add(node.argument.literal, 'type');
    if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword)
      add(node.arguments[0], 'lazy');
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(from, text, ts.ScriptTarget.Latest));
  return found;
}

/** Whether it is `import type …`. An import in which every name is marked `type` still evaluates its file (`verbatimModuleSyntax`). */
const isTypeOnly = (clause: ts.ImportClause | undefined): boolean => clause?.isTypeOnly === true;
