/** `npm ci` and `npm pack` call this: it builds `dist/`. For a package it then replaces the two programs with placeholders until npm has packed. */
import { fileURLToPath } from 'node:url';
import { putPlaceholders, takePlaceholders } from './placeholder.mjs';

const bin = fileURLToPath(new URL('../../dist/bin', import.meta.url));
const isForPackage = ['pack', 'publish'].includes(process.env.npm_command ?? '');

if (process.argv.includes('--after')) takePlaceholders(bin);
else {
  await import('../build.mjs');
  if (isForPackage) putPlaceholders(bin);
}
