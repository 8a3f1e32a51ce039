/** Writes the JSON files that a harness or a case needs. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Writes each value of `files` as JSON below `directory`, and makes the folders. The key is the path of the file. */
export function writeFiles(directory, files) {
  for (const [name, value] of Object.entries(files)) {
    const path = join(directory, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, `${JSON.stringify(value, null, 2)}\n`);
  }
}
