/** Small parts of the control verbs, each compared with another part that it has to agree with. */
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { check, fail, ok } from '../../src/cli/health/check.ts';
import { clock } from '../../src/cli/health/server.ts';
import { serverOrigin } from '../../src/cli/identity/login.ts';
import { WORKFLOWS } from '../../src/cli/workflows.ts';
import { noAnswer } from '../../src/grants/http.ts';
import { enrolmentCode } from '../../src/platform/enrolment-code.ts';
import { newPrivateKey, publicKeyOf } from '../../src/platform/key-pair.ts';
import { isOurProcess } from '../../src/platform/own-process.ts';

it('the code of an enrolment is 40 bits in base32, and another key, id, nonce or name has another code', () => {
  for (let round = 0; round < 200; round++) {
    const text = () => randomBytes(32).toString('base64url');
    const keys = { serverPublicKey: text(), enrolmentId: `e_${round}`, publicKey: text(), nonce: text() };
    const inputs = { ...keys, name: text(), host: text(), user: text() };
    const code = enrolmentCode(inputs);
    expect(code).toMatch(/^[A-Z2-7]{8}$/);
    expect(enrolmentCode({ ...inputs })).toBe(code);
    for (const other of ['serverPublicKey', 'enrolmentId', 'publicKey', 'nonce', 'name', 'host', 'user'] as const)
      expect(enrolmentCode({ ...inputs, [other]: text() })).not.toBe(code);
  }
});

it('a new key has a public half, and a text that is no such key has no public half', () => {
  expect(publicKeyOf(newPrivateKey())).toMatch(/^[A-Za-z0-9_-]{43}$/);
  expect(newPrivateKey()).not.toBe(newPrivateKey());
  const foreign = execFileSync('openssl', ['genpkey', '-algorithm', 'X25519'], { encoding: 'utf8' });
  for (const text of ['', 'x', foreign]) expect(publicKeyOf(text)).toBeNull();
});

it('a finding and its advice are visible text', async () => {
  const shown = fail({ code: 'system', message: 'a\u001b[2J', advice: 'b\n\u202ec' });
  const { text, advice } = await check('x', 1000, () => shown);
  expect(`${text}${advice}`).not.toMatch(/[\u001b\n\u202e]/);
  expect(advice).toMatch(/^b.*c$/);
});

it('http to another machine is refused unless the caller allows it', () => {
  const origin = (text: string, may = false) => {
    const found = serverOrigin(text, may);
    return found.ok ? found.value : found.failure.code;
  };
  expect(origin('https://grants.example.org/some/page?x#y')).toBe('https://grants.example.org');
  for (const url of ['http://127.0.0.1:7417', 'http://localhost:1', 'http://[::1]:7']) expect(origin(url)).toBe(url);
  for (const url of [
    'http://10.0.0.1',
    'http://example.org',
    'http://127.0.0.1.example.org',
    'http://localhost.example.org',
  ])
    expect(origin(url)).toBe('usage');
  expect(origin('http://10.0.0.1', true)).toBe('http://10.0.0.1');
  for (const text of ['', 'example.org', 'ftp://x', 'https://user:word@x', 'javascript:1'])
    expect(origin(text, true)).toBe('usage');
});

it('a process counts as ours only while it runs our program', () => {
  expect(isOurProcess(process.pid)).toBe(true);
  for (const pid of [1, 999_999_999]) expect(isOurProcess(pid)).toBe(false);
});

it('a check that throws, rejects or hangs is a failed check, and the other checks still run', async () => {
  expect(await check('a', 1000, () => ok('well'))).toEqual({ name: 'a', state: 'ok', text: 'well' });
  const thrown = () => {
    throw new Error('broken');
  };
  expect(await check('b', 1000, thrown)).toMatchObject({
    state: 'fail',
    code: 'software',
    text: 'the check itself failed: broken',
  });
  expect(await check('c', 1000, () => Promise.reject(new Error('lost')))).toMatchObject({
    state: 'fail',
    code: 'software',
  });
  expect(await check('d', 30, () => new Promise(() => undefined))).toMatchObject({
    state: 'fail',
    text: 'no result within 0.03 s',
  });
  expect(await check('e', 1000, () => ok('a\u001b[2Jb\u202e'))).not.toMatchObject({
    text: expect.stringContaining('\u001b'),
  });
});

it('apes health leaves out advice that leads to itself, or to a command that did not run', () => {
  const server = { url: 'http://127.0.0.1:1', timeoutMs: 1, ca: null };
  expect(fail(noAnswer(server, 'x'))).toMatchObject({ advice: 'start it (apes up)' });
});

it('a clock that differs from the server by more than 5 s is a warning that says ahead or behind', () => {
  const seen = (skewMs: number | null) => clock({ ok: true, value: { url: 'u', version: '1', latencyMs: 1, skewMs } });
  expect(seen(4000).state).toBe('ok');
  expect(seen(-4000).state).toBe('ok');
  expect(seen(65_000)).toMatchObject({ state: 'warn', text: "1 min 5 s ahead of the server's" });
  expect(seen(-7_200_000)).toMatchObject({ state: 'warn', text: "2 h behind the server's" });
  expect(seen(null)).toMatchObject({ state: 'warn', text: expect.not.stringContaining('not reached') });
});

it('the workflows for agents name commands, exit statuses and what not to do', () => {
  expect(WORKFLOWS.map(({ id }) => id)).toEqual([
    'async-grant',
    'denied',
    'timed-session',
    'plan',
    'compound-lines',
    'privileged',
  ]);
  for (const { title, text } of WORKFLOWS) {
    expect(title.length).toBeLessThan(80);
    expect(text).toMatch(/Do not|Avoid/);
    expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(140);
  }
  const agentsFirst = WORKFLOWS[0]?.text ?? '';
  for (const word of ['75', '77', '69', 'apes grants run ID --wait', '--timeout', 'apes grants status ID --json'])
    expect(agentsFirst).toContain(word);
});
