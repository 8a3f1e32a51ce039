/** A backslash at the very end of a text joins the next line, unless it is escaped itself. */
export function endsInsideEscape(text: string): boolean {
  const trailing = /\\+$/.exec(text);
  return trailing !== null && trailing[0].length % 2 === 1;
}
