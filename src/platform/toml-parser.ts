/** The parser of TOML texts, loaded when there is one to read. The only file that knows smol-toml. */

/** What it throws has `line` and `column`, from 1. */
export async function loadTomlParser(): Promise<(text: string) => Record<string, unknown>> {
  const { parse } = await import('smol-toml');
  return parse;
}
