/** Promise 8 of SECURITY.md: revocation and expiry take effect at once, everywhere. */
import { readdirSync, readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { GatedStage } from './gated-stage.ts';

const gated = new GatedStage();
beforeAll(async () => {
  await gated.open();
  await gated.run('apes grants inbox'); // this first call stores the owner's token
});
afterAll(() => gated.close());

test('the next call after a revocation waits for an approver, and a run by the id is refused', async () => {
  const id = await gated.approved("ape-shell -c 'echo standing'", 'always');
  expect((await gated.run("ape-shell -c 'echo standing'")).status).toBe(0);
  await gated.run(`apes grants revoke ${id}`);
  const run = await gated.run("ape-shell -c 'echo standing'");
  expect([run.status, run.out]).toEqual([75, '']);
  expect((await gated.run(`apes grants run ${id}`)).status).toBe(77);
});

test('a timed grant ends at its time, in calls and in listings', async () => {
  const asked = await gated.run("ape-shell -c 'echo timed'");
  const id = /g_[a-z2-7]{26}/.exec(asked.err)?.[0] ?? '';
  await gated.run(`apes grants approve ${id} --term timed --for 10s`);
  expect((await gated.run("ape-shell -c 'echo timed'")).status).toBe(0);
  const state = async () => (await gated.run(`apes grants status ${id}`)).out;
  await expect.poll(state, { timeout: 90_000, interval: 500 }).toBe('expired\n');
  expect((await gated.run("ape-shell -c 'echo timed'")).status).toBe(75);
});

test('a once grant runs once, also when twenty calls race for it', async () => {
  await gated.approved("ape-shell -c 'echo x >> once'");
  const run = await gated.run(
    "for i in $(seq 20); do ape-shell -c 'echo x >> once' 2>/dev/null & done; wait; wc -l < once",
  );
  expect(run.out.trim()).toBe('1');
});

/** Makes a call with each token of this stage, the requester's and the owner's, until the server accepts one. Returns the answer. */
async function asOwner(path: string, method = 'POST', body: object = {}): Promise<unknown> {
  const state = join(gated.apesHome, 'state');
  for (const name of readdirSync(state).filter((each) => each.startsWith('token-'))) {
    const { serverUrl, token } = JSON.parse(readFileSync(join(state, name), 'utf8')) as Record<string, string>;
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const answer = await fetch(`${serverUrl}${path}`, {
      method,
      headers,
      ...(method === 'GET' ? {} : { body: JSON.stringify(body) }),
    });
    if (answer.ok) return answer.status === 204 ? null : answer.json();
  }
  throw new Error(`no token of this stage may call ${path}`);
}

const requester = async (): Promise<string> =>
  (JSON.parse((await gated.run('apes up --json')).out).data as { requesterId: string }).requesterId;

test('a line that waits reports that its requester is paused and resumed; if it is approved in between, it runs afterwards', async () => {
  await gated.run(`mkdir -p waiting; echo "PS1='U# '" >"$HOME/.bashrc"`);
  const id = await requester();
  const keys = await gated.session('waiting');
  keys.type('echo wait""ed\r');
  const [grant] = await keys.see(/g_[a-z2-7]{26}/);
  await asOwner(`/v1/requesters/${id}/pause`);
  await keys.see(/\r\nthis requester is paused; the request waits until an approver resumes it\r\n/);
  expect((await gated.run(`apes grants show ${grant}; apes grants approve ${grant}`)).status).toBe(0);
  expect((await gated.run(`apes grants status ${grant}`)).out).toBe('approved\n');
  await asOwner(`/v1/requesters/${id}/resume`);
  const [said] = await keys.see(
    /an approver has resumed this requester; still waiting\r\n[\s\S]*waited\r\n[\s\S]*U# $/,
  );
  expect(said).not.toContain('refused');
  keys.close();
});

/** Waits until the code of a host is known, and approves the enrolment. */
async function approveEnrolment(): Promise<void> {
  type Waiting = { enrolments: { id: string; code: string | null }[] };
  const waiting = async () =>
    ((await asOwner('/v1/enrolments?state=pending', 'GET')) as Waiting).enrolments.find(({ code }) => code !== null);
  await expect.poll(waiting, { timeout: 60_000 }).toBeDefined();
  const { id, code } = (await waiting()) as Waiting['enrolments'][number];
  await asOwner(`/v1/enrolments/${id}/approve`, 'POST', { code });
}

test('a running shell is refused its very next line after its requester was paused, and after it was revoked', async () => {
  await gated.run(`mkdir -p shell; echo "PS1='U# '" >"$HOME/.bashrc"`);
  const requesterId = await requester();
  const keys = await gated.session('shell');
  const covered = async (expected: RegExp) => {
    keys.type('echo covered\r');
    await keys.see(expected);
    await keys.see(/U# $/);
  };
  keys.type('echo covered\r');
  const [id] = await keys.see(/g_[a-z2-7]{26}/);
  expect((await gated.run(`apes grants show ${id}; apes grants approve ${id} --term always`)).status).toBe(0);
  await keys.see(/U# $/);
  await covered(/\rcovered\r\n/);
  await asOwner(`/v1/requesters/${requesterId}/pause`);
  await covered(/ape-shell: refused: .*paused[^\n]*\n/);
  await asOwner(`/v1/requesters/${requesterId}/resume`);
  await covered(/\rcovered\r\n/);
  await asOwner(`/v1/requesters/${requesterId}/revoke`);
  await covered(
    /ape-shell: the grant server refuses this key: the access was revoked at [^\n]*stop, and tell your human/,
  );
  keys.close();
});

test('running shells of two requesters of a host are refused their very next line after one command for the host', async () => {
  await gated.run(`mkdir -p first second; echo "PS1='U# '" >"$HOME/.bashrc"; mkdir -m 700 $SCRATCH/other`);
  const { url } = JSON.parse((await gated.run('apes up --json')).out).data as { url: string };
  const other = join(gated.scratch, 'other');
  const login = gated.run(`APES_HOME=${other} apes login ${url} --name other`);
  await approveEnrolment();
  expect((await login).status).toBe(0);
  const shells = [await gated.session('first'), await gated.session('second', other)];
  for (const keys of shells) {
    keys.type('echo both\r');
    const [id] = await keys.see(/g_[a-z2-7]{26}/);
    expect((await gated.run(`apes grants show ${id}; apes grants approve ${id} --term always`)).status).toBe(0);
    await keys.see(/U# $/);
  }
  const each = async (expected: RegExp) => {
    for (const keys of shells) keys.type('echo both\r');
    for (const keys of shells) {
      await keys.see(expected);
      await keys.see(/U# $/);
    }
  };
  const host = hostname();
  await each(/\rboth\r\n/);
  const paused = await gated.run(`apes owner requesters pause --host ${host}`);
  expect(paused.out).toBe(`paused: 2 on ${host}\n`);
  await each(/ape-shell: refused: .*paused[^\n]*\n/);
  expect((await gated.run(`apes owner requesters pause --host ${host}`)).out).toBe(
    `paused: 0 on ${host}; 2 were paused before\n`,
  );
  expect((await gated.run(`apes owner requesters resume --host ${host}`)).out).toBe(`resumed: 2 on ${host}\n`);
  await each(/\rboth\r\n/);
  const nowhere = await gated.run('apes owner requesters revoke --host nowhere');
  expect([nowhere.status, nowhere.err]).toEqual([
    77,
    'apes: refused: no requester of the host "nowhere" is enrolled, or all of them are revoked\n',
  ]);
  expect((await gated.run(`apes owner requesters revoke --host ${host}`)).out).toBe(`revoked: 2 on ${host}\n`);
  await each(/ape-shell: the grant server refuses this key: the access was revoked at [^\n]*/);
  for (const keys of shells) keys.close();
});
