/** Loads the TOML parser on demand. Only this file imports smol-toml. */

/** Errors of the parser have `line` and `column`, both counted from 1. */
export async function loadTomlParser(): Promise<(text: string) => Record<string, unknown>> {
  const { parse } = await import('smol-toml');
  return parse;
}
