/** Files that a case or a harness needs before it starts. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Writes JSON files below a directory, and makes their folders. */
export function writeFiles(directory, files) {
  for (const [name, value] of Object.entries(files)) {
    const path = join(directory, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, `${JSON.stringify(value, null, 2)}\n`);
  }
}
