/**
 * Loads the parser of bash (unbash) on first use: loading takes time that `ape-shell -c` does not have. Other files import only types of
 * unbash.
 */
import type { Parse } from '../core/reading/parse-text.ts';

export async function loadBashParser(): Promise<Parse> {
  const { parse } = await import('unbash');
  return parse;
}
