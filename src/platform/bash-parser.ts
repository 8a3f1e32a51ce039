/**
 * Loads unbash (a package that parses the language of bash) on first use: `ape-shell -c` must start fast. Other files import only types
 * of unbash.
 */
import type { Parse } from '../core/reading/parse-text.ts';

export async function loadBashParser(): Promise<Parse> {
  const { parse } = await import('unbash');
  return parse;
}
