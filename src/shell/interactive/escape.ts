/** Whether a text ends in a backslash that joins the next line. A backslash that is itself escaped does not join it. */
export function endsInsideEscape(text: string): boolean {
  const trailing = /\\+$/.exec(text);
  return trailing !== null && trailing[0].length % 2 === 1;
}
