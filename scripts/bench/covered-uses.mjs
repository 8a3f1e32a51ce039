/** Measures covered uses a second, each recorded before it is answered: on SQLite, on PostgreSQL with one and two servers, and with pgbench. */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { addRequesters, copyGrants, Rows } from './crowd.mjs';
import { median, ratio } from './measure.mjs';
import { secondServer, stageOn } from './servers.mjs';
import { row, times } from './table.mjs';
import { loadByWrk } from './wrk.mjs';

const REQUESTERS = 32;
const WARM_UP_S = 2;

/** Makes many requesters with a grant each, so that the calls do not all wait for the same grant. */
async function covered(stage) {
  stage.cover('true');
  const rows = await Rows.of(stage);
  const { id, request } = await rows.one("select id, request from grants where state = 'approved'");
  const requesters = await addRequesters(rows, REQUESTERS);
  for (const [index, requester] of requesters.entries())
    await copyGrants(rows, {
      keyIs: `id = '${id}'`,
      prefix: `g_use${index}x`,
      count: 1,
      changed: { requester_id: `'${requester.id}'` },
    });
  return { rows, requesters, request: JSON.parse(request) };
}

/**
 * Returns the number of all uses on record. wrk ends without waiting for the last answer of each connection, so this function waits until
 * the number no longer grows.
 */
async function usesOnRecord(rows) {
  for (let before = -1; ; await sleep(250)) {
    const uses = Number((await rows.one('select sum(uses) as uses from grants')).uses);
    if (uses === before) return uses;
    before = uses;
  }
}

/** @returns {Promise<number>} uses a second; throws if the record does not have each of them */
async function run({ urls, requesters, request, rows, clients }, seconds) {
  const before = await usesOnRecord(rows);
  const tokens = requesters.map(({ token }) => token);
  const { answers, perSecond } = await loadByWrk({ urls, tokens, request, at: clients, seconds });
  const recorded = (await usesOnRecord(rows)) - before;
  if (recorded < answers || recorded > answers + clients * urls.length)
    throw new Error(`${recorded} uses are on record, and ${answers} were answered`);
  return perSecond;
}

async function onSqlite({ seconds, rounds, clientCounts }) {
  const stage = await stageOn(null);
  try {
    const made = await covered(stage);
    for (const clients of clientCounts) {
      const target = { ...made, clients, urls: [stage.url()] };
      await run(target, WARM_UP_S);
      const samples = [];
      for (let round = 0; round < rounds; round++) samples.push(await run(target, seconds));
      const perSecond = median(samples);
      row('covered uses, SQLite', `${perSecond.toFixed(0)} a second`, `${clients} at once`, [
        perSecond >= 3_000,
        '>= 3,000/s',
      ]);
    }
    await made.rows.close();
  } finally {
    stage.close();
  }
}

/** Only the writes of a covered use: the grant's counters and the event, with a transaction for each use. */
const SCRIPT = `\\set n random(1, ${REQUESTERS})
begin;
update bench_grants set version = version + 1, uses = uses + 1, used_at_ms = 1 where id = 'g_bench' || :n;
insert into bench_events (seq, at_ms, kind, actor_id, grant_id, facts)
  values (nextval('bench_seq'), 1, 'grant.used', 's_x', 'g_bench' || :n, '{"uses":1,"nonce":"0123456789012345"}');
commit;
`;

async function preparePgbench(stage, rows) {
  // `like` does not copy how full the pages of the table are.
  await rows.all('create table bench_grants (like grants including all) with (fillfactor = 70)');
  await rows.all('create table bench_events (like events including all)');
  await rows.all('create sequence bench_seq');
  const { id } = await rows.one("select id from grants where state = 'approved' limit 1");
  const columns = Object.keys(await rows.one('select * from grants limit 1')).filter((name) => name !== 'id');
  await rows.all(`insert into bench_grants (id, ${columns.join(', ')}) select 'g_bench' || n, ${columns.join(', ')}
    from (select * from grants where id = '${id}') as template, generate_series(1, ${REQUESTERS}) as n`);
  const script = path.join(stage.cwd, 'use.sql');
  writeFileSync(script, SCRIPT);
  return (clients, seconds) => {
    const words = ['-n', '-M', 'prepared', '-c', `${clients}`, '-j', '1', '-T', `${seconds}`];
    const { status, stdout, stderr } = spawnSync('pgbench', [...words, '-f', script, stage.env.APES_SERVE_DATABASE], {
      encoding: 'utf8',
    });
    const perSecond = Number(/^tps = ([\d.]+)/m.exec(stdout ?? '')?.[1]);
    if (status !== 0 || !(perSecond > 0)) throw new Error(`pgbench: ${stderr ?? 'is missing'}`);
    return perSecond;
  };
}

async function onPostgres({ postgres, seconds, rounds, clientCounts }) {
  const stage = await stageOn(postgres);
  const second = await secondServer(stage);
  try {
    const made = await covered(stage);
    const pgbench = await preparePgbench(stage, made.rows);
    /** @type {{ clients: number, server: number, pgbench: number }[]} */
    const medians = [];
    for (const clients of clientCounts) {
      const one = { ...made, clients, urls: [stage.url()] };
      const two = { ...one, urls: [stage.url(), second.url] };
      /** @type {Record<'one' | 'two' | 'pgbench', number[]>} */
      const samples = { one: [], two: [], pgbench: [] };
      for (const warm of [one, two]) await run(warm, WARM_UP_S);
      for (let round = 0; round < rounds; round++) {
        samples.pgbench.push(pgbench(clients, seconds));
        samples.one.push(await run(one, seconds));
        samples.two.push(await run(two, seconds));
      }
      medians.push({ clients, server: median(samples.one), pgbench: median(samples.pgbench) });
      const beside = ratio(samples.one, samples.pgbench);
      const added = ratio(samples.two, samples.one);
      const atOnce = `${clients} at once`;
      row('the same writes by pgbench', `${median(samples.pgbench).toFixed(0)} a second`, atOnce);
      row(
        'covered uses, PostgreSQL',
        `${median(samples.one).toFixed(0)} a second`,
        `${atOnce}: ${times(beside)} of pgbench`,
      );
      row(
        '… with a second server',
        `${median(samples.two).toFixed(0)} a second`,
        `${atOnce}: ${times(added)} of one server`,
        [added >= 1.6, '>= 1.6x where cores allow it'],
      );
    }
    compareMost(medians);
    await made.rows.close();
  } finally {
    await second.stop();
    stage.close();
  }
}

/**
 * Compares the most that the server can do with the most that pgbench can do, each at the number of clients that suits it: a server counts
 * uses that arrive together in one statement, so it is faster with more clients; pgbench is faster with few.
 */
function compareMost(medians) {
  const server = medians.reduce((most, each) => (each.server > most.server ? each : most));
  const pgbench = medians.reduce((most, each) => (each.pgbench > most.pgbench ? each : most));
  const beside = server.server / pgbench.pgbench;
  row(
    'the most covered uses, PostgreSQL',
    `${server.server.toFixed(0)} a second, ${server.clients} at once`,
    `${times(beside)} of the most by pgbench (${pgbench.clients} at once)`,
    [beside >= 0.6, '>= 0.6x'],
  );
}

/** @param {{ clients: string, seconds: number, rounds: number, postgres: string | null }} options `clients`: numbers above 0, separated by commas */
export async function benchUses({ clients, ...options }) {
  const clientCounts = clients.split(',').map(Number);
  if (!clientCounts.every((count) => Number.isInteger(count) && count > 0))
    throw new Error('--clients wants whole numbers above 0, separated by commas');
  await onSqlite({ ...options, clientCounts });
  if (options.postgres !== null) await onPostgres({ ...options, clientCounts });
}
