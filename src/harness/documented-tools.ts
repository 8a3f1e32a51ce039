/**
 * Reads inputs of file tools that we know only from the documentation of their harness. The documentation names the member with the path
 * for some versions only. So the gate tries several names, and denies an input that has two of these names. The meaning of the other
 * members is not known. So a request for an edit binds the whole input.
 */
import type { WantedOperation } from '../gate/file-operation.ts';
import { furtherPlaces, type ReadTool, wholeInput } from './file-tools.ts';
import { otherTexts } from './other-members.ts';
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
    if (verb === 'edit') return wholeInput(path, input, otherTexts(input, ...names));
    const further = furtherPlaces(input, ...names);
    if (further === null) return null;
    return { kind: 'files', operations: [path, ...further].map((place): WantedOperation => ({ verb, path: place })) };
  };
