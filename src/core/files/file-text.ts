/**
 * A file request as text for a human: the operations, one a line, then the change of each file. Every line of a file's
 * content has a mark in front, so that no content can look like an operation.
 */

import { visibleLine } from '../text/visible-text.ts';
import type { FileOperation } from './file-operation.ts';
import { markedLine, splitLines, unifiedDiff } from './line-diff.ts';

/**
 * What is shown of one operation.
 * - `nothing`: the operation has no content
 * - `texts`:   the content before (null: there is no file, or it cannot be shown) and after
 * - `input`:   the tool's input, because the result is not known in advance
 * - `binary`:  the content is not text
 */
export type FileContent =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'texts'; readonly before: string | null; readonly after: string }
  | { readonly kind: 'input'; readonly text: string }
  | { readonly kind: 'binary' };

/**
 * @property state what the path is now: `new` (nothing), `file` with its number of bytes, `directory`, `other` (a device, a
 * socket, …)
 */
export interface ShownOperation {
  readonly operation: FileOperation;
  readonly state: { readonly kind: 'new' | 'directory' | 'other' } | { readonly kind: 'file'; readonly bytes: number };
  readonly content: FileContent;
}

/** How much of all contents together is shown (UTF-16 units). The digests bind all of it. */
export const MAX_SHOWN = 256 * 1024;

export function fileRequestText(shown: readonly ShownOperation[]): string {
  const heads = shown.map(operationLine);
  let room = MAX_SHOWN;
  const bodies = shown.map((one, at) => {
    const body = contentText(one.content);
    if (body === '') return '';
    const cut = clip(body, room);
    room = Math.max(0, room - body.length);
    return shown.length === 1 ? cut : `\n${heads[at]}\n${cut}`;
  });
  return `${heads.join('\n')}\n${bodies.join('')}`;
}

/** `write /a/b (new file, writes 12 bytes)`: always one line, because the path is escaped. */
function operationLine({ operation, state }: ShownOperation): string {
  return `${operation.verb} ${visibleLine(operation.path)}${facts(operation, state)}`;
}

function facts({ verb, bytes }: FileOperation, state: ShownOperation['state']): string {
  const said: string[] = [];
  if (state.kind === 'directory') said.push('a directory');
  if (state.kind === 'other') said.push('not a regular file');
  if (state.kind === 'new') said.push(verb === 'write' ? 'new file' : 'does not exist');
  if (state.kind === 'file') said.push(verb === 'write' ? `replaces ${count(state.bytes)}` : count(state.bytes));
  if (bytes !== null) said.push(verb === 'edit' ? `then ${count(bytes)}` : `writes ${count(bytes)}`);
  return said.length === 0 ? '' : ` (${said.join(', ')})`;
}

const count = (bytes: number): string => `${bytes} ${bytes === 1 ? 'byte' : 'bytes'}`;

function contentText(content: FileContent): string {
  switch (content.kind) {
    case 'nothing':
      return '';
    case 'binary':
      return '… not text, so it is not shown; its digest is bound\n';
    case 'input':
      return marked(content.text, '> ');
    case 'texts':
      if (content.before === null) return marked(content.after, '+');
      return content.before === content.after
        ? '… the content stays as it is\n'
        : unifiedDiff(content.before, content.after);
  }
}

const marked = (text: string, mark: string): string =>
  text === ''
    ? '… empty\n'
    : splitLines(text)
        .map((line) => markedLine(mark, line))
        .join('');

/** The beginning of the text, up to the end of a line if possible, and how much is left out. */
function clip(text: string, room: number): string {
  if (text.length <= room) return text;
  const start = text.slice(0, room);
  const wholeLines = start.slice(0, start.lastIndexOf('\n') + 1);
  const kept = wholeLines === '' ? start.replace(/[\ud800-\udbff]$/, '') : wholeLines;
  const left = utf8Length(text.slice(kept.length));
  return `${kept}${kept === '' || kept.endsWith('\n') ? '' : '\n'}… ${left} more bytes\n`;
}

/** Length in bytes of UTF-8. A lone surrogate counts three, like the character that replaces it. */
export function utf8Length(text: string): number {
  let bytes = 0;
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  }
  return bytes;
}
