// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are bash
/** Only the gate can hand commands to bash, and only bash can say that a command ended. */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { openPrivateSocket } from '../../src/pty/private-socket.ts';
import { BASH, gatedBash, leaderPath, makePlace, makeTestDirectory } from '../fixtures/terminal/start-host.ts';
import { Keyboard } from '../terminal/keyboard.ts';

const PROMPT = /U# $/;
const SHORT_MS = 200;

async function session(place = makePlace(), approved: readonly string[] | null = null) {
  const keys = new Keyboard(gatedBash(place, false, approved));
  await keys.see(PROMPT);
  const line = async (text: string) => {
    keys.type(`${text}\r`);
    await keys.see(PROMPT);
  };
  return { place, keys, line };
}

function greet(socketPath: string, greeting: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(socketPath, () => {
      socket.write(greeting);
      resolve(socket);
    });
    socket.once('error', reject);
  });
}

const closed = (socket: Socket): Promise<boolean> =>
  Promise.race([
    new Promise<boolean>((resolve) => {
      socket.resume();
      socket.once('close', () => resolve(true));
    }),
    sleep(20_000).then(() => false),
  ]);

test('Children of the shell inherit the terminal and no other open file', async () => {
  const { keys, line } = await session();
  await line('ls -l /proc/self/fd | grep -c -e socket -e ptmx -e deleted; echo /proc/self/fd/*');
  expect(keys.printed).toMatch(
    /\r0\r\n\/proc\/self\/fd\/0 \/proc\/self\/fd\/1 \/proc\/self\/fd\/2 \/proc\/self\/fd\/255|\r0\r\n/,
  );
  await line('bash -c "ls /proc/self/fd | wc -l"');
  expect(keys.printed).toMatch(/\r4\r\n/); // 0, 1, 2 and the one ls opens
  keys.close();
});

test('Writing to every descriptor of bash through /proc runs nothing', async () => {
  const place = makePlace();
  writeFileSync(
    path.join(place.work, 'forge.sh'),
    'for fd in /proc/$PPID/fd/*; do case $(readlink "$fd") in /dev/pts/*) ;; *) echo "touch pwned" >"$fd" ;; esac; done 2>/dev/null\n',
  );
  const { keys, line } = await session(place, ['sh forge.sh', 'echo after']);
  await line('sh forge.sh');
  await line('echo after');
  await sleep(SHORT_MS);
  expect(readdirSync(place.work)).toEqual(['forge.sh']);
  expect(keys.printed).toMatch(/\rafter\r\n/);
  keys.close();
});

test('A subshell that writes forged verdicts and ticks to its inherited descriptors makes bash run nothing', async () => {
  const place = makePlace();
  const forge =
    "( for fd in /proc/$BASHPID/fd/*; do fd=${fd##*/}; ((fd > 2 && fd != 255)) && printf '1 X\\0touch pwned\\n' >&$fd; done ) 2>/dev/null";
  const { keys } = await session(place, [forge]);
  keys.type(`${forge}\r`);
  await keys.ended(2_000);
  expect(readdirSync(place.work)).toEqual([]);
  keys.close();
});

test('Marks of a prompt in the output of a program neither end its command nor start another', async () => {
  const place = makePlace();
  const text = "printf '\\033]133;D;0\\007\\033]133;A\\007\\033]633;D\\007U# \\r\\n__ape_st=$?;\\n'; sleep 1";
  const { keys } = await session(place, [text]);
  keys.type(`${text}\r`);
  await keys.see(/__ape_st=\$\?;\r\n/);
  keys.type('touch pwned\r');
  await keys.see(/refused: touch pwned/);
  expect(readdirSync(place.work)).toEqual([]);
  const log = readFileSync(place.log, 'utf8')
    .trim()
    .split('\n')
    .map((entry) => JSON.parse(entry) as { asked?: string; finished?: object });
  expect(log.map((entry) => (entry.asked !== undefined ? 'asked' : 'finished'))).toEqual([
    'asked',
    'finished',
    'asked',
  ]);
  keys.close();
});

test('The nonce and our own variables are in no environment', async () => {
  const { keys, line } = await session();
  await line('tr "\\0" "\\n" </proc/$$/environ | grep -c NONCE; env | grep -c -i -e "^APE" -e __ape');
  expect(keys.printed).toMatch(/\r0\r\n0\r\n/);
  keys.close();
});

test('The private socket is gone from the file system when the first prompt is shown', async () => {
  const { place, keys } = await session();
  expect(readdirSync(place.run)).toEqual([]);
  keys.close();
});

test('A connection without the nonce is closed, and takes the place of no connection of bash', async () => {
  const directory = makeTestDirectory();
  const socket = await openPrivateSocket(directory, 30_000);
  expect(statSync(path.dirname(socket.path)).mode & 0o777).toBe(0o700);
  const impostor = await greet(socket.path, 'C0123456789abcdef\n');
  const shouter = await greet(socket.path, 'x'.repeat(500));
  expect(await closed(impostor)).toBe(true);
  expect(await closed(shouter)).toBe(true);
  const [tick, channel] = [
    await greet(socket.path, `T${socket.nonce}\n`),
    await greet(socket.path, `C${socket.nonce}\n`),
  ];
  const connections = await socket.connected;
  connections.channel.write('hello');
  expect(await new Promise((resolve) => channel.once('data', (data) => resolve(String(data))))).toBe('hello');
  expect(readdirSync(directory)).toEqual([]);
  for (const one of [tick, channel, connections.tick, connections.channel]) one.destroy();
});

test('A second connection for the same role is closed', async () => {
  const socket = await openPrivateSocket(makeTestDirectory(), 30_000);
  const first = await greet(socket.path, `C${socket.nonce}\n`);
  await sleep(50);
  const second = await greet(socket.path, `C${socket.nonce}\n`);
  expect(await closed(second)).toBe(true);
  const tick = await greet(socket.path, `T${socket.nonce}\n`);
  const connections = await socket.connected;
  for (const one of [first, tick, connections.tick, connections.channel]) one.destroy();
});

test('The gate gives up a shell that does not make both connections in time, and leaves no file', async () => {
  const directory = makeTestDirectory();
  const socket = await openPrivateSocket(directory, 1_000);
  const given = expect(socket.connected).rejects.toThrow('did not start');
  const half = await greet(socket.path, `C${socket.nonce}\n`);
  await given;
  expect(await closed(half)).toBe(true);
  expect(readdirSync(directory)).toEqual([]);
});

test('The leader talks only to the process that started it', async () => {
  const socket = await openPrivateSocket(makeTestDirectory(), 2_000);
  const end = socket.connected.catch(() => null);
  // The leader's parent is this process, but its argument says that process 1 owns the socket.
  const wrong = spawnSync(leaderPath, [socket.path, '1'], {
    env: { APE_LEADER_NONCE: socket.nonce },
    encoding: 'utf8',
  });
  expect(wrong.status).toBe(71);
  const byHand = spawnSync(leaderPath, [], { env: {}, encoding: 'utf8' });
  expect(byHand.status).toBe(64);
  expect(byHand.stderr).toContain('started by ape-shell only');
  socket.close();
  await end;
});

test('Another child of the gate does not inherit the master of the pseudo-terminal', async () => {
  const place = makePlace();
  const spy = path.join(place.work, 'spying-bash');
  const seen = path.join(place.work, 'seen');
  // The gate starts a bash with `-n` to find out whether a line is complete. This one lists the descriptors that it inherited.
  writeFileSync(spy, `#!/bin/sh\ncase "$*" in *-n*) ls -l /proc/self/fd >>${seen} ;; esac\nexec ${BASH} "$@"\n`, {
    mode: 0o755,
  });
  const command = gatedBash(place, false, null, spy);
  const keys = new Keyboard(command);
  await keys.see(PROMPT);
  keys.type('for i in 1\r');
  await keys.see(/> $/);
  expect(existsSync(seen)).toBe(true);
  expect(readFileSync(seen, 'utf8')).not.toContain('ptmx');
  keys.close();
});
