/** Each stage from a line to a decision has the one entry that ARCHITECTURE.md names, and no other name. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The rows of the table: `| stage | \`entry\` | from → to | \`file\` |`. */
const stagesIn = (text: string) =>
  [...text.matchAll(/^\| (\w+) \| `(\w+)` \| .+ \| `(src\/[\w/.-]+)` \|$/gm)].map(
    ([, stage, entry = '', file = '']) => ({
      stage,
      entry,
      file,
    }),
  );

const isExported = (text: string, name: string): boolean =>
  new RegExp(`^export (?:async )?(?:function|const) ${name}\\b`, 'm').test(text);

it('every stage has its one entry', () => {
  const stages = stagesIn(readFileSync(path.join(root, 'ARCHITECTURE.md'), 'utf8'));
  expect(stages.map(({ stage }) => stage)).toEqual(['parse', 'commands', 'effects', 'policy', 'coverage']);
  const missing = stages.filter(({ entry, file }) => !isExported(readFileSync(path.join(root, file), 'utf8'), entry));
  expect(missing).toEqual([]);
});

/** The name that `apes explain --json` has had for the effects of a command since its first version. */
const WIRE_NAME = 'cli/grants/explanation-json.ts: judgement';

/** Returns the names with `judg` in them in code, not words in comments and messages. */
function judgingNames(file: string, text: string): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    const isName = ts.isIdentifier(node) || ts.isPrivateIdentifier(node);
    if (isName && /judg/i.test(node.text)) found.push(`${file}: ${node.text}`);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest));
  return found;
}

it('no file or function is named "judge…": each stage has its own verb', () => {
  const src = path.join(root, 'src');
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((name) => /\.m?[jt]s$/.test(name));
  expect(files.length).toBeGreaterThan(400);
  expect(files.filter((name) => /judg/i.test(name))).toEqual([]);
  const names = files.flatMap((file) => judgingNames(file, readFileSync(path.join(src, file), 'utf8')));
  expect(names).toEqual([WIRE_NAME]);
});

it('the check finds such a name, and a stage without its entry', () => {
  const text = '/** It judges. */ class Gate { #judge() { return `judged`; } } const isJudged = 1;';
  expect(judgingNames('x.ts', text)).toEqual(['x.ts: #judge', 'x.ts: isJudged']);
  expect(stagesIn('| parse | `parseLine` | text → `A` | `src/core/a.ts` |')).toHaveLength(1);
  expect(isExported('export const parseLines = 1;', 'parseLine')).toBe(false);
});
