/** Whether a parser sees a complete, well-formed command. */
import { loadBashParser } from '../../platform/bash-parser.ts';
import { endsInsideEscape } from './escape.ts';

/** Above these limits the check could take too long, so `isWholeCommand` returns false. */
const MAX_TEXT_LENGTH = 65_536;
const MAX_NODES = 50_000;

/** If the result is false, the text may still be complete. The caller then has to ask bash. */
export async function isWholeCommand(text: string): Promise<boolean> {
  if (text.length > MAX_TEXT_LENGTH || endsInsideEscape(text)) return false;
  const parse = await loadBashParser();
  try {
    return isSound(parse(text));
  } catch {
    return false;
  }
}

/** Whether no node has an error, and each here-document has its delimiter line. Does not recurse: a deep tree could exhaust the stack. */
function isSound(tree: unknown): boolean {
  const waiting: unknown[] = [tree];
  for (let seen = 0; waiting.length > 0; seen++) {
    if (seen > MAX_NODES) return false;
    const node = waiting.pop();
    if (typeof node !== 'object' || node === null) continue;
    const fields = node as Readonly<Record<string, unknown>>;
    if (Array.isArray(fields['errors']) && fields['errors'].length > 0) return false;
    if (fields['type'] === 'HereDoc' && fields['closing'] === undefined) return false;
    for (const key of [...Object.keys(fields), ...LAZY]) waiting.push(fields[key]);
  }
  return true;
}

/** Properties with getters, which `Object.keys` does not list. */
const LAZY = ['parts', 'script'];
