/**
 * Shows a file request as text for a human: first the operations, one on each line, then the change of each file. Every line of a
 * file's content begins with a mark, so that no content can look like an operation.
 */

import { utf8Length } from '../text/utf8-length.ts';
import { visibleLine } from '../text/visible-text.ts';
import type { FileOperation } from './file-operation.ts';
import { markedLine, splitLines, unifiedDiff } from './line-diff.ts';

/**
 * What is shown of the content of one operation.
 * - `nothing`: the operation has no content
 * - `texts`:   the content before and after the operation; `before` is null if there is no file or no content to show
 * - `input`:   the input of the tool: the content after the operation is not known in advance
 * - `binary`:  the content is not text
 */
export type FileContent =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'texts'; readonly before: string | null; readonly after: string }
  | { readonly kind: 'input'; readonly text: string }
  | { readonly kind: 'binary' };

/**
 * @property state what is at the path now: `new` (nothing), `file` with its number of bytes, `directory`, `other` (a device, a socket, …)
 */
export interface ShownOperation {
  readonly operation: FileOperation;
  readonly state: { readonly kind: 'new' | 'directory' | 'other' } | { readonly kind: 'file'; readonly bytes: number };
  readonly content: FileContent;
}

/**
 * `fileRequestText` shows at most this many UTF-16 code units of all contents together. An approval binds the whole contents, by their
 * digests.
 */
export const MAX_SHOWN = 256 * 1024;

/** Cuts contents beyond `MAX_SHOWN`. The text then says how many bytes are left out; this number includes the marks of the lines. */
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

/** `write /a/b (new file, writes 12 bytes)`. This is always one line: the path is escaped. */
function operationLine({ operation, state }: ShownOperation): string {
  return `${operation.verb} ${visibleLine(operation.path)}${facts(operation, state)}`;
}

function facts({ verb, bytes }: FileOperation, state: ShownOperation['state']): string {
  const found: string[] = [];
  if (state.kind === 'directory') found.push('a directory');
  if (state.kind === 'other') found.push('not a regular file');
  if (state.kind === 'new') found.push(verb === 'write' ? 'new file' : 'does not exist');
  if (state.kind === 'file') found.push(verb === 'write' ? `replaces ${count(state.bytes)}` : count(state.bytes));
  if (bytes !== null) found.push(verb === 'edit' ? `then ${count(bytes)}` : `writes ${count(bytes)}`);
  return found.length === 0 ? '' : ` (${found.join(', ')})`;
}

const count = (bytes: number): string => `${bytes} ${bytes === 1 ? 'byte' : 'bytes'}`;

function contentText(content: FileContent): string {
  switch (content.kind) {
    case 'nothing':
      return '';
    case 'binary':
      return '… not text, so the content is not shown; its digest is bound\n';
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

/**
 * Returns the text if it fits in `room`. Otherwise returns its beginning and the size of the rest. If possible, the beginning ends with a
 * whole line.
 */
function clip(text: string, room: number): string {
  if (text.length <= room) return text;
  const start = text.slice(0, room);
  const wholeLines = start.slice(0, start.lastIndexOf('\n') + 1);
  const kept = wholeLines === '' ? start.replace(/[\ud800-\udbff]$/, '') : wholeLines;
  const leftOut = utf8Length(text.slice(kept.length));
  return `${kept}${kept === '' || kept.endsWith('\n') ? '' : '\n'}… ${leftOut} more bytes\n`;
}
