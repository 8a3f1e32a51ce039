/** Makes the list of our own variables for the C programs from the list in src/core. */
import { readFileSync } from 'node:fs';
import { transform } from 'esbuild';

const SOURCE = new URL('../src/core/variables/own-variables.ts', import.meta.url);

/** @type {(name: string, texts: readonly string[]) => string} */
const array = (name, texts) => `static const char *const ${name}[] = {${texts.map((each) => `"${each}"`).join(', ')}};`;

export async function ownVariablesHeader() {
  const { code } = await transform(readFileSync(SOURCE, 'utf8'), { loader: 'ts', format: 'esm' });
  /** @type {typeof import('../src/core/variables/own-variables.ts')} */
  const { OWN_PREFIXES, NAMING_VARIABLES, INSTALLATION_VARIABLES } = await import(
    `data:text/javascript,${encodeURIComponent(code)}`
  );
  return `/* Our own variables. Written by scripts/build.mjs from src/core/variables/own-variables.ts: change them there. */
#pragma once
${array('own_prefixes', OWN_PREFIXES)}
/* Our variables that a command keeps, because they name the installation. Each has its \`=\`. */
${array(
  'naming_variables',
  NAMING_VARIABLES.map((name) => `${name}=`),
)}
/* The variables that choose the installation. APES_HOME is first: if it is set, the others do not count. */
${array('installation_variables', INSTALLATION_VARIABLES)}
`;
}
