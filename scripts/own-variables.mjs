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
/* As in an environment: with the sign after the name. */
${array(
  'naming_variables',
  NAMING_VARIABLES.map((name) => `${name}=`),
)}
/* APES_HOME first: if it is set, only it says which installation is meant. */
${array('installation_variables', INSTALLATION_VARIABLES)}
`;
}
