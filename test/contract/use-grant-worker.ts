/** Arguments: DATABASE GRANT_ID. Prints `ready`, waits for a line, uses the grant; prints `used`, `refused` or why the store did not open. */
import { openStore } from '../../src/store/open-store.ts';
import { NOW_MS, useGrant } from './store-samples.ts';

async function main(): Promise<void> {
  const [database = '', grantId = ''] = process.argv.slice(2);
  const opened = await openStore(database);
  process.stdout.write('ready\n');
  await new Promise((resolve) => process.stdin.once('data', resolve));
  if (!opened.ok) {
    process.stdout.write(`${opened.failure.code} ${opened.failure.detail}: ${opened.failure.message}`);
    return;
  }
  process.stdout.write((await useGrant(opened.value, grantId, NOW_MS, async () => {})) ? 'used' : 'refused');
  await opened.value.close();
}

void main();
