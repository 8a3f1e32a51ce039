/** Reads shell texts from the test suites of other shells: each line and each paragraph of a file. In Go files it does this with each string. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';

const MAX_TEXT = 4_000;
const MAX_FILE_BYTES = 1024 * 1024;

/**
 * @param {string} directory
 * @returns {string[]} each text once, without texts that have a NUL or are not UTF-8
 */
export function textsOf(directory) {
  /** @type {Set<string>} */
  const texts = new Set();
  for (const file of filesIn(directory)) for (const text of textsIn(file)) texts.add(text);
  return [...texts].filter((text) => text.trim() !== '' && text.length <= MAX_TEXT && !/[\0\ufffd]/.test(text));
}

/** @type {(directory: string) => Generator<string>} */
function* filesIn(directory) {
  for (const name of readdirSync(directory).sort()) {
    const file = path.join(directory, name);
    const found = statSync(file, { throwIfNoEntry: false });
    if (found?.isDirectory()) yield* filesIn(file);
    else if (found?.isFile() && found.size <= MAX_FILE_BYTES) yield file;
  }
}

/** @type {(file: string) => Generator<string>} */
function* textsIn(file) {
  const text = readFileSync(file, 'utf8');
  const sources = file.endsWith('.go') ? goStrings(text) : [text];
  for (const source of sources) {
    if (file.endsWith('.go')) yield source;
    yield* source.split('\n').map((line) => line.trim());
    yield* source.split(/\n\s*\n/);
  }
}

/** @type {Readonly<Record<string, string>>} */
const ESCAPES = { n: '\n', t: '\t' };

/** Returns the strings of a Go source: raw ones, and those in quotes, in which only `\\n` and `\\t` are decoded. @param {string} text */
function goStrings(text) {
  /** @type {string[]} */
  const found = [];
  for (const [, raw, quoted] of text.matchAll(/`([^`]*)`|"((?:[^"\\\n]|\\.)*)"/g))
    found.push(raw ?? (quoted ?? '').replaceAll(/\\(.)/g, (_, escaped) => ESCAPES[escaped] ?? escaped));
  return found;
}
