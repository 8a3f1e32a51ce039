/** Looks at a path without following a link at its end. */
import { lstatSync, type Stats } from 'node:fs';

/** Returns null for every error: nothing exists there, a parent is not a directory, access is denied. */
export function statsOf(path: string): Stats | null {
  try {
    return lstatSync(path);
  } catch {
    return null;
  }
}
