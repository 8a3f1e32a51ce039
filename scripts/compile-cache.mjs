/** V8's own form of the files that `load` in src/main/ape-shell.ts reads; good for this very node only. */
import Module from 'node:module';
import { Script } from 'node:vm';

/**
 * @param {{ path: string, text: string }} file
 * @returns {{ path: string, contents: Uint8Array }}
 */
export const compiled = ({ path, text }) => ({
  path: `${path}.cache`,
  contents: new Script(Module.wrap(text), { filename: path }).createCachedData(),
});
