/** The server alone: a covered request (found, used, recorded, signed), one after the other and several at once. */

import { randomBytes } from 'node:crypto';
import http from 'node:http';
import { now, percentile } from './measure.mjs';
import { APES, Stage } from './stage.mjs';
import { ms, row } from './table.mjs';

export async function benchServer({ requests }) {
  const stage = new Stage({ APES_RESIDENT: '0' });
  try {
    stage.cover('true');
    const [{ request }] = JSON.parse(stage.run(APES, ['grants', 'list', '--json'])).data;
    const target = { url: `${stage.url()}/v1/requests`, token: stage.token('requester'), request };
    for (const at of [1, 8]) {
      await load(target, at, Math.min(200, requests));
      const { samples, perSecond } = await load(target, at, requests);
      row(
        `server: covered POST /v1/requests, ${at} at once`,
        `${perSecond.toFixed(0)} a second`,
        `p50 ${ms(percentile(samples, 0.5))}, p99 ${ms(percentile(samples, 0.99))} (${stage.database()})`,
      );
    }
  } finally {
    stage.close();
  }
}

async function load(target, at, requests) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: at });
  const samples = [];
  let left = requests;
  const begin = now();
  const worker = async () => {
    while (left-- > 0) {
      const from = now();
      await ask(target, agent);
      samples.push(now() - from);
    }
  };
  await Promise.all(Array.from({ length: at }, worker));
  const perSecond = samples.length / ((now() - begin) / 1000);
  agent.destroy();
  return { samples, perSecond };
}

function ask({ url, token, request }, agent) {
  const body = JSON.stringify({ request, nonce: randomBytes(24).toString('base64url') });
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
  };
  return /** @type {Promise<void>} */ (
    new Promise((resolve, reject) => {
      const call = http.request(url, { method: 'POST', agent, headers }, (answer) => {
        answer.resume();
        answer.on('end', () =>
          answer.statusCode === 200 ? resolve() : reject(new Error(`POST /v1/requests: ${answer.statusCode}`)),
        );
      });
      call.on('error', reject);
      call.end(body);
    })
  );
}
