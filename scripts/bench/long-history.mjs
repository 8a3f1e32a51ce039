/** Measures calls and pages with a long history: a million grants, and ten thousand scopes of one requester. */
import { asking, bearer, call, load } from './calls.mjs';
import { addRequesters, copyGrants, Rows, signInOwner } from './crowd.mjs';
import { now, percentile } from './measure.mjs';
import { stageOn } from './servers.mjs';
import { APE_SHELL, APES } from './stage.mjs';
import { ms, row } from './table.mjs';

const SCOPES = 10_000;
const REQUESTERS = 50;
const AIM_MS = 20;
const START_AIM_MS = 2_000;
const CALLS = 200;
const LINE = 'git status';

/** Approves a scope for one directory; returns its grant, and the call that it covers. */
function approveScope(stage) {
  stage.run('git', ['init', '-q', '.']);
  stage.run(APE_SHELL, ['-c', LINE], { statuses: [75] });
  const [{ id }] = stage.inbox();
  const proposals = JSON.parse(stage.run(APES, ['grants', 'proposals', id, '--json'])).data.proposals;
  const wide = proposals.find((each) => each.scope !== null) ?? proposals[1];
  stage.run(APES, ['grants', 'approve', id, '--term', 'always', '--as', wide.id]);
  return id;
}

/** Adds expired grants, a minute apart, which fill the history, and scopes for other directories, which fill the memory of the server. */
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
  await rows.all(`update event_head set seq = seq + 1`);
  return { pending, far: nowMs - (per - 60) * 60_000 };
}

async function told(rows, scoped, stage) {
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
  await load({ at: 1, count: 20, once });
  const { samples } = await load({ at: 1, count: CALLS, once });
  const [p50, p99] = [percentile(samples, 0.5), percentile(samples, 0.99)];
  row(`${what}, ${name}`, `p99 ${ms(p99)}`, `p50 ${ms(p50)}`, [p99 <= AIM_MS, `p99 <= ${AIM_MS} ms`]);
}

async function restarted(stage, name) {
  stage.run(APES, ['down']);
  const begin = now();
  stage.run(APES, ['up']);
  const tookMs = now() - begin;
  row(`start of the server, ${name}`, ms(tookMs), 'apes up, to its first answer', [tookMs <= START_AIM_MS, '<= 2 s']);
}

async function inFrontOf({ postgres, grants }) {
  const name = postgres === null ? 'SQLite' : 'PostgreSQL';
  const stage = await stageOn(postgres);
  try {
    const scoped = approveScope(stage);
    const rows = await Rows.of(stage);
    const { far } = await fill(stage, rows, { scoped, grants });
    const owner = await signInOwner(rows);
    const target = await told(rows, scoped, stage);
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
      call({ agent, url: `${url}/history?before=${far}-g_,`, headers: owner }),
    );
  } finally {
    stage.close();
  }
}

export async function benchHistory(options) {
  await inFrontOf({ ...options, postgres: null });
  if (options.postgres !== null) await inFrontOf(options);
}
