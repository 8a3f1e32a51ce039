/**
 * The tools of pi. Our extension gets the calls of these tools in pi's event `tool_call`. The extension makes each path absolute, as pi
 * would. A path that is not absolute did not come from the extension, so the call is denied. The inputs were seen in 0.74.2 and 0.87.1.
 */
import { grepTool, multiEditTool, type ReadTool, searchTool, writeTool } from '../file-tools.ts';
import type { HarnessTools } from '../harness-tools.ts';
import { type JsonObject, shellCall, type ToolCall, textIn } from '../tool-call.ts';

const FIELDS = { path: 'path', oldText: 'oldText', newText: 'newText', all: 'all' };

/**
 * pi replaces each of these blanks in a path by a space. The extension has replaced such blanks already. So a path with such a blank is
 * denied.
 */
const OTHER_BLANKS = /[\u00A0\u2000-\u200A\u202F\u205F\u3000]/;

/** Reads the input with `read`. Returns null for an input with other fields, or with a path that did not come from the extension. */
const fromExtension =
  (fields: readonly string[], read: ReadTool): ReadTool =>
  (input) => {
    if (!Object.keys(input).every((name) => fields.includes(name))) return null;
    const path = textIn(input, 'path');
    if (path === null) return Object.hasOwn(input, 'path') ? null : read(input);
    return path.startsWith('/') && !OTHER_BLANKS.test(path) ? read(input) : null;
  };

/** If no file has the given name, pi tries other spellings that macOS may use. So the request names every spelling. */
function readAnySpelling(input: JsonObject): ToolCall | null {
  const path = textIn(input, 'path');
  if (path === null) return null;
  const decomposed = path.normalize('NFD');
  const names = [
    path,
    path.replace(/ (AM|PM)\./gi, '\u202F$1.'),
    decomposed,
    withCurlyQuotes(path),
    withCurlyQuotes(decomposed),
  ];
  return { kind: 'files', operations: [...new Set(names)].map((name) => ({ verb: 'read', path: name })) };
}

/** Replaces each `'` by the curly apostrophe that macOS uses in some file names. */
const withCurlyQuotes = (path: string): string => path.replaceAll("'", '\u2019');

export const piTools: HarnessTools = {
  tools: {
    bash: (input) => shellCall(input, 'command'),
    read: fromExtension(['path', 'offset', 'limit'], readAnySpelling),
    write: fromExtension(['path', 'content'], writeTool('path', 'content')),
    edit: fromExtension(['path', 'edits'], multiEditTool(FIELDS)),
    grep: fromExtension(
      ['pattern', 'path', 'glob', 'ignoreCase', 'literal', 'context', 'limit'],
      grepTool('path', 'glob'),
    ),
    find: fromExtension(['pattern', 'path', 'limit'], searchTool('path', 'pattern')),
    ls: fromExtension(['path', 'limit'], searchTool('path')),
  },
  denied: {
    powershell: 'it runs programs past the gate; use bash',
    codemode: 'it runs code past the gate; use bash',
  },
  ungated: [],
  /** All other tools come from extensions. The gate does not know these tools, and denies them. */
  isOfServer: () => false,
};
