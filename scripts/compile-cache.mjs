/** V8's compiled form of the files that `load` in src/main/ape-shell.ts reads. Only the node that made it can use it. */
import Module from 'node:module';
import { setFlagsFromString } from 'node:v8';
import { Script } from 'node:vm';

/** A call compiles the functions that it reaches one by one, which takes longer than reading all of them compiled. */
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
 * Returns the file with every function compiled, also those that no call has reached; null if this node would not take it.
 * @param {string} source
 * @param {string} filename
 */
function wholeScript(source, filename) {
  setFlagsFromString('--no-lazy');
  let cachedData;
  try {
    const script = new Script(source, { filename });
    setFlagsFromString('--lazy'); // before the data is made: it contains the flags, and the reader compares them
    cachedData = script.createCachedData();
  } finally {
    setFlagsFromString('--lazy');
  }
  return new Script(source, { filename, cachedData }).cachedDataRejected === false ? cachedData : null;
}
