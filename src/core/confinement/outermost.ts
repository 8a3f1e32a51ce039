/** Reduces a list of paths to its outermost paths. */
import { beginsWithDirectory } from '../text/path.ts';

/** Returns the paths that are not below another path of the list. Sorts the paths and drops duplicates. */
export function outermost(paths: readonly string[]): readonly string[] {
  const sorted = [...new Set(paths)].sort();
  const kept: string[] = [];
  for (const path of sorted) if (!kept.some((outer) => beginsWithDirectory(path, outer))) kept.push(path);
  return kept;
}
