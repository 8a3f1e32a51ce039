/**
 * Writes docs/compatibility.md from the signed reports in docs/compatibility/. Call `apes hooks certify … --report
 * docs/compatibility/NAME.json` first, then `node scripts/compatibility.mjs`.
 */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { compatibilityPage, signedReports } from './compatibility-page.mjs';

writeFileSync(fileURLToPath(new URL('../docs/compatibility.md', import.meta.url)), compatibilityPage(signedReports()));
