/**
 * Starts openclaw's Gateway, sends one message over HTTP, and stops the Gateway. openclaw calls plugins only in its Gateway. Prints the
 * answer's status and body; exits with 1 if the status is an error.
 *
 *   node certify-gateway.mjs PORT TOKEN MESSAGE OPENCLAW…
 */
import { spawn } from 'node:child_process';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

const [port = '', token = '', message = '', program = '', ...words] = process.argv.slice(2);
/** The largest number of starts. On a busy machine, the first start sometimes fails because of the Gateway's own database. */
const STARTS = 3;
const START_MS = 240_000;
const LOOK_MS = 500;

const isOpen = () =>
  new Promise((resolve) => {
    const socket = connect(Number(port), '127.0.0.1');
    const end = (open) => {
      socket.destroy();
      resolve(open);
    };
    socket.once('connect', () => end(true)).once('error', () => end(false));
  });

/** @returns {Promise<import('node:child_process').ChildProcess>} fulfilled when the Gateway accepts connections */
async function start() {
  for (let count = 0; count < STARTS; count++) {
    const gateway = spawn(program, [...words, 'gateway', '--port', port], { stdio: ['ignore', 2, 2] });
    const until = Date.now() + START_MS;
    while (gateway.exitCode === null && gateway.signalCode === null && Date.now() < until) {
      if (await isOpen()) return gateway;
      await sleep(LOOK_MS);
    }
    gateway.kill('SIGKILL');
  }
  throw new Error(`the Gateway did not come up in ${STARTS} tries`);
}

const gateway = await start();
try {
  const answer = await fetch(`http://127.0.0.1:${port}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'openclaw', user: 'tripwire', messages: [{ role: 'user', content: message }] }),
  });
  process.stdout.write(`${answer.status} ${await answer.text()}\n`);
  process.exitCode = answer.ok ? 0 : 1;
} finally {
  gateway.kill('SIGKILL');
}
