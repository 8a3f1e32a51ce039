import { beginsWithDirectory } from '../files/file-operation.ts';

/** The paths without those that are inside of another one: sorted, each once. */
export function outermost(paths: readonly string[]): readonly string[] {
  const sorted = [...new Set(paths)].sort();
  const kept: string[] = [];
  for (const path of sorted) if (!kept.some((outer) => beginsWithDirectory(path, outer))) kept.push(path);
  return kept;
}
