/** Makes V8's compiled form of the files that src/platform/built-file.ts loads. Only the node that made it can use it. */
import { readdirSync, readFileSync } from 'node:fs';
import Module, { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { Script } from 'node:vm';
import { place } from './place-file.mjs';

/**
 * Files in which all functions are compiled. V8 otherwise compiles each function at its first call. For a file whose functions are mostly
 * called, this takes longer than to read all compiled functions.
 */
const WHOLE = /(?:^|\/)one-shot\.cjs$/;
/** Files that are loaded here, so that the compiled form has the functions that run while the file is loaded, and no other function. */
const LOADED = /(?:^|\/)(?:interactive|after-prompt|looking-up)\.cjs$/;

/** Files that node loads by itself, without the compiled form. */
const STARTED = ['ape-shell.cjs', 'apes.cjs', 'program.cjs'];

/**
 * Puts the compiled form beside each file of the build that has one.
 * @param {string} dist  absolute path
 */
export function compileAll(dist) {
  for (const folder of ['main', 'lazy'])
    for (const name of readdirSync(join(dist, folder))) {
      if (!name.endsWith('.cjs') || STARTED.includes(name)) continue;
      const path = join(dist, folder, name);
      const { path: file, contents } = compiled({ path, text: readFileSync(path, 'utf8') });
      place(file, contents);
    }
}

/**
 * A file of `LOADED` is loaded, so the files beside it that it requires must exist.
 * @param {{ path: string, text: string }} file
 * @returns {{ path: string, contents: Uint8Array }}
 */
export function compiled({ path, text }) {
  const source = Module.wrap(text);
  const whole = WHOLE.test(path) ? wholeScript(source, path) : null;
  return { path: `${path}.cache`, contents: whole ?? scriptOf(source, path).createCachedData() };
}

/**
 * @param {string} source
 * @param {string} filename
 */
function scriptOf(source, filename) {
  const script = new Script(source, { filename });
  const module = { exports: {} };
  if (LOADED.test(filename))
    script
      .runInThisContext()
      .call(module.exports, module.exports, createRequire(filename), module, filename, dirname(filename));
  return script;
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
