/**
 * Measures calls and pages with a long history: a million grants and as many uses, and ten thousand scopes of one requester.
 */
import { hostname } from 'node:os';
import { asking, bearer, call, load } from './calls.mjs';
import { addRequesters, copyGrants, copyUses, Rows, signInOwner } from './crowd.mjs';
import { now, percentile } from './measure.mjs';
import { stageOn } from './servers.mjs';
import { APE_SHELL, APES } from './stage.mjs';
import { ms, row } from './table.mjs';

const SCOPES = 10_000;
const REQUESTERS = 50;
const AIM_MS = 20;
const START_AIM_MS = 2_000;
const CALLS = 200;
/** PostgreSQL plans each statement anew in its first five runs on each of the server's eight connections. */
const WARM_UP = 150;
const LINE = 'git status';
const RARE = 'rare zebra';
/** How much longer a covered use may take because a person searches. */
const SEARCH_AIM_MS = 20;
/** A page waits for its search, and a search pauses as long as it works. */
const SEARCH_PAGE_AIM_MS = 2_000;

/** Approves a scope for one directory. Returns the id of its grant. */
function approveScope(stage) {
  stage.run('git', ['init', '-q', '.']);
  stage.run(APE_SHELL, ['-c', LINE], { statuses: [75] });
  const [{ id }] = stage.inbox();
  const proposals = JSON.parse(stage.run(APES, ['grants', 'proposals', id, '--json'])).data.proposals;
  const wide = proposals.find((each) => each.scope !== null) ?? proposals[1];
  stage.run(APES, ['grants', 'approve', id, '--term', 'always', '--as', wide.id]);
  return id;
}

/** Adds expired grants, a minute apart, to fill the history, and scopes for other directories, to fill the memory of the server. */
async function fill(stage, rows, { scoped, grants }) {
  const requesters = await addRequesters(rows, REQUESTERS);
  const nowMs = Date.now();
  stage.run(APE_SHELL, ['-c', 'uptime'], { statuses: [75] });
  const { id: pending } = await rows.one("select id from grants where state = 'pending'");
  const per = Math.ceil(grants / REQUESTERS);
  for (const [index, { id }] of requesters.entries())
    await copyGrants(rows, {
      keyIs: `id = '${pending}'`,
      prefix: `g_old${index}x`,
      count: per,
      changed: {
        requester_id: `'${id}'`,
        fingerprint: `'${index}x' || n`,
        created_at_ms: `${nowMs} - n * 60000`,
        expires_at_ms: `${nowMs} - n * 60000 + 1`,
        lapses_at_ms: `${nowMs} - n * 60000 + 1`,
      },
    });
  const whole = await rows.one(`select requester_id, scope from grants where id = '${scoped}'`);
  if (!whole.scope.includes(stage.cwd)) throw new Error('the scope names no directory of the stage');
  await copyGrants(rows, {
    keyIs: `id = '${scoped}'`,
    prefix: 'g_scope',
    count: SCOPES,
    changed: {
      fingerprint: `'scope' || n`,
      created_at_ms: 'template.created_at_ms - n',
      scope: `replace(template.scope, '${stage.cwd}', '${stage.cwd}' || n)`,
    },
  });
  await addUses(rows, { grantId: scoped, count: grants, nowMs, everyMs: Math.round((per * 60_000) / grants) });
  await rows.all(`update event_head set seq = seq + 1`);
  await makeOldestRare(rows);
  return { pending, far: nowMs - (per - 60) * 60_000 };
}

/** Adds uses by one scope, over the same time as the grants. */
async function addUses(rows, { grantId, count, nowMs, everyMs }) {
  const { requester_id: id } = await rows.one(`select requester_id from grants where id = '${grantId}'`);
  const facts = JSON.stringify({
    uses: 7,
    fingerprint: 'f'.repeat(64),
    line: `${LINE} --short -- src/NUMBER`,
    others: '',
  });
  await copyUses(rows, {
    count,
    values: {
      at_ms: `${nowMs} - (${count} - n) * ${everyMs}`,
      actor_id: `'${id}'`,
      grant_id: `'${grantId}'`,
      facts: `replace('${facts}', 'NUMBER', cast(n as text))`,
    },
  });
  await rows.all(`update grants set uses = uses + ${count} where id = '${grantId}'`);
}

/** Gives the oldest request and the oldest use a text that no other has. */
async function makeOldestRare(rows) {
  const { id } = await rows.one('select id from grants order by created_at_ms, id limit 1');
  await rows.all(`update grants set request = replace(request, 'uptime', '${RARE}') where id = '${id}'`);
  const { seq } = await rows.one(`select min(seq) as seq from events where facts like '%src/%'`);
  await rows.all(`update events set facts = replace(facts, '${LINE}', '${RARE}') where seq = ${seq}`);
}

async function targetOf(rows, scoped, stage) {
  const { request } = await rows.one(`select request from grants where id = '${scoped}'`);
  const { findings } = await rows.one(`select findings from grant_findings where grant_id = '${scoped}'`);
  return {
    url: stage.url(),
    token: stage.token('requester'),
    request: JSON.parse(request),
    findings: JSON.parse(findings),
  };
}

async function measured(what, name, once) {
  await load({ at: 1, count: WARM_UP, once });
  const { samples } = await load({ at: 1, count: CALLS, once });
  const [p50, p99] = [percentile(samples, 0.5), percentile(samples, 0.99)];
  row(`${what}, ${name}`, `p99 ${ms(p99)}`, `p50 ${ms(p50)}`, [p99 <= AIM_MS, `p99 <= ${AIM_MS} ms`]);
}

/** Follows the links of a search to its end. Returns the time of each page, and how many rows it found. */
async function searched(url, headers, query) {
  const pages = [];
  let found = 0;
  for (let path = `/history?${query}`; path !== ''; ) {
    const begin = now();
    const page = await call({ url: `${url}${path}`, headers });
    pages.push(now() - begin);
    found += page.split('<li class="row').length - 1;
    path = (/href="([^"]+)">(?:Older|Look further back)</.exec(page)?.[1] ?? '').replaceAll('&amp;', '&');
  }
  return { pages, found };
}

async function measureSearch(url, headers, name) {
  const queries = {
    'a rare text': [`text=${encodeURIComponent(RARE)}`, 2],
    'a rare text of a host': [`text=${encodeURIComponent(RARE)}&host=${hostname().slice(0, 4)}`, 2],
    'a text that all requests have elsewhere': ['text=environment', 0],
  };
  for (const [what, [query, aim]] of Object.entries(queries)) {
    const { pages, found } = await searched(url, headers, query);
    if (found !== aim) throw new Error(`${what}: found ${found}`);
    const slowest = percentile(pages, 1);
    row(
      `search for ${what}, ${name}`,
      `${pages.length - 1} more clicks, ${ms(pages.reduce((sum, each) => sum + each, 0))} together`,
      `the slowest page ${ms(slowest)}`,
      [slowest <= SEARCH_PAGE_AIM_MS, `a page <= ${SEARCH_PAGE_AIM_MS} ms`],
    );
  }
}

/** Measures covered uses while another caller searches all the time. */
async function measureBeside(target, url, headers, name) {
  const { samples: alone } = await load({ at: 1, count: CALLS, once: (_, agent) => asking(target, agent) });
  let isSearching = true;
  const search = (async () => {
    while (isSearching) await searched(url, headers, `text=${encodeURIComponent(RARE)}&from=2020-01-01`);
  })();
  const { samples } = await load({ at: 1, count: 5 * CALLS, once: (_, agent) => asking(target, agent) });
  isSearching = false;
  const [p50, p99, before] = [percentile(samples, 0.5), percentile(samples, 0.99), percentile(alone, 0.99)];
  row(
    `a covered use while a person searches, ${name}`,
    `p99 ${ms(p99)}`,
    `p50 ${ms(p50)}, slowest ${ms(percentile(samples, 1))}; without a search p99 ${ms(before)}`,
    [p99 - before <= SEARCH_AIM_MS, `p99 <= ${SEARCH_AIM_MS} ms more`],
  );
  await search;
}

async function restarted(stage, name) {
  stage.run(APES, ['down']);
  const begin = now();
  stage.run(APES, ['up']);
  const tookMs = now() - begin;
  row(`start of the server, ${name}`, ms(tookMs), 'apes up, to its first answer', [tookMs <= START_AIM_MS, '<= 2 s']);
}

async function benchOn({ postgres, grants }) {
  const name = postgres === null ? 'SQLite' : 'PostgreSQL';
  const stage = await stageOn(postgres);
  try {
    const scoped = approveScope(stage);
    const rows = await Rows.of(stage);
    const { far } = await fill(stage, rows, { scoped, grants });
    const owner = await signInOwner(rows);
    const target = await targetOf(rows, scoped, stage);
    await rows.close();
    await restarted(stage, name);
    const url = stage.url();
    const headers = bearer(target.token);
    const begin = now();
    await asking(target, undefined);
    row(
      `the first scoped use after a start, ${name}`,
      ms(now() - begin),
      `reads ${SCOPES.toLocaleString('en')} scopes`,
    );
    await measured('a covered use by scope', name, (_, agent) => asking(target, agent));
    await measured('filing a request', name, (number, agent) => {
      const text = `uptime ${Date.now()} ${number}`;
      return asking({ ...target, findings: null, request: { ...target.request, text } }, agent, 202);
    });
    await measured('the list of a requester', name, (_, agent) => call({ agent, url: `${url}/v1/grants`, headers }));
    const pages = { 'the inbox': '/', 'standing approvals': '/standing', 'the history': '/history' };
    for (const [what, path] of Object.entries(pages))
      await measured(what, name, (_, agent) => call({ agent, url: `${url}${path}`, headers: owner }));
    await measured('the history far back', name, (_, agent) =>
      call({ agent, url: `${url}/history?before=${far}-g_,${far}-1`, headers: owner }),
    );
    await measureSearch(url, owner, name);
    await measureBeside(target, url, owner, name);
  } finally {
    stage.close();
  }
}

export async function benchHistory(options) {
  await benchOn({ ...options, postgres: null });
  if (options.postgres !== null) await benchOn(options);
}
