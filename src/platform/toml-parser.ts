/** The parser of TOML texts, loaded only when there is a text to read. The only file that uses smol-toml. */

/** The errors that the parser throws have `line` and `column`, both from 1. */
export async function loadTomlParser(): Promise<(text: string) => Record<string, unknown>> {
  const { parse } = await import('smol-toml');
  return parse;
}
