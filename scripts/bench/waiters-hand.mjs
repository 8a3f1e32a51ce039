/**
 * Keeps event streams open. It is a process of its own, because one process may have only a limited number of descriptors.
 *
 * Reads one message from its parent: `{ url, waiters: [{ id, token }] }`, with the id of a grant and the token of its requester. Sends
 * `{ open: N }` when each of the N streams has been opened or lost, `{ id, atMs }` for every grant that is approved, in milliseconds of
 * the monotonic clock, and `{ lost: id }` for a stream that ended or was refused.
 */
import http from 'node:http';
import { bearer } from './calls.mjs';
import { now } from './measure.mjs';

const AT_ONCE = 100;
const agent = new http.Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });
const send = (message) => process.send?.(message);

/** Opens a stream; fulfilled at its first event, which has the present state, or when the stream is lost. */
function open(url, { id, token }) {
  return /** @type {Promise<void>} */ (
    new Promise((resolve) => {
      const lost = () => {
        send({ lost: id });
        resolve();
      };
      const request = http.get(
        `${url}/v1/grants/${id}/events`,
        { agent, headers: { ...bearer(token), accept: 'text/event-stream' } },
        (answer) => {
          if (answer.statusCode !== 200) return lost();
          answer.setEncoding('utf8');
          answer.on('data', (text) => {
            if (text.includes('"state":"approved"')) send({ id, atMs: now() });
            if (text.includes('event: grant')) resolve();
          });
          answer.on('close', lost);
        },
      );
      request.on('error', lost);
    })
  );
}

process.once('message', async ({ url, waiters }) => {
  let next = 0;
  const worker = async () => {
    while (next < waiters.length) await open(url, waiters[next++]);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  send({ open: waiters.length });
});
