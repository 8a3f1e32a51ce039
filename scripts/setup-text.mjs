/** Joins the parts of the set-up text (src/pty/setup.bash): bash gets the text as one file. */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** A line of the set-up text that names a part. */
const PART = /^\. (setup\/[a-z-]+\.bash)$/gm;

/**
 * Returns the set-up text with each part in place of the line that names it. Throws if a part is missing.
 * @param {string} root  the directory of the project
 */
export function setupText(root) {
  const file = join(root, 'src/pty/setup.bash');
  return readFileSync(file, 'utf8').replaceAll(PART, (_, part) =>
    readFileSync(join(dirname(file), part), 'utf8').trimEnd(),
  );
}
