/** `apes login` waits for an approver until the enrolment has expired by the server's clock, also if this host's clock is ahead. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { TestServer } from '../component/server-fixture.ts';
import { programPath } from '../fixtures/programs.ts';
import { removeInstallation } from '../fixtures/remove-installation.ts';

const MINUTE_MS = 60_000;
const HOME = mkdtempSync(join(tmpdir(), 'ape-login-clock-'));
let server: TestServer;
beforeAll(async () => {
  server = await TestServer.start({ clock: () => Date.now() - 20 * MINUTE_MS });
});
afterAll(async () => {
  await server.stop();
  removeInstallation(HOME);
});

it('a host whose clock is 20 minutes ahead of the server waits for the approver', async () => {
  const owner = await server.owner();
  const env = { PATH: '/usr/bin:/bin', HOME, APES_HOME: join(HOME, 'apes') };
  const login = spawn(programPath('apes'), ['login', server.url, '--json'], { env });
  let out = '';
  login.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  const ended = once(login, 'exit');
  await expect.poll(() => out, { timeout: 60_000 }).toContain('"pending"');
  await sleep(8_000); // several polls
  expect(login.exitCode).toBeNull();
  const path = '/v1/enrolments?state=pending';
  type Waiting = { enrolments: { id: string; code: string }[] };
  const [waiting] = (await server.call<Waiting>('GET', path, owner)).body.enrolments;
  await server.call('POST', `/v1/enrolments/${waiting?.id}/approve`, owner, { code: waiting?.code });
  expect(await ended).toEqual([0, null]);
  expect(out).toContain('"approved"');
});
