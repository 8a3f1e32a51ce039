/**
 * `rmdir -p a/b/c` also deletes `a/b` and `a` if these directories are empty. So the approver must see the parents that the word names, also
 * parents outside the working directory.
 */
import { ANYWHERE, type KnownPath, pathOfText } from './known-path.ts';
import type { Resource } from './permission.ts';
import type { UnderstoodCall } from './understood-call.ts';

/** Returns a delete of each parent that an operand names. Returns an empty list for a command other than `rmdir -p`. */
export function deletedParents({ tool, uses, operands, context }: UnderstoodCall): readonly Resource[] {
  if (tool !== 'rmdir' || !uses.some(({ rule }) => rule.canonical === '--parents')) return [];
  return operands
    .flatMap((word): readonly KnownPath[] =>
      word.kind === 'literal' ? parentsIn(word.value).map((text) => pathOfText(text, context, 'itself')) : [ANYWHERE],
    )
    .map((path) => ({ kind: 'path', access: 'delete', ...path }));
}

/**
 * Returns the parents that the path names: for `a/b/c`, `a` and `a/b`. The list has no `x/.` and no `x/..`, because rmdir(2) never deletes
 * them.
 */
function parentsIn(path: string): readonly string[] {
  const names = path.replace(/\/+$/, '').split('/');
  return names
    .map((_, end) => names.slice(0, end).join('/'))
    .filter((parent) => !/^\/*$|(?:^|\/)\.{1,2}$|\/$/.test(parent));
}
