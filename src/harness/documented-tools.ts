/**
 * File tools of harnesses that were not driven by us. Where the path stands in their input is documented for some versions only, so
 * several names are taken; an input with two of them is not known, and every change is bound whole, whatever its other members mean.
 */
import type { ReadTool } from './file-tools.ts';
import { type JsonObject, textIn } from './tool-call.ts';

type Verb = 'read' | 'search' | 'edit' | 'delete';

function onlyPath(input: JsonObject, names: readonly string[]): string | null {
  const found = names.filter((name) => Object.hasOwn(input, name));
  return found.length === 1 ? textIn(input, found[0] ?? '') : null;
}

/** @param names of the member that holds the path; a search without one looks below the working directory */
export const pathTool =
  (verb: Verb, ...names: readonly string[]): ReadTool =>
  (input) => {
    const hasNone = names.every((name) => !Object.hasOwn(input, name));
    const path = verb === 'search' && hasNone ? '.' : onlyPath(input, names);
    if (path === null || path === '') return null;
    if (verb === 'edit') return { kind: 'files', operations: [{ verb, path, input: JSON.stringify(input) }] };
    return { kind: 'files', operations: [{ verb, path }] };
  };
