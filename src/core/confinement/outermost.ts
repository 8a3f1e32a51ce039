import { beginsWithDirectory } from '../files/file-operation.ts';

/** Sorted, each once, and none that lies in another. */
export function outermost(paths: readonly string[]): readonly string[] {
  const sorted = [...new Set(paths)].sort();
  const kept: string[] = [];
  for (const path of sorted) if (!kept.some((outer) => beginsWithDirectory(path, outer))) kept.push(path);
  return kept;
}
