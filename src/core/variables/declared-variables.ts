/** Reads the output of `declare -p`, in which a session's bash reports all its variables. */

/**
 * A variable of a session.
 * @property attributes the letters of the attributes, such as `x`; empty: none
 * @property value the value as plain text; null: the variable has attributes, but no value. In four cases, `value` is the text behind
 *                 `NAME=` with its quotes: for an array, for a name reference, for a value with control characters, and for a value
 *                 that begins with `"`, `(` or `$`. The fourth case keeps its quotes for this reason: a bare value that begins
 *                 with `(` could look like an array, with `"` like a name reference, and with `$` like a value with control
 *                 characters
 * @property parts the value, or the values of an array; also the keys of an associative array. Escapes in `$'…'` stay as they are
 */
export interface DeclaredVariable {
  readonly isExported: boolean;
  readonly attributes: string;
  readonly value: string | null;
  readonly parts: readonly string[];
}

const DECLARATION = /declare -([\w-]+) ([A-Za-z_]\w*)(?:=|\n|$)/y;
/** A text in quotes, or the text between such texts. A value in quotes may contain line breaks. */
const PIECE = /"((?:[^"\\]|\\[\s\S])*)"|(\$'(?:[^'\\]|\\[\s\S])*')|([^"'$\n]+)/y;

/** Returns the keys that bash writes without quotes: `k` in `([k]=` and in ` [k]=`. */
const keysIn = (between: string): readonly string[] => [...between.matchAll(/\[(.+?)\]=/g)].map(([, key = '']) => key);

/** Returns the variables by name, also those without a value; null if the text cannot be read. */
export function declaredVariables(text: string): ReadonlyMap<string, DeclaredVariable> | null {
  const variables = new Map<string, DeclaredVariable>();
  for (let at = 0; at < text.length; ) {
    DECLARATION.lastIndex = at;
    const [whole = '', attributes = '', name = ''] = DECLARATION.exec(text) ?? [];
    if (whole === '') return null;
    at += whole.length;
    const letters = attributes.replaceAll('-', '');
    const isExported = letters.includes('x');
    if (!whole.endsWith('=')) {
      variables.set(name, { isExported, attributes: letters, value: null, parts: [] });
      continue;
    }
    const start = at;
    const parts: string[] = [];
    for (PIECE.lastIndex = at; at < text.length && text[at] !== '\n'; at = PIECE.lastIndex) {
      const [piece, inQuotes, escaped, between = ''] = PIECE.exec(text) ?? [];
      if (piece === undefined) return null;
      const part = escaped ?? inQuotes?.replace(/\\(["$\\`])/g, '$1');
      if (part !== undefined) parts.push(part);
      if (attributes.includes('A')) parts.push(...keysIn(between));
    }
    // A plain text must not look like the text of an array, of a reference or of `$'…'`.
    const isPlainText = !/[aAn]/.test(attributes) && parts.length === 1 && !/^["($]/.test(parts[0] ?? '');
    const value = isPlainText ? (parts[0] ?? '') : text.slice(start, at);
    variables.set(name, { isExported, attributes: letters, value, parts });
    at += 1;
  }
  return variables;
}
