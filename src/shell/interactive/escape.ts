/** Whether a text ends in a backslash that joins the next line, which one that is escaped itself does not. */
export function endsInsideEscape(text: string): boolean {
  const trailing = /\\+$/.exec(text);
  return trailing !== null && trailing[0].length % 2 === 1;
}
