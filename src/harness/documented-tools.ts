/**
 * Reads inputs of file tools that we know only from the documentation of their harness. The documentation names the member with the path
 * for some versions only. So the gate tries several names, and denies an input that has two of these names. The meaning of the other
 * members is not known. So a grant for an edit covers only the exact input.
 */
import type { ReadTool } from './file-tools.ts';
import { type JsonObject, textIn } from './tool-call.ts';

type Verb = 'read' | 'search' | 'edit' | 'delete';

function onlyPath(input: JsonObject, names: readonly string[]): string | null {
  const found = names.filter((name) => Object.hasOwn(input, name));
  return found.length === 1 ? textIn(input, found[0] ?? '') : null;
}

/**
 * @param names possible names of the member with the path. If the input has no member with one of these names, a search searches the
 *              working directory
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
