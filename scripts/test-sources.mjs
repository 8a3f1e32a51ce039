/** Loads TypeScript of src/ and test/ into a script, by a temporary bundle. */
import { rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
let loaded = 0;

/**
 * @param {string} contents the source to load; its imports are relative to test/fuzz. The bundle is written into the project, so that it
 *   finds the packages.
 * @returns {Promise<any>} the exports of that source; the compiler cannot know them
 */
export async function loadTestSources(contents) {
  // Each bundle has another name, because a second import of the same file name would return the first module.
  const outfile = path.join(root, `test/fuzz/.loaded-${process.pid}-${++loaded}.mjs`);
  await build({
    stdin: { contents, resolveDir: path.join(root, 'test/fuzz'), loader: 'ts' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    define: { 'import.meta.url': JSON.stringify(pathToFileURL(path.join(root, 'test/corpus/corpus.ts')).href) },
    outfile,
    logLevel: 'error',
  });
  try {
    return await import(pathToFileURL(outfile).href);
  } finally {
    rmSync(outfile);
  }
}
