/** The prose of a file: the comments of a source, the titles of tests, or the text of a document. All other text becomes blanks. */
import path from 'node:path';
import ts from 'typescript';

/** Returns the text with the same length and lines, but with blanks in place of what `pattern` matches. */
export const blanked = (text: string, pattern: RegExp): string =>
  text.replace(pattern, (found) => found.replace(/[^\n]/g, ' '));

/** Keeps the text in these ranges, and turns all other text into blanks. */
function within(text: string, ranges: Iterable<ts.TextRange>): string {
  let kept = '';
  for (const { pos, end } of [...ranges].sort((one, other) => one.pos - other.pos)) {
    if (pos >= kept.length) kept += blanked(text.slice(kept.length, pos), /[^\n]+/g) + text.slice(pos, end);
  }
  return kept;
}

const TITLED = /^(?:it|test|describe)\b/;

/** Returns the range of the title if the node is a call that names a test or a group of tests. */
function titleOf(node: ts.Node): ts.TextRange | null {
  if (!ts.isCallExpression(node) || !TITLED.test(node.expression.getText())) return null;
  const [title] = node.arguments;
  const isText = title !== undefined && (ts.isStringLiteralLike(title) || ts.isTemplateExpression(title));
  return isText ? { pos: title.getStart() + 1, end: title.getEnd() - 1 } : null;
}

function proseOfScript(name: string, text: string): string {
  const source = ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true);
  const ranges = new Map<number, ts.TextRange>();
  const visit = (node: ts.Node): void => {
    const around = [
      ...(ts.getLeadingCommentRanges(text, node.getFullStart()) ?? []),
      ...(ts.getTrailingCommentRanges(text, node.getEnd()) ?? []),
    ];
    for (const range of around) ranges.set(range.pos, range);
    const title = titleOf(node);
    if (title !== null) ranges.set(title.pos, title);
    for (const child of node.getChildren(source)) visit(child);
  };
  visit(source);
  return within(text, ranges.values());
}

function found(text: string, pattern: RegExp): ts.TextRange[] {
  return [...text.matchAll(pattern)].map(({ index, 0: { length } }) => ({ pos: index, end: index + length }));
}

/** How to find the prose of a file, by its extension. */
const PROSE: Readonly<Record<string, (name: string, text: string) => string>> = {
  '.ts': proseOfScript,
  '.mjs': proseOfScript,
  '.js': proseOfScript,
  '.c': (_name, text) => within(text, found(text, /\/\*[\s\S]*?\*\/|\/\/.*/g)),
  '.h': (_name, text) => within(text, found(text, /\/\*[\s\S]*?\*\/|\/\/.*/g)),
  '.bash': (_name, text) => within(text, found(text, /(?<=^|\s)#.*/gm)),
  '.sh': (_name, text) => within(text, found(text, /(?<=^|\s)#.*/gm)),
  '.md': (_name, text) => blanked(text, /^ *```[\s\S]*?^ *```/gm),
};

export const hasProse = (name: string): boolean => path.extname(name) in PROSE;

/** Returns the prose of `text` at its position, with blanks in place of all other text. */
export const proseOf = (name: string, text: string): string => PROSE[path.extname(name)]?.(name, text) ?? '';
