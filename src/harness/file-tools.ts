/** Reads the inputs of file tools and web fetch tools. Harnesses have the same few kinds of inputs, with different names. */
import { choosesSecrets } from '../core/effects/named-secrets.ts';
import type { WantedOperation } from '../gate/file-operation.ts';
import { goesUp, startsElsewhere } from './glob-texts.ts';
import { hasOther, otherTexts } from './other-members.ts';
import { isObject, type JsonObject, type ToolCall, textIn } from './tool-call.ts';

/**
 * How one harness names the fields of its edit tool.
 * @property all the field that is true if the tool replaces every occurrence
 */
export interface EditFields {
  readonly path: string;
  readonly oldText: string;
  readonly newText: string;
  readonly all: string;
}

/** Reads a tool's input; returns null if the input does not have the expected shape. */
export type ReadTool = (input: JsonObject) => ToolCall | null;

const files = (...operations: WantedOperation[]): ToolCall => ({ kind: 'files', operations });

export const readTool =
  (pathField: string): ReadTool =>
  (input) => {
    const path = textIn(input, pathField);
    const further = furtherPlaces(input, pathField);
    if (path === null || further === null) return null;
    return files(...[path, ...further].map((place): WantedOperation => ({ verb: 'read', path: place })));
  };

const MAX_FURTHER_PLACES = 50;
const MAX_PATH = 4096;

/**
 * Returns the places that the members besides `known` can mean. The gate checks these places too. So the call may need a grant, even if
 * the known path needs none. Returns null if these members contain too many texts, an address, or a text that cannot be a path (too long,
 * or with a NUL).
 */
export function furtherPlaces(input: JsonObject, ...known: readonly string[]): readonly string[] | null {
  const texts = otherTexts(input, ...known);
  if (texts.length > MAX_FURTHER_PLACES || texts.some((text) => text.length > MAX_PATH || /:\/\/|\0/.test(text)))
    return null;
  return [...new Set(texts.filter((text) => !isGlobInside(text)).flatMap((text) => [text, ...fixedPart(text)]))];
}

/** Whether the text is a glob that only narrows the search in a directory, and does not choose files with secrets. */
const isGlobInside = (text: string): boolean =>
  /[*?[{]/.test(text) && fixedPart(text).length === 0 && !choosesSecrets(text);

/**
 * Reads a call of a list or glob tool. Without a path, the tool searches below the working directory. If the pattern leads out of the
 * searched directory, the tool also searches the place to which the pattern leads.
 * @param patternField null: the tool has no pattern
 */
export const searchTool = (pathField: string, patternField: string | null = null): ReadTool =>
  searchIn(pathField, patternField, () => ({}));

/** Reads a call of a grep tool. The tool reads the contents of the files that match the glob. */
export const grepTool = (pathField: string, globField: string): ReadTool =>
  searchIn(pathField, globField, (glob) => (glob === null ? {} : { glob }));

const searchIn =
  (
    pathField: string,
    patternField: string | null,
    choice: (pattern: string | null) => { readonly glob?: string },
  ): ReadTool =>
  (input) => {
    const path = Object.hasOwn(input, pathField) ? textIn(input, pathField) : '.';
    if (path === null) return null;
    const pattern = patternField === null ? null : textIn(input, patternField);
    if (pattern === null && patternField !== null && isGiven(input, patternField)) return null;
    const further = furtherPlaces(input, pathField, ...(patternField === null ? [] : [patternField]));
    if (further === null) return null;
    const base = path === '' ? '.' : path;
    const outside = (pattern === null ? [] : fixedPart(pattern)).flatMap((place) => placesOf(place, base));
    const places = [base, ...outside, ...further];
    return files(...places.map((place): WantedOperation => ({ verb: 'search', path: place, ...choice(pattern) })));
  };

/**
 * Whether the call has a value in this field. True also for a value that is no string, such as a list of patterns. The list can match any
 * file, so `searchIn` returns null.
 */
const isGiven = (input: JsonObject, field: string): boolean =>
  Object.hasOwn(input, field) && input[field] !== null && input[field] !== undefined;

/**
 * Returns the paths that a result of `fixedPart` can mean. A relative result is usually relative to the path of the call. For some tools
 * the result is relative to the working directory.
 */
const placesOf = (place: string, base: string): readonly string[] =>
  /^[/~]/.test(place) || base === '.' ? [place] : [`${base}/${place}`, place];

/**
 * Returns where a glob searches outside of the tool's directory, as a list of at most one place:
 * - no place: the glob stays inside the directory
 * - the directory before the first special character: `/etc/` for `/etc/*.conf`; the whole glob if it has no special character
 * - `/`: the glob has no such directory, or goes up after the directory
 */
function fixedPart(written: string): string[] {
  const pattern = written.trim(); // some tools drop blanks at the ends of the pattern
  if (!startsElsewhere(pattern) && !goesUp(pattern)) return [];
  const fixed = pattern.split(/[*?[{(!\\]/)[0] ?? '';
  const place = fixed === pattern ? fixed : fixed.slice(0, fixed.lastIndexOf('/') + 1);
  return [place === '' || goesUp(pattern.slice(place.length)) ? '/' : place];
}

/** Reads a call that writes a whole file. With a field that is not known, the call counts as an edit. */
export const writeTool =
  (pathField: string, contentField: string): ReadTool =>
  (input) => {
    const path = textIn(input, pathField);
    const content = textIn(input, contentField);
    if (path === null || content === null) return null;
    return hasOther(input, pathField, contentField)
      ? wholeInput(path, input, otherTexts(input, pathField, contentField))
      : files({ verb: 'write', path, content });
  };

/**
 * Makes the edit whose result the gate does not compute: the request shows and binds the whole input.
 * @param others the texts of the members that the gate does not know. With such a text, the tool may write elsewhere. So no grant for a
 *               directory covers the edit
 */
export const wholeInput = (path: string, input: JsonObject, others: readonly string[]): ToolCall =>
  files({
    verb: 'edit',
    path,
    input: JSON.stringify(input),
    ...(others.length === 0 ? {} : { mayBeElsewhere: true }),
  });

/** Reads one exact replacement. The operation contains the whole input. */
export const editTool =
  (fields: EditFields): ReadTool =>
  (input) => {
    const path = textIn(input, fields.path);
    const replacement = replacementIn(input, fields);
    if (path === null || replacement === null) return null;
    const { oldText, newText, all } = fields;
    return hasOther(input, fields.path, oldText, newText, all)
      ? wholeInput(path, input, otherTexts(input, fields.path, oldText, newText, all))
      : files({ verb: 'edit', path, input: JSON.stringify(input), replacements: [replacement] });
  };

/** Reads several exact replacements in one file, in the field `edits`. */
export const multiEditTool =
  (fields: EditFields): ReadTool =>
  (input) => {
    const path = textIn(input, fields.path);
    const edits = input['edits'];
    if (path === null || !Array.isArray(edits)) return null;
    const replacements = edits.map((edit) => (isObject(edit) ? replacementIn(edit, fields) : null));
    if (!replacements.every((one) => one !== null)) return null;
    const { oldText, newText, all } = fields;
    const parts = edits.filter(isObject);
    const isOther =
      hasOther(input, fields.path, 'edits') || parts.some((edit) => hasOther(edit, oldText, newText, all));
    const others = [
      ...otherTexts(input, fields.path, 'edits'),
      ...parts.flatMap((edit) => otherTexts(edit, oldText, newText, all)),
    ];
    return isOther
      ? wholeInput(path, input, others)
      : files({ verb: 'edit', path, input: JSON.stringify(input), replacements });
  };

/** Reads a change whose result the gate cannot compute, such as a change of a notebook's cell. */
export const opaqueEditTool =
  (pathField: string): ReadTool =>
  (input) => {
    const path = textIn(input, pathField);
    return path === null ? null : wholeInput(path, input, otherTexts(input, pathField));
  };

/** Reads a call that names several files by paths or globs. Each path or glob counts as a search: a glob can match many files. */
export const readManyTool =
  (listField: string): ReadTool =>
  (input) => {
    const paths = input[listField];
    const further = furtherPlaces(input, listField);
    if (!Array.isArray(paths) || !paths.every((path) => typeof path === 'string') || further === null) return null;
    return files(
      ...paths.map((glob): WantedOperation => ({ verb: 'search', path: fixedPart(glob)[0] ?? '.', glob })),
      ...further.map((path): WantedOperation => ({ verb: 'search', path, glob: path })),
    );
  };

/** Reads one address on the web. An address in a field that is not known counts too; a prompt about the page does not. */
export const fetchTool =
  (urlField: string): ReadTool =>
  (input) => {
    const url = textIn(input, urlField);
    const further = otherTexts(input, urlField).filter((text) => text.includes('://'));
    return url === null ? null : { kind: 'fetches', urls: [...new Set([url, ...further])] };
  };

/**
 * Reads a list of at least one address.
 * @param urlIn returns the address of an item; null: the item has no address
 */
export const fetchManyTool =
  (listField: string, urlIn: (item: unknown) => string | null): ReadTool =>
  (input) => {
    const list = input[listField];
    if (!Array.isArray(list) || list.length === 0) return null;
    const urls = list.map(urlIn);
    return urls.every((url) => url !== null) ? { kind: 'fetches', urls } : null;
  };

/**
 * Reads the address in the field `urlField`. Without this field, reads the addresses in a text: the words that contain `://`. Gemini CLI
 * finds addresses in the same way. Returns null for a text without an address.
 */
export const fetchInTextTool =
  (textField: string, urlField: string): ReadTool =>
  (input) => {
    if (Object.hasOwn(input, urlField)) return fetchTool(urlField)(input);
    const text = textIn(input, textField);
    const urls = [...new Set(text?.split(/\s+/).filter((word) => word.includes('://')))];
    return urls.length === 0 ? null : { kind: 'fetches', urls };
  };

function replacementIn(input: JsonObject, fields: EditFields) {
  const oldText = textIn(input, fields.oldText);
  const newText = textIn(input, fields.newText);
  if (oldText === null || newText === null) return null;
  return { oldText, newText, isEverywhere: input[fields.all] === true };
}
