/**
 * Changes entries of a settings file in JSON with comments. Each function that changes an entry returns the whole new text. The other
 * entries keep their bytes, their order and their indentation. Comments stay too, with two exceptions: comments in a replaced value, and
 * comments near a removed entry (see `cutOut`). Each function fails if the text cannot be parsed.
 */

import { failed, type Result, success } from '../result.ts';
import { type JsonFault, type JsonNode, parseJsonc, plainValue } from './jsonc.ts';

type Edited = Result<string, JsonFault>;
/** The names of members, from the root of the file inwards. */
export type Path = readonly string[];

/**
 * Appends to the list at `path`, even if the list already has an equal item. Creates the list and its parents if they are missing. Fails if
 * a parent is not an object, or if the value at `path` is not a list.
 */
export function appendItem(text: string, path: Path, item: unknown): Edited {
  return edit(text, (root) => {
    const { node, rest } = walk(root, path);
    if (rest.length === 0) {
      if (node.kind !== 'array') return fault(text, node.start, `${path.join('.')} is not a list`);
      return success(insertLast(text, node, node.items, item, ''));
    }
    return insertMember(text, node, path, rest, [item]);
  });
}

/** Sets the member at `path`, and creates missing parents. Fails if a parent is not an object. */
export function setMember(text: string, path: Path, value: unknown): Edited {
  return edit(text, (root) => {
    const { node, rest } = walk(root, path);
    if (rest.length > 0) return insertMember(text, node, path, rest, value);
    return success(text.slice(0, node.start) + JSON.stringify(value) + text.slice(node.end));
  });
}

/** Removes the member, and each parent that becomes empty, except the root. If there is no such member, nothing changes. */
export function removeMember(text: string, path: Path): Edited {
  return edit(text, (root) => {
    const parent = walk(root, path.slice(0, -1));
    if (parent.rest.length > 0 || parent.node.kind !== 'object') return success(text);
    const at = parent.node.members.findIndex(({ key }) => key === path.at(-1));
    if (at < 0) return success(text);
    if (parent.node.members.length === 1 && path.length > 1) return removeMember(text, path.slice(0, -1));
    const spans = parent.node.members.map(({ start, value }) => ({ start, end: value.end }));
    return success(cutOut(text, parent.node, spans, at));
  });
}

/**
 * Removes from the list at `path` each item for which `isMeant` returns true. Then removes each list or object that has become empty,
 * except the root. If there is no list at `path`, nothing changes.
 */
export function removeItems(text: string, path: Path, isMeant: (item: unknown) => boolean): Edited {
  return edit(text, (root) => {
    const { node, rest } = walk(root, path);
    if (rest.length > 0 || node.kind !== 'array') return success(text);
    const at = node.items.findIndex((item) => isMeant(plainValue(item)));
    if (at < 0) return success(text);
    if (node.items.length === 1 && path.length > 0) return removeMember(text, path);
    return removeItems(cutOut(text, node, node.items, at), path, isMeant);
  });
}

/** Returns the value at `path`; undefined if the path does not exist. */
export function valueAt(text: string, path: Path): Result<unknown, JsonFault> {
  const parsed = parseJsonc(text);
  if (!parsed.ok) return parsed;
  const { node, rest } = walk(parsed.value, path);
  return success(rest.length > 0 ? undefined : plainValue(node));
}

function edit(text: string, change: (root: JsonNode) => Edited): Edited {
  const parsed = parseJsonc(text);
  return parsed.ok ? change(parsed.value) : parsed;
}

/** Returns the last node on `path` that exists, and the part of the path that does not exist. */
function walk(root: JsonNode, path: Path): { readonly node: JsonNode; readonly rest: Path } {
  let node = root;
  for (const [at, name] of path.entries()) {
    const next = node.kind === 'object' ? node.members.find(({ key }) => key === name) : undefined;
    if (next === undefined) return { node, rest: path.slice(at) };
    node = next.value;
  }
  return { node, rest: [] };
}

function insertMember(text: string, node: JsonNode, path: Path, rest: Path, value: unknown): Edited {
  const place = path.slice(0, path.length - rest.length).join('.') || 'the whole file';
  if (node.kind !== 'object') return fault(text, node.start, `${place} is not an object`);
  const [name = '', ...deeper] = rest;
  const nested = deeper.reduceRight<unknown>((inner, key) => ({ [key]: inner }), value);
  const spans = node.members.map((member) => ({ start: member.start, end: member.value.end }));
  return success(insertLast(text, node, spans, nested, `${JSON.stringify(name)}: `));
}

interface Span {
  readonly start: number;
  readonly end: number;
}
type Container = Exclude<JsonNode, { kind: 'scalar' }>;

function insertLast(text: string, node: Container, entries: readonly Span[], value: unknown, prefix: string): string {
  const last = entries.at(-1);
  const close = node.end - 1;
  const unit = /\n([ \t]+)\S/.exec(text)?.[1] ?? '  ';
  const isOneLine = last !== undefined && !text.slice(node.start, close).includes('\n');
  if (isOneLine) {
    const separator = node.comma === null ? ', ' : ' ';
    const at = node.comma === null ? last.end : node.comma + 1;
    return text.slice(0, at) + separator + prefix + JSON.stringify(value) + text.slice(at);
  }
  const outer = /[ \t]*$/.exec(text.slice(0, lineStartIndent(text, node.start)))?.[0] ?? '';
  const inner = last === undefined ? outer + unit : indentOf(text, last.start);
  const block = `\n${inner}${prefix}${JSON.stringify(value, null, unit).replaceAll('\n', `\n${inner}`)}`;
  const body = text.slice(0, close).trimEnd();
  const tail = text.slice(body.length);
  if (last === undefined) return `${body}${block}\n${outer}${text.slice(close)}`;
  const head = node.comma !== null ? body : `${body.slice(0, last.end)},${body.slice(last.end)}`;
  return head + block + tail;
}

/** Returns the offset at which the indentation ends, in the line that contains the offset `at`. */
function lineStartIndent(text: string, at: number): number {
  const start = text.lastIndexOf('\n', at - 1) + 1;
  return start + (/^[ \t]*/.exec(text.slice(start))?.[0].length ?? 0);
}

const indentOf = (text: string, at: number): string => {
  const start = text.lastIndexOf('\n', at - 1) + 1;
  return text.slice(start, lineStartIndent(text, at));
};

/** The next comma, perhaps after blanks and comments. */
const FIRST_COMMA = /^((?:\s|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*),/;

/**
 * Removes one entry, its comma, and the comments between this entry and the next one. If there is no other entry, also removes all
 * comments in the list or object.
 */
function cutOut(text: string, node: Container, entries: readonly Span[], at: number): string {
  const one = entries[at];
  const before = entries[at - 1];
  const after = entries[at + 1];
  if (one === undefined) return text;
  if (after !== undefined) return text.slice(0, one.start) + text.slice(after.start);
  if (before !== undefined && node.comma !== null) {
    const rest = text.slice(one.end).replace(FIRST_COMMA, '$1');
    return text.slice(0, before.end) + trimmedBefore(rest, text.slice(before.end, one.start)) + rest;
  }
  if (before !== undefined) {
    const rest = text.slice(one.end);
    const between = text.slice(before.end, one.start).replace(FIRST_COMMA, '$1');
    return text.slice(0, before.end) + trimmedBefore(rest, between) + rest;
  }
  return `${text.slice(0, node.start + 1)}${text.slice(node.end - 1)}`;
}

/** Removes the blanks and line breaks at the end of `between`. Keeps a line break if `rest` would otherwise continue a `//` comment. */
function trimmedBefore(rest: string, between: string): string {
  const trimmed = between.trimEnd();
  const last = trimmed.match(/\/\/[^\n]*|\/\*[\s\S]*?\*\/|[\s\S]/g)?.at(-1) ?? '';
  return last.startsWith('//') && !/^[ \t]*\r?\n/.test(rest) ? `${trimmed}\n` : trimmed;
}

function fault(text: string, at: number, message: string): Edited {
  const before = text.slice(0, at).split('\n');
  return failed({ message, line: before.length, column: (before.at(-1) ?? '').length + 1 });
}
