/** Leaves out paths that another path of the list includes. */
import { beginsWithDirectory } from '../files/file-operation.ts';

/** Returns the other paths, sorted, each once. */
export function outermost(paths: readonly string[]): readonly string[] {
  const sorted = [...new Set(paths)].sort();
  const kept: string[] = [];
  for (const path of sorted) if (!kept.some((outer) => beginsWithDirectory(path, outer))) kept.push(path);
  return kept;
}
