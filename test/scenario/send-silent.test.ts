/** A session takes a message and does not answer. The launcher sends the message, and `apes sessions silent` prints the outcome. */
import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { programPath } from '../fixtures/programs.ts';
import { removeInstallation } from '../fixtures/remove-installation.ts';

let scratch: string;
let host: Server;
let messages: string[];

/** A session on record whose socket is closed as soon as a message has arrived. */
beforeEach(async () => {
  scratch = mkdtempSync(join(tmpdir(), 'ape-silent-'));
  const sessions = join(scratch, 'run/sessions');
  mkdirSync(sessions, { recursive: true });
  for (const directory of [scratch, join(scratch, 'run'), sessions]) chmodSync(directory, 0o700);
  const socket = join(sessions, 's_mute.sock');
  writeFileSync(join(sessions, 's_mute.live'), `socket=${socket}\0name=mute\0`, { mode: 0o600 });
  messages = [];
  host = createServer((caller) => {
    caller.on('error', () => undefined);
    caller.on('data', (bytes: Buffer) => {
      messages.push(bytes.toString('latin1'));
      if (bytes.includes('text=')) caller.destroy();
    });
  });
  await new Promise<void>((resolve) => host.listen(socket, resolve));
});
afterEach(async () => {
  await new Promise((resolve) => host.close(resolve));
  removeInstallation(scratch);
});

const send = (...words: readonly string[]): Promise<{ status: unknown; out: string; err: string }> =>
  new Promise((resolve) => {
    const env = { HOME: scratch, APES_HOME: scratch, PATH: '/usr/bin:/bin', LC_ALL: 'C.UTF-8' };
    execFile(programPath('apes'), words, { env, cwd: scratch, timeout: 60_000 }, (error, out, err) =>
      resolve({ status: error?.code ?? 0, out, err }),
    );
  });

const SAID = 'session mute does not answer (the connection is closed)';

it.each(['send', 'nudge'])('%s prints that the session does not answer, and sends the message once', async (verb) => {
  const seen = await send(verb, 'mute', 'hello');
  expect(seen).toEqual({ status: 69, out: '', err: `apes: ${SAID}; see apes sessions list\n` });
  expect(messages.filter((text) => text.includes('text=hello'))).toHaveLength(1);
});

it('send --json prints the same as an error in JSON', async () => {
  const { status, out, err } = await send('send', 's_mute', 'hello', '--json');
  const message = SAID.replace('mute', 's_mute');
  expect([status, err]).toEqual([69, `apes: ${message}; see apes sessions list\n`]);
  expect(JSON.parse(out)).toEqual({
    ok: false,
    error: { code: 'unavailable', detail: 'session.silent', message, hint: 'see apes sessions list', exitStatus: 69 },
  });
  expect(messages.filter((text) => text.includes('text=hello'))).toHaveLength(1);
});
