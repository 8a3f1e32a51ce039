/**
 * The tools of pi, as our extension sends their calls from `tool_call`. Shapes seen in 0.74.2 and 0.87.1. The extension makes each path
 * absolute as pi would. A path that is not absolute did not come through it, and is denied.
 */
import { multiEditTool, type ReadTool, searchTool, writeTool } from '../file-tools.ts';
import type { HarnessTools } from '../harness-tools.ts';
import { type JsonObject, shellCall, type ToolCall, textIn } from '../tool-call.ts';

const FIELDS = { path: 'path', oldText: 'oldText', newText: 'newText', all: 'all' };

const OTHER_BLANKS = /[\u00A0\u2000-\u200A\u202F\u205F\u3000]/;

/** Null for an input with other fields, or with a path that the extension did not make absolute. */
const placed =
  (fields: readonly string[], read: ReadTool): ReadTool =>
  (input) => {
    if (!Object.keys(input).every((name) => fields.includes(name))) return null;
    const path = textIn(input, 'path');
    if (path === null) return Object.hasOwn(input, 'path') ? null : read(input);
    return path.startsWith('/') && !OTHER_BLANKS.test(path) ? read(input) : null;
  };

/** Where no file has the given name, pi tries spellings that macOS may have used. So the request names each of them. */
function read(input: JsonObject): ToolCall | null {
  const path = textIn(input, 'path');
  if (path === null) return null;
  const decomposed = path.normalize('NFD');
  const names = [path, path.replace(/ (AM|PM)\./gi, '\u202F$1.'), decomposed, curly(path), curly(decomposed)];
  return { kind: 'files', operations: [...new Set(names)].map((name) => ({ verb: 'read', path: name })) };
}

const curly = (path: string): string => path.replaceAll("'", '\u2019');

export const piTools: HarnessTools = {
  tools: {
    bash: (input) => shellCall(input, 'command'),
    read: placed(['path', 'offset', 'limit'], read),
    write: placed(['path', 'content'], writeTool('path', 'content')),
    edit: placed(['path', 'edits'], multiEditTool(FIELDS)),
    grep: placed(['pattern', 'path', 'glob', 'ignoreCase', 'literal', 'context', 'limit'], searchTool('path', 'glob')),
    find: placed(['pattern', 'path', 'limit'], searchTool('path', 'pattern')),
    ls: placed(['path', 'limit'], searchTool('path')),
  },
  denied: {
    powershell: 'it runs programs past the gate; use bash',
    codemode: 'it runs code past the gate; use bash',
  },
  ungated: [],
  /** Other tools come from extensions. The gate knows none of them, and denies each. */
  isForeign: () => false,
};
