/** The parser of bash. The only file that uses unbash, which it loads on first use: loading takes time that `ape-shell -c` does not have. */
import type { Parse } from '../core/reading/parse-text.ts';

export async function loadBashParser(): Promise<Parse> {
  const { parse } = await import('unbash');
  return parse;
}
