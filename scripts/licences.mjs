/** Collects the licences of the npm packages whose code is bundled into `dist/`, because our package must contain their texts. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const IS_LICENCE = /^(?:licen[cs]e|copying|notice)(?:[.-].*)?$/i;

/**
 * @param {readonly import('esbuild').Metafile[]} metafiles  one for each bundle
 * @returns {string} the text of the licence of each package
 * @throws if a package names no licence
 */
export function licencesOf(metafiles) {
  const inputs = metafiles.flatMap(({ outputs }) => Object.values(outputs).flatMap((each) => Object.keys(each.inputs)));
  const folders = new Set(inputs.flatMap((path) => packageFolder(path) ?? []));
  return [...folders].sort().map(licenceOf).join('\n');
}

/** @type {(path: string) => string | null} */
const packageFolder = (path) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? null;

/** @type {(folder: string) => string} */
function licenceOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  if (typeof license !== 'string') throw new Error(`${folder}/package.json names no licence: it must not be bundled`);
  const files = existsSync(folder) ? readdirSync(folder).filter((each) => IS_LICENCE.test(each)) : [];
  const texts = files.map((each) => readFileSync(join(folder, each), 'utf8').trim());
  return [`${'='.repeat(80)}`, `${name} ${version} (${license})`, '', ...texts, ''].join('\n');
}
