/**
 * Finds the members of a tool's input that ape-shell does not know and that can name a place. A tool may have several names for the member
 * with the path. If the input has two such members, the tool may use one and the gate the other.
 */
import { isObject, type JsonObject } from './tool-call.ts';

/** Members that name no place: texts about the call, its id, and checks that can only make the call fail. */
const HARMLESS = /^(?:description|explanation|expected_replacements|id|instruction|purpose|reason|summary|title)$/i;

/** Members that can change what a tool reads or writes, but not the place: contents, patterns, modes. */
const NO_PLACE =
  /^(?:after|before|case\w*|cell_?(?:id|number|type)|contents?|edit_?mode|encoding|eol|exclude\w*|file_?text|file_filtering\w*|format|ignore\w*|instructions|language|line_?endings?|mode|(?:new|old)_?(?:content|source|str|string|text)|output_?mode|pages|pattern|prompt|query|regexp?|sort\w*|text|type)$/i;

const NOT_GIVEN: ReadonlySet<unknown> = new Set([undefined, null, false, '']);

/** Returns the members that the gate does not know and that can change what the tool does. */
const others = (input: JsonObject, known: readonly string[]): readonly (readonly [string, unknown])[] =>
  Object.entries(input).filter(
    ([name, value]) => !known.includes(name) && !HARMLESS.test(name) && !NOT_GIVEN.has(value),
  );

/** Whether the input has a member besides `known` which the tool may obey: `append`, `mode`, `encoding`. */
export const hasOther = (input: JsonObject, ...known: readonly string[]): boolean => others(input, known).length > 0;

/** Returns the texts of the members besides `known` that can name a place. Numbers and `true` name no place. */
export const otherTexts = (input: JsonObject, ...known: readonly string[]): readonly string[] =>
  others(input, known).flatMap(([name, value]) => (NO_PLACE.test(name) ? [] : textsIn(value)));

/** Returns all texts in a JSON value, also the names of members: an object can have paths as names. */
function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return value.trim() === '' ? [] : [value];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  return isObject(value) ? Object.entries(value).flatMap(([name, inner]) => [name, ...textsIn(inner)]) : [];
}
