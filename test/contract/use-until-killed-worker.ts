/** Arguments: DATABASE GRANT_ID. Uses the grant again and again until it is killed, and prints a dot for each committed use. */
import { writeSync } from 'node:fs';
import { openStore } from '../../src/store/open-store.ts';
import { NOW_MS, useGrant } from './store-samples.ts';

async function main(): Promise<void> {
  const [database = '', grantId = ''] = process.argv.slice(2);
  const opened = await openStore(database);
  if (!opened.ok) throw new Error(opened.failure.message);
  for (;;) if (await useGrant(opened.value, grantId, NOW_MS, async () => {})) writeSync(1, '.');
}

void main();
