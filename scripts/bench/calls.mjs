/** Calls a server over persistent connections. */
import { randomBytes } from 'node:crypto';
import http from 'node:http';
import { now } from './measure.mjs';

/**
 * @typedef {{ agent?: import('node:http').Agent | undefined, url: string, method?: string, headers?: Record<string, string>, body?: object | null, status?: number }} Call
 */

/**
 * Makes one call, and reads its whole answer. Rejects for a status that is not `status`, because a refusal must not count as fast.
 * @param {Call} call
 * @returns {Promise<string>} the answer
 */
export function call({ agent, url, method = 'GET', headers = {}, body = null, status = 200 }) {
  const text = body === null ? null : JSON.stringify(body);
  const about = text === null ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) };
  return new Promise((resolve, reject) => {
    const request = http.request(url, { method, agent, headers: { ...headers, ...about } }, (answer) => {
      const chunks = [];
      answer.on('data', (chunk) => chunks.push(chunk));
      answer.on('end', () => {
        const said = Buffer.concat(chunks).toString();
        if (answer.statusCode === status) resolve(said);
        else reject(new Error(`${method} ${new URL(url).pathname}: ${answer.statusCode} ${said.slice(0, 200)}`));
      });
    });
    request.on('error', reject);
    request.end(text ?? undefined);
  });
}

export const bearer = (token) => ({ authorization: `Bearer ${token}` });

/** Calls `POST /v1/requests`. `findings` are the host facts; null if the request has none. */
export const asking = ({ url, token, request, findings = null }, agent, status = 200) =>
  call({
    agent,
    url: `${url}/v1/requests`,
    method: 'POST',
    headers: bearer(token),
    status,
    body: { request, nonce: randomBytes(24).toString('base64url'), findings },
  });

/**
 * Makes `count` calls and measures each.
 * @param {{ at: number, count: number, once: (number: number, agent: any) => any }} options
 *   `at`: how many calls at the same time, at most; `once` makes one call, and gets its number from 0
 * @returns {Promise<{ samples: number[], perSecond: number }>} milliseconds of each call
 */
export async function load({ at, count, once }) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: at });
  const samples = [];
  let next = 0;
  const begin = now();
  const worker = async () => {
    while (next < count) {
      const from = now();
      await once(next++, agent);
      samples.push(now() - from);
    }
  };
  await Promise.all(Array.from({ length: at }, worker));
  const perSecond = samples.length / ((now() - begin) / 1000);
  agent.destroy();
  return { samples, perSecond };
}
