/**
 * `mkdir -p a/b/c` also makes `a` and `a/b` if these parents are missing. So the approver must see the parents. The confinement must allow
 * mkdir to make the parents.
 */
import type { Word } from '../reading/reading.ts';
import type { Spelling } from '../reading/spelling.ts';
import { baseName, parentOf } from '../text/path.ts';
import type { CommandContext } from './command-context.ts';
import { ANYWHERE } from './known-path.ts';
import type { Resource } from './permission.ts';
import type { UnderstoodCall } from './understood-call.ts';

/**
 * Returns a write of each parent that is missing now. Returns an empty list for a command other than `mkdir -p`. If an operand possibly
 * has `..` after a name, returns one write to an unknown path: `mkdir -p a/../b` also makes `a`.
 *
 * If the host cannot look up a parent, that parent is left out. A confined line then starts only if the approval lets the command write in
 * an existing directory above the missing parents.
 */
export function missingParents({ tool, uses, operands, resources, context }: UnderstoodCall): readonly Resource[] {
  if (tool !== 'mkdir' || !uses.some(({ rule }) => rule.canonical === '--parents')) return [];
  if (operands.some(goesUpAgain)) return [{ kind: 'path', access: 'write', ...ANYWHERE }];
  const missing = new Set<string>();
  for (const { kind, access, value, isExact } of resources) {
    if (kind !== 'path' || access !== 'write' || !isExact) continue;
    for (let at = parentOf(value); !missing.has(at) && isMissing(at, context); at = parentOf(at)) missing.add(at);
  }
  return [...missing].map((value) => ({ kind: 'path', access: 'write', value, isExact: true }));
}

/** Whether an expansion of the word possibly has `..` after a name. Also true for `a..b`, and if the expansions are not known. */
function goesUpAgain(word: Word): boolean {
  const texts = word.kind === 'literal' ? [word.value] : word.spellings?.map(spelledLike);
  return texts === undefined || texts.some((text) => text.replace(/^\/*(\.{1,2}\/+)*/, '').includes('..'));
}

/**
 * Returns the text of the spelling, with globs as written. The text has `x` for the home directory and for a path that `find` inserts. Both
 * paths exist. So mkdir makes none of their parents, and a `..` inside these paths does not count.
 */
const spelledLike = ({ isHome, pieces }: Spelling): string =>
  (isHome ? 'x' : '') +
  pieces.map((piece) => (piece.kind === 'text' ? piece.value : piece.kind === 'glob' ? piece.source : 'x')).join('');

function isMissing(path: string, { matchesOf }: CommandContext): boolean {
  if (path === '/') return false;
  const name = baseName(path);
  return matchesOf?.(parentOf(path), [[{ kind: 'text', value: name }]])?.length === 0;
}
