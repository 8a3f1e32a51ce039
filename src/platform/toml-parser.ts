/** The parser of TOML texts, loaded only when there is a text to read. The only file that uses smol-toml. */

/** Its errors have `line` and `column`, from 1. */
export async function loadTomlParser(): Promise<(text: string) => Record<string, unknown>> {
  const { parse } = await import('smol-toml');
  return parse;
}
