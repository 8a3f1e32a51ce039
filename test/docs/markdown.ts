/** The Markdown documents of the project, as far as the tests need them: headings, links, fenced blocks, code spans, tables. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** @property remark the HTML comment on the line before the block; empty without a comment */
export interface Fence {
  readonly line: number;
  readonly language: string;
  readonly remark: string;
  readonly lines: readonly string[];
}

/** @property line the number of the line, from 1 */
interface Link {
  readonly line: number;
  readonly target: string;
}

/** @property prose the text in which the lines of fenced blocks are empty, so that line numbers stay the same */
export interface Document {
  readonly name: string;
  readonly text: string;
  readonly prose: string;
  readonly anchors: ReadonlySet<string>;
  readonly links: readonly Link[];
  readonly fences: readonly Fence[];
}

/** Every Markdown file at the top of the project and below docs/. */
const documentNames = (): readonly string[] => [
  ...readdirSync(ROOT).filter((name) => name.endsWith('.md')),
  ...readdirSync(path.join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`)
    .sort(),
];

export const readDocuments = (): readonly Document[] =>
  documentNames().map((name) => readDocument(name, readFileSync(path.join(ROOT, name), 'utf8')));

/** @throws if a fenced block does not end, because the text after it would not be read */
export function readDocument(name: string, text: string): Document {
  const fences: Fence[] = [];
  const prose: string[] = [];
  let open: { line: number; language: string; remark: string; lines: string[] } | null = null;
  let before = '';
  for (const [index, line] of text.split('\n').entries()) {
    const mark = /^```(\w*)$/.exec(line);
    if (open === null && mark !== null)
      open = { line: index + 1, language: mark[1] ?? '', remark: remarkOf(before), lines: [] };
    else if (open !== null && mark !== null) {
      fences.push(open);
      open = null;
    } else if (open !== null) open.lines.push(line);
    else if (line.startsWith('```')) throw new Error(`${name}:${index + 1}: a fence of another form: ${line}`);
    prose.push(open !== null || mark !== null ? '' : line);
    before = line;
  }
  if (open !== null) throw new Error(`${name}:${open.line}: a fenced block that does not end`);
  const body = prose.join('\n');
  return { name, text, prose: body, anchors: anchorsOf(body), links: linksOf(prose), fences };
}

const remarkOf = (line: string): string => /^<!-- (.*) -->$/.exec(line)?.[1] ?? '';

/** Makes anchors as GitHub does: lower case, no punctuation, a hyphen for each space, a number after a repeated anchor. */
function anchorsOf(prose: string): ReadonlySet<string> {
  const anchors = new Set<string>();
  for (const [, heading = ''] of prose.matchAll(/^#{1,6} (.+)$/gm)) {
    const slug = heading
      .toLowerCase()
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .replace(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-');
    let free = slug;
    for (let number = 1; anchors.has(free); number++) free = `${slug}-${number}`;
    anchors.add(free);
  }
  return anchors;
}

/** Returns the links outside of code spans. */
const linksOf = (prose: readonly string[]): readonly Link[] =>
  prose.flatMap((line, index) =>
    [...line.replace(/`[^`]*`/g, '').matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => ({
      line: index + 1,
      target,
    })),
  );

/** Returns the code spans. In a table a bar is escaped, and stands for a bar. */
export const codeSpansOf = ({ prose }: Document): readonly string[] =>
  [...prose.matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code.replaceAll('\\|', '|'));

/** Returns the cells of each row of every table whose first heading is `head`; empty without such a table. */
export function tableRows({ prose }: Document, head: string): readonly (readonly string[])[] {
  const rows: (readonly string[])[] = [];
  let isInside = false;
  for (const line of prose.split('\n')) {
    const cells = line.startsWith('|') ? cellsOf(line) : null;
    if (cells === null) isInside = false;
    else if (isInside && !/^-+$/.test(cells[0] ?? '')) rows.push(cells);
    else if (cells[0] === head) isInside = true;
  }
  return rows;
}

const cellsOf = (line: string): readonly string[] =>
  line
    .replace(/^\|\s*|\s*\|\s*$/g, '')
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim());
