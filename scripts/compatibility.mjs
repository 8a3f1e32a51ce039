/** Writes docs/compatibility.md: `apes hooks certify … --report docs/compatibility.json`, then `node scripts/compatibility.mjs`. */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { compatibilityPage } from './compatibility-page.mjs';

const placeOf = (name) => fileURLToPath(new URL(`../docs/${name}`, import.meta.url));
writeFileSync(placeOf('compatibility.md'), compatibilityPage(readFileSync(placeOf('compatibility.json'), 'utf8')));
