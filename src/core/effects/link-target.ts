/** `ln -s TARGET LINK`: a relative target is relative to the link's directory, not to the working directory. */
import { pathOfWord, pathsOfWord } from './path-of-word.ts';
import type { Resource } from './permission.ts';
import type { ToolForm } from './tool-form.ts';

/**
 * Returns each path to which the link may lead, as a resource that is read. Returns an empty list if the command is not `ln -s`. The list
 * is empty for `--relative` too: this option makes the targets relative to the working directory.
 */
export function linkTargets({ tool, uses, operands, context }: ToolForm): readonly Resource[] {
  const names = new Set(uses.map(({ rule }) => rule.canonical));
  if (tool !== 'ln' || !names.has('--symbolic') || names.has('--relative')) return [];
  const directory = uses.find(({ rule }) => rule.canonical === '--target-directory')?.value ?? null;
  const targets = directory === null ? operands.slice(0, -1) : operands;
  const link = directory ?? operands.at(-1);
  if (link === undefined) return [];
  const place = pathOfWord(link, context, 'itself');
  const followed = pathOfWord(link, context, 'target');
  // LINK is the name of the link, or a directory in which the link is made.
  const bases =
    place.isExact && followed.isExact
      ? [place.value.replace(/\/[^/]*$/, '') || '/', place.value, followed.value]
      : [null];
  return targets.flatMap((target) =>
    [...new Set(bases)].flatMap((cwd) =>
      pathsOfWord(target, { ...context, cwd }, 'target').map(
        (path): Resource => ({ kind: 'path', access: 'read', ...path }),
      ),
    ),
  );
}
