/** Makes V8's compiled form of the files that `load` in src/main/ape-shell.ts reads. Only the node that made it can use it. */
import Module from 'node:module';
import { setFlagsFromString } from 'node:v8';
import { Script } from 'node:vm';

/** Files in which all functions are compiled: V8 otherwise compiles each function at its first call, which takes longer than to read all. */
const WHOLE = /(?:^|\/)one-shot\.cjs$/;

/**
 * @param {{ path: string, text: string }} file
 * @returns {{ path: string, contents: Uint8Array }}
 */
export function compiled({ path, text }) {
  const source = Module.wrap(text);
  const whole = WHOLE.test(path) ? wholeScript(source, path) : null;
  return { path: `${path}.cache`, contents: whole ?? new Script(source, { filename: path }).createCachedData() };
}

/**
 * Returns the compiled form of the file with all its functions; null if this node does not accept such data.
 * @param {string} source
 * @param {string} filename
 */
function wholeScript(source, filename) {
  setFlagsFromString('--no-lazy');
  let cachedData;
  try {
    const script = new Script(source, { filename });
    setFlagsFromString('--lazy'); // before the data is made: the data contains the flags, and its reader compares them
    cachedData = script.createCachedData();
  } finally {
    setFlagsFromString('--lazy');
  }
  return new Script(source, { filename, cachedData }).cachedDataRejected === false ? cachedData : null;
}
