/** Argument: DATABASE. Files requests until the store refuses one. Prints how many it accepted, why it refused the last, and how many it has stored. */
import { openStore } from '../../src/store/open-store.ts';
import { must, newSubject, sampleGrant } from './store-samples.ts';

async function main(): Promise<void> {
  const store = must(await openStore(process.argv[2] ?? ''));
  const requester = await newSubject(store);
  for (let taken = 0; taken < 2_000; taken += 1) {
    const grant = sampleGrant(requester, { reason: 'x'.repeat(8_000) });
    const written = await store.write((rows) => rows.insertGrant(grant));
    if (written.ok) continue;
    const kept = must(await store.read((rows) => rows.countPending(0)));
    process.stdout.write(`${taken} taken, ${written.failure.code} ${written.failure.detail}, ${kept} kept`);
    break;
  }
  await store.close();
}

void main();
