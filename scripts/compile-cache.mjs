/** V8's compiled form of the files that `load` in src/main/ape-shell.ts reads. Only the node that made it can use it. */
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
