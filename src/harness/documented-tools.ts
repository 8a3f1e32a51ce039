/**
 * Reads file tools of harnesses that we know only by their documentation. The name of the member with the path is documented for some
 * versions only, so several names are tried; an input with two of them is denied. A grant for an edit covers only the exact input, because
 * the meaning of the other members is not known.
 */
import type { ReadTool } from './file-tools.ts';
import { type JsonObject, textIn } from './tool-call.ts';

type Verb = 'read' | 'search' | 'edit' | 'delete';

function onlyPath(input: JsonObject, names: readonly string[]): string | null {
  const found = names.filter((name) => Object.hasOwn(input, name));
  return found.length === 1 ? textIn(input, found[0] ?? '') : null;
}

/**
 * @param names possible names of the member with the path; a search whose input has none of them is in the working directory
 */
export const pathTool =
  (verb: Verb, ...names: readonly string[]): ReadTool =>
  (input) => {
    const hasNone = names.every((name) => !Object.hasOwn(input, name));
    const path = verb === 'search' && hasNone ? '.' : onlyPath(input, names);
    if (path === null || path === '') return null;
    if (verb === 'edit') return { kind: 'files', operations: [{ verb, path, input: JSON.stringify(input) }] };
    return { kind: 'files', operations: [{ verb, path }] };
  };
