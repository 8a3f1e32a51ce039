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

async function onSqlite({ seconds, rounds, clients }) {
  const stage = await stageOn(null);
  try {
    const target = { ...(await covered(stage)), clients, urls: [stage.url()] };
    await run(target, WARM_UP_S);
    const samples = [];
    for (let round = 0; round < rounds; round++) samples.push(await run(target, seconds));
    const perSecond = median(samples);
    row('covered uses, SQLite', `${perSecond.toFixed(0)} a second`, `${clients} at once`, [
      perSecond >= 3_000,
      '>= 3,000/s',
    ]);
    await target.rows.close();
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

async function preparePgbench(stage, rows, clients) {
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
  return (seconds) => {
    const words = ['-n', '-M', 'prepared', '-c', `${clients}`, '-j', '1', '-T', `${seconds}`];
    const { status, stdout, stderr } = spawnSync('pgbench', [...words, '-f', script, stage.env.APES_SERVE_DATABASE], {
      encoding: 'utf8',
    });
    const perSecond = Number(/^tps = ([\d.]+)/m.exec(stdout ?? '')?.[1]);
    if (status !== 0 || !(perSecond > 0)) throw new Error(`pgbench: ${stderr ?? 'is missing'}`);
    return perSecond;
  };
}

async function onPostgres({ postgres, seconds, rounds, clients }) {
  const stage = await stageOn(postgres);
  const second = await secondServer(stage);
  try {
    const target = { ...(await covered(stage)), clients };
    const pgbench = await preparePgbench(stage, target.rows, clients);
    const one = { ...target, urls: [stage.url()] };
    const two = { ...target, urls: [stage.url(), second.url] };
    /** @type {Record<'one' | 'two' | 'pgbench', number[]>} */
    const samples = { one: [], two: [], pgbench: [] };
    for (const warm of [one, two]) await run(warm, WARM_UP_S);
    for (let round = 0; round < rounds; round++) {
      samples.pgbench.push(pgbench(seconds));
      samples.one.push(await run(one, seconds));
      samples.two.push(await run(two, seconds));
    }
    const beside = ratio(samples.one, samples.pgbench);
    const added = ratio(samples.two, samples.one);
    row('the same writes by pgbench', `${median(samples.pgbench).toFixed(0)} a second`, `${clients} clients`);
    row('covered uses, PostgreSQL', `${median(samples.one).toFixed(0)} a second`, `${times(beside)} of pgbench`, [
      beside >= 0.6,
      '>= 0.6x',
    ]);
    row('… with a second server', `${median(samples.two).toFixed(0)} a second`, `${times(added)} of one server`, [
      added >= 1.6,
      '>= 1.6x where cores allow it',
    ]);
    await target.rows.close();
  } finally {
    await second.stop();
    stage.close();
  }
}

export async function benchUses(options) {
  await onSqlite(options);
  if (options.postgres !== null) await onPostgres(options);
}
