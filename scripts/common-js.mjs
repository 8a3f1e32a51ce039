/**
 * Turns the ES modules of a build into CommonJS. V8's compiled form can be kept only for CommonJS: Node 20 has no such thing for ES modules,
 * and compiles them anew at every start.
 */
import { transform } from 'esbuild';

/** Stands for `import.meta.url`, which CommonJS does not have. */
const URL_NAME = 'importMetaUrl';
const URL_TEXT = `const ${URL_NAME}=require("node:url").pathToFileURL(__filename).href;`;

/** As esbuild prints an `import()` of a path that is no literal. */
const COMPUTED = /\(require\((?!["'])/;

/**
 * Rejects at an error or a warning of esbuild. `import()` becomes `require()`, which cannot load ES modules. So this function also rejects an
 * `import()` of a path that the file computes.
 * @param {{ readonly path: string, readonly contents: string }} file  an ES module without `await` at its top level
 * @returns {Promise<{ path: string, text: string }>}
 */
export async function asCommonJs({ path, contents }) {
  const { code, warnings } = await transform(contents, {
    format: 'cjs',
    platform: 'node',
    target: 'node20.19',
    supported: { 'dynamic-import': false },
    define: { 'import.meta.url': URL_NAME },
    minifySyntax: true,
    minifyWhitespace: true, // names stay, so that stack traces can be read
    logLevel: 'silent',
  });
  if (warnings.length > 0) throw new Error(`${path}: ${warnings.map(({ text }) => text).join('; ')}`);
  if (COMPUTED.test(code)) throw new Error(`${path}: an import() of a computed path`);
  return { path, text: code.includes(URL_NAME) ? `${URL_TEXT}${code}` : code };
}
