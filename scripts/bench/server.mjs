/** Measures only the server, with covered requests (each is found, used, recorded and signed): one after the other, and eight at once. */
import path from 'node:path';
import { asking, load } from './calls.mjs';
import { percentile } from './measure.mjs';
import { APES, Stage } from './stage.mjs';
import { ms, row } from './table.mjs';

export async function benchServer({ requests }) {
  const stage = new Stage({ APES_RESIDENT: '0' });
  try {
    stage.cover('true');
    const [{ request }] = JSON.parse(stage.run(APES, ['grants', 'list', '--json'])).data;
    const target = { url: stage.url(), token: stage.token('requester'), request };
    const once = (_number, agent) => asking(target, agent);
    for (const at of [1, 8]) {
      await load({ at, count: Math.min(200, requests), once });
      const { samples, perSecond } = await load({ at, count: requests, once });
      row(
        `server: covered POST /v1/requests, ${at} at once`,
        `${perSecond.toFixed(0)} a second`,
        `p50 ${ms(percentile(samples, 0.5))}, p99 ${ms(percentile(samples, 0.99))} (${path.basename(stage.databaseFile())})`,
      );
    }
  } finally {
    stage.close();
  }
}
