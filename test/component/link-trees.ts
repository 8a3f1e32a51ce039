/** Random trees of directories, files and symbolic links, and random paths in them. */
import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';

const NAMES = ['ape-a', 'ape-b', 'ape-c'] as const;
const anyPart = fc.constantFrom(...NAMES, ...NAMES, '.', '', '..');
export const anyPath = fc
  .array(anyPart, { minLength: 1, maxLength: 5 })
  .map((parts) => parts.join('/').replace(/^\/+/, ''));
/** The entries to make, in this order. An entry that cannot be made any more is left out. */
export const anyTree = fc.array(
  fc.record({
    at: fc.array(fc.constantFrom(...NAMES), { minLength: 1, maxLength: 3 }),
    what: fc.oneof(
      fc.constant('directory'),
      fc.constant('file'),
      anyPath.map((to) => `link ${to}`),
      anyPath.map((to) => `absolute ${to}`),
    ),
  }),
  { maxLength: 10 },
);

/** Makes the tree in a new directory below `root`. Returns the directory, which is so deep that a few `..` do not leave `root`. */
export function buildTree(
  root: string,
  tree: readonly { readonly at: readonly string[]; readonly what: string }[],
): string {
  const base = join(mkdtempSync(join(root, 't')), '1/2/3/4/5/6/7/8');
  mkdirSync(base, { recursive: true });
  for (const { at, what } of tree)
    try {
      const path = join(base, ...at);
      const target = what.slice(what.indexOf(' ') + 1);
      if (what === 'directory') mkdirSync(path, { recursive: true });
      else if (what === 'file') writeFileSync(path, 'x', { flag: 'wx' });
      else symlinkSync(what.startsWith('absolute') ? `${base}/${target}` : target === '' ? '.' : target, path);
    } catch {
      // Another entry is there, or the parent is no directory.
    }
  return base;
}
