/**
 * Whether a text ends in a backslash that no other backslash escapes. Such a backslash continues the command on the next line. A backslash
 * in single quotes or in a comment continues nothing, but this function does not recognise these cases.
 */
export function endsInsideEscape(text: string): boolean {
  const trailing = /\\+$/.exec(text);
  return trailing !== null && trailing[0].length % 2 === 1;
}
