/** Loads our own code that reads a harness's screen, so that the tripwire reads each screen as `apes send` does. */
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const SOURCE = fileURLToPath(new URL('../../src/core/harness/harnesses.ts', import.meta.url));

/** @returns {Promise<(screen: object) => {kind: string}>} */
export async function loadScreens(harness, directory) {
  const outfile = join(directory, 'screens.mjs');
  await build({ entryPoints: [SOURCE], bundle: true, format: 'esm', platform: 'node', outfile, logLevel: 'error' });
  const { harnessNamed, readScreen } = await import(pathToFileURL(outfile).href);
  return (screen) => readScreen(harnessNamed(harness), screen);
}
