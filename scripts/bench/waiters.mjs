/**
 * Measures how soon an approval wakes a waiter, on the same server and on the other one. Two servers share one PostgreSQL database; each
 * has ten thousand waiters.
 */
import { fork } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { bearer, call } from './calls.mjs';
import { addRequesters, copyGrants, Rows } from './crowd.mjs';
import { now, percentile } from './measure.mjs';
import { footprintOf } from './processes.mjs';
import { secondServer, stageOn } from './servers.mjs';
import { APE_SHELL, APES } from './stage.mjs';
import { mib, ms, row } from './table.mjs';

/** The most streams that one requester may have. */
const STREAMS_OF_ONE = 500;
const APPROVALS = 400;
const AIM_MS = 100;
const TIMEOUT_MS = 30_000;
const HAND = fileURLToPath(new URL('waiters-hand.mjs', import.meta.url));

/** Makes a pending grant for each waiter. @returns {Promise<{ id: string, token: string }[]>} */
async function fileFor(rows, template, waiters) {
  const requesters = await addRequesters(rows, Math.ceil(waiters / STREAMS_OF_ONE));
  const all = [];
  for (const { id, token } of requesters) {
    const count = Math.min(STREAMS_OF_ONE, waiters - all.length);
    const prefix = `g_${id.slice(2)}w`;
    await copyGrants(rows, {
      keyIs: `id = '${template}'`,
      prefix,
      count,
      changed: { requester_id: `'${id}'`, fingerprint: `'${prefix}' || n` },
    });
    for (let n = 1; n <= count; n++) all.push({ id: `${prefix}${n}`, token });
  }
  return all;
}

/** Opens the streams in a process of their own. */
function openStreams(url, waiters, onWoken) {
  const child = fork(HAND, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const lost = new Set();
  const opened = new Promise((resolve, reject) => {
    child.once('exit', () => reject(new Error('the process of the waiters ended')));
    child.on('message', (/** @type {any} */ message) => {
      if (message.open !== undefined) resolve(null);
      else if (message.lost !== undefined) lost.add(message.lost);
      else onWoken(message);
    });
  });
  child.send({ url, waiters });
  return { opened, lost, end: () => child.kill('SIGKILL') };
}

export async function benchWaiters({ postgres, waiters }) {
  if (postgres === null) throw new Error('two servers need --postgres');
  const stage = await stageOn(postgres);
  const second = await secondServer(stage);
  const ends = [];
  try {
    stage.cover('true'); // also signs in with the owner's key
    stage.run(APE_SHELL, ['-c', 'uptime'], { statuses: [75] });
    const rows = await Rows.of(stage);
    const { id: template, version } = await rows.one("select id, version from grants where state = 'pending'");
    const pid = JSON.parse(stage.run(APES, ['up', '--status', '--json'])).data.pid;
    const before = footprintOf(pid).mib;
    const urls = [stage.url(), second.url];
    const groups = [await fileFor(rows, template, waiters), await fileFor(rows, template, waiters)];
    await rows.close();
    const woken = new Map();
    const streams = urls.map((url, index) =>
      openStreams(url, groups[index] ?? [], ({ id, atMs }) => woken.set(id, atMs)),
    );
    ends.push(...streams.map(({ end }) => end));
    await Promise.all(streams.map(({ opened }) => opened));
    const held = footprintOf(pid);
    row(
      `${waiters.toLocaleString('en')} waiters on each of two servers`,
      mib(held.mib),
      `${(((held.mib - before) * 1024) / waiters).toFixed(1)} KiB a waiter, ${held.descriptors} descriptors`,
    );
    /** @type {Record<'here' | 'there', number[]>} */
    const samples = { here: [], there: [] };
    const owner = bearer(stage.token('owner'));
    for (let number = 0; number < APPROVALS; number++) {
      const group = groups[number % 2] ?? [];
      const { id } = group[Math.floor((number / APPROVALS) * group.length)] ?? { id: '' };
      const isThere = number % 4 >= 2;
      const url = urls[isThere ? 1 - (number % 2) : number % 2];
      const begin = now();
      await call({
        agent: undefined,
        url: `${url}/v1/grants/${id}/approve`,
        method: 'POST',
        headers: owner,
        body: { version: Number(version), term: { kind: 'once' } },
      });
      const giveUpAtMs = now() + TIMEOUT_MS;
      while (!woken.has(id)) {
        if (now() > giveUpAtMs) throw new Error(`the waiter of ${id} sleeps on`);
        await sleep(1);
      }
      samples[isThere ? 'there' : 'here'].push(woken.get(id) - begin);
    }
    const lost = streams.reduce((count, each) => count + each.lost.size, 0);
    row('streams that were refused or ended', `${lost}`, '', [lost === 0, '0']);
    for (const [which, what] of /** @type {const} */ ([
      ['here', 'approval to wake, on the same server'],
      ['there', 'approval to wake, on the other server'],
    ])) {
      const p99 = percentile(samples[which], 0.99);
      row(what, `p99 ${ms(p99)}`, `p50 ${ms(percentile(samples[which], 0.5))}`, [p99 <= AIM_MS, `p99 <= ${AIM_MS} ms`]);
    }
  } finally {
    for (const end of ends) end();
    await second.stop();
    stage.close();
  }
}
