/**
 * The compile cache of the build is used by other processes than the one that made it. It has every function of the one-shot, and the
 * functions of the interactive shell that run while its file is loaded.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { compiled } from '../../scripts/compile-cache.mjs';
import { removeDirectory } from '../../scripts/remove-directory.mjs';

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'ape-cache-'));
});
afterAll(() => removeDirectory(directory));

/** Declares functions that were not called yet when the file was compiled. */
const TEXT = Array.from(
  { length: 200 },
  (_, at) => `exports.f${at} = function (a) { return a === ${at} ? 'x${at}' : [a, ${at}].join(); };`,
)
  .concat('exports.f7(7); for (let at = 50; at < 75; at++) exports[`f${at}`](at);')
  .join('\n');

const READER = `
  const [file] = process.argv.slice(1);
  const { readFileSync } = require('node:fs');
  const { wrap } = require('node:module');
  const { Script } = require('node:vm');
  const cachedData = readFileSync(file + '.cache');
  const script = new Script(wrap(readFileSync(file, 'utf8')), { filename: file, cachedData });
  const module_ = { exports: {} };
  script.runInThisContext().call(module_.exports, module_.exports, require, module_, file, '/');
  console.log(JSON.stringify([script.cachedDataRejected, module_.exports.f7(7), module_.exports.f8(1)]));
`;

function madeFor(name: string) {
  const path = join(directory, name);
  writeFileSync(path, TEXT);
  const { path: cache, contents } = compiled({ path, text: TEXT });
  writeFileSync(cache, contents);
  const read = execFileSync(process.execPath, ['-e', READER, path], { encoding: 'utf8' });
  return { size: contents.length, read: JSON.parse(read) as unknown };
}

it('another process uses the cache, which has the whole code of the one-shot', () => {
  const [lazy, loaded, whole] = [madeFor('other.cjs'), madeFor('interactive.cjs'), madeFor('one-shot.cjs')];
  for (const { read } of [lazy, loaded, whole]) expect(read).toEqual([false, 'x7', '1,8']);
  expect(loaded.size).toBeGreaterThan(1.1 * lazy.size);
  expect(whole.size).toBeGreaterThan(1.5 * loaded.size);
  // The flags of this process are restored: what it compiles next is not compiled as a whole.
  expect(madeFor('another.cjs').size).toBeLessThan(1.1 * lazy.size);
});
