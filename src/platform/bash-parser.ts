/** The parser of bash. The only file that knows unbash, which is loaded on first use: `ape-shell -c` must not pay for it. */
import type { Parse } from '../core/reading/parse-text.ts';

export async function loadBashParser(): Promise<Parse> {
  const { parse } = await import('unbash');
  return parse;
}
