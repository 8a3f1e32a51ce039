/** Only the user of a session can use its socket, and wrong input on one connection does not disturb the others. */
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FrameDecoder } from '../../src/platform/frame-decoder.ts';
import { encodeFrame } from '../../src/platform/frames.ts';
import { FIRST_FRAME_MS, jsonFrame, parseJson, SESSION_LIMITS } from '../../src/session/protocol.ts';
import { GatedStage } from './gated-stage.ts';

const stage = new GatedStage();
let id = '';
/** The uid of another user. */
const STRANGER = 65_534;

const directory = () => join(stage.apesHome, 'run', 'sessions');
const socketPath = () => join(directory(), `${id}.sock`);

beforeAll(async () => {
  await stage.open();
  await stage.approved('apes run -- bash --norc -i', 'always');
  const started = await stage.run('apes session start --detached --name kept -- bash --norc -i');
  expect(started.status).toBe(0);
  id = started.out.trim();
});
afterAll(async () => {
  await stage.run('apes sessions kill kept');
  stage.close();
});

describe('the place of the socket', () => {
  it('is 0700, the socket and the record are 0600', () => {
    expect(statSync(directory()).mode & 0o777).toBe(0o700);
    for (const name of [`${id}.sock`, `${id}.json`, `${id}.live`])
      expect(statSync(join(directory(), name)).mode & 0o777).toBe(0o600);
  });

  it('is not used if others can enter it: its sessions are not listed or attached to, and none is started', async () => {
    chmodSync(directory(), 0o755);
    try {
      for (const call of [
        'apes sessions list',
        'apes sessions kill kept',
        'apes session start --detached -- bash --norc -i',
      ])
        expect(await stage.run(call)).toMatchObject({
          status: 78,
          err: expect.stringContaining('can be used by others'),
        });
    } finally {
      chmodSync(directory(), 0o700);
    }
    expect((await stage.run('apes sessions list --json')).out).toContain('"isAnswering":true');
  });

  it('is another private directory with a short path when the path of the installation is too long', async () => {
    const deep = join(stage.scratch, 'd'.repeat(60), 'e'.repeat(60));
    mkdirSync(deep, { recursive: true, mode: 0o700 });
    const place = `APES_HOME=${deep}`;
    const up = await stage.run(`${place} apes up --port 0 --json && ${place} apes owner key create --here`);
    expect(up.status).toBe(0);
    expect((await stage.run(`${place} apes run -- cat`)).status).toBe(75);
    const waiting = JSON.parse((await stage.run(`${place} apes grants inbox --json`)).out).data as { id: string }[];
    await stage.run(`${place} apes grants approve --term always ${waiting[0]?.id}`);
    const started = await stage.run(`${place} apes session start --detached --name deep -- cat`);
    expect(started).toMatchObject({ status: 0 });
    const [name = ''] = readdirSync(join(deep, 'run', 'sessions')).filter((each) => each.endsWith('.json'));
    const { out } = await stage.run(`cat ${join(deep, 'run', 'sessions', name)}`);
    const { socket } = JSON.parse(out) as { socket: string };
    expect(socket.length).toBeLessThan(100);
    expect(statSync(dirname(socket)).mode & 0o777).toBe(0o700);
    expect((await stage.run(`${place} apes sessions kill deep`)).status).toBe(0);
    await expect.poll(() => existsSync(dirname(socket)), { timeout: 60_000 }).toBe(false);
    await stage.run(`${place} apes down`);
  });
});

describe('another user', () => {
  /** Asks for the screen as `uid`, and returns the answer. */
  const askAs = (uid: number): string =>
    spawnSync(
      '/usr/bin/python3',
      [
        '-c',
        `import socket,sys,json,struct
s=socket.socket(socket.AF_UNIX); s.settimeout(10); s.connect(sys.argv[1])
b=json.dumps({"id":1,"request":"screen"}).encode()
try:
  s.sendall(b"J"+struct.pack(">I",len(b))+b); print(len(s.recv(65536)))
except OSError as e: print(0)`,
        socketPath(),
      ],
      { uid, gid: uid, cwd: '/', encoding: 'utf8', timeout: 60_000 },
    ).stdout.trim();

  it('gets no answer, even if the file permissions let them connect', () => {
    const folders: string[] = [];
    for (let folder = directory(); folder.startsWith(stage.scratch); folder = dirname(folder)) folders.push(folder);
    expect(askAs(STRANGER)).toBe(''); // this user cannot enter the directory
    for (const folder of folders) chmodSync(folder, 0o711);
    chmodSync(socketPath(), 0o666);
    try {
      expect(askAs(STRANGER)).toBe('0');
      expect(Number(askAs(process.getuid?.() ?? 0))).toBeGreaterThan(100);
    } finally {
      for (const folder of folders) chmodSync(folder, 0o700);
      chmodSync(socketPath(), 0o600);
    }
  });
});

describe('a connection with wrong input', () => {
  const open = (): Promise<Socket> =>
    new Promise((resolve, reject) => {
      const socket = connect(socketPath());
      socket.once('error', reject);
      socket.once('connect', () => resolve(socket));
    });
  /** Waits until the host closes the socket, by default for less time than the host's own time-out. Returns how many bytes came before. */
  const closed = (socket: Socket, maxWaitMs = FIRST_FRAME_MS - 500): Promise<number> =>
    new Promise((resolve, reject) => {
      let heard = 0;
      const late = setTimeout(() => reject(new Error('it stays open')), maxWaitMs);
      socket.on('error', () => undefined);
      socket.on('data', (bytes: Buffer) => {
        heard += bytes.length;
      });
      socket.on('close', () => {
        clearTimeout(late);
        resolve(heard);
      });
    });

  it.each([
    ['an unknown type', encodeFrame('Z', 'x')],
    ['a length beyond the limit', Buffer.from([0x4a, 0xff, 0xff, 0xff, 0xff])],
    ['broken JSON', encodeFrame('J', '{"id":1,')],
    ['JSON that is no request', encodeFrame('J', '[1]')],
    ['an id that is not a number', jsonFrame({ id: '1', request: 'screen' })],
    ['a list without a request', encodeFrame('L', 'mode=send\0session=kept\0text=x\0')],
    ['a list with a request that cannot be sent as a list', encodeFrame('L', 'request=kill\0')],
    ['a message without a text', encodeFrame('L', 'request=deliver\0mode=send\0session=kept\0')],
    ['a report that is no JSON', encodeFrame('L', 'request=report\0harness=codex\0fields={\0')],
    ['a list beyond the limit', Buffer.from([0x4c, 0x01, 0x00, 0x00, 0x00])],
    ['keys without being attached', encodeFrame('K', 'touch typed-by-nobody\r')],
    ['output, which only the host sends', encodeFrame('O', 'x')],
  ])('is closed, and others go on: %s', async (_what, bytes) => {
    const other = await open();
    const socket = await open();
    const over = closed(socket);
    socket.write(bytes);
    expect(await over).toBe(0);
    const answer = new Promise<Buffer>((resolve) => other.once('data', resolve));
    other.write(jsonFrame({ id: 7, request: 'screen' }));
    const [frame] = new FrameDecoder(SESSION_LIMITS).take(await answer);
    expect(parseJson(frame?.payload ?? Buffer.alloc(0))).toMatchObject({ id: 7, ok: true });
    other.destroy();
  });

  it.each([
    ['request=deliver', 'mode=send', 'session=kept', 'text=', 'json=yes'],
    ['json=yes', 'text=', 'session=kept', 'mode=send', 'request=deliver'],
  ])('a list is read in any order of its keys: %s first', async (...pairs) => {
    const socket = await open();
    const answer = new Promise<Buffer>((resolve) => {
      const decoder = new FrameDecoder({ o: 1 << 20, e: 1 << 20, q: 1 });
      socket.on('data', (bytes: Buffer) => {
        const last = decoder.take(bytes).at(-1);
        if (last?.type === 'q') resolve(last.payload);
      });
    });
    socket.write(encodeFrame('L', pairs.map((pair) => `${pair}\0`).join('')));
    expect([...(await answer)]).toEqual([64]); // usage: the text is empty
    socket.destroy();
  });

  it('is closed after a while, also if it sends nothing or half a frame', async () => {
    const silent = await open();
    const half = await open();
    half.write(Buffer.from('J'));
    expect(await Promise.all([closed(silent, 60_000), closed(half, 60_000)])).toEqual([0, 0]);
  });

  it('gets an error as the answer, and stays open, for a request or a size that does not exist', async () => {
    const socket = await open();
    const answers = new FrameDecoder(SESSION_LIMITS);
    const heard: unknown[] = [];
    socket.on('data', (bytes: Buffer) => heard.push(...answers.take(bytes).map(({ payload }) => parseJson(payload))));
    for (const [number, asked] of [
      { request: 'constructor' },
      { request: 'attach', params: { columns: 0, rows: 5 } },
      { request: 'resize', params: { columns: 10, rows: 5 } },
    ].entries())
      socket.write(jsonFrame({ id: number, ...asked }));
    while (heard.length < 3) await sleep(20);
    expect(heard).toEqual([0, 1, 2].map((number) => expect.objectContaining({ id: number, ok: false })));
    socket.destroy();
  });

  it('does not block the program if it never reads', async () => {
    const socket = await open();
    socket.pause();
    socket.write(jsonFrame({ id: 1, request: 'attach', params: { columns: 80, rows: 24 } }));
    const flood = 'head -c 30000000 /dev/zero | tr "\\\\0" y; touch flood-is-over\r';
    socket.write(encodeFrame('K', flood));
    const over = await stage.run('until test -e flood-is-over; do sleep 0.2; done');
    expect(over.status).toBe(0);
    expect((await stage.run('apes sessions list --json')).out).toContain('"watchers":1');
    socket.destroy();
  });
});

it('a malformed record, or one with a path outside of our directories, is not listed', async () => {
  const forged = `s_${'0'.repeat(20)}`;
  const entry = {
    id: forged,
    name: 'forged',
    kind: 'program',
    pid: 1,
    socket: '/tmp/forged.sock',
    program: ['x'],
    cwd: '/',
    startedAtMs: 1,
    ended: null,
  };
  writeFileSync(join(directory(), `${forged}.json`), JSON.stringify(entry), { mode: 0o600 });
  writeFileSync(join(directory(), `s_${'1'.repeat(20)}.json`), '{"id":', { mode: 0o600 });
  writeFileSync(join(directory(), `s_${'2'.repeat(20)}.json`), JSON.stringify({ ...entry, id: 'other' }), {
    mode: 0o600,
  });
  const listed = JSON.parse((await stage.run('apes sessions list --json')).out).data as {
    name: string;
    isAnswering: boolean;
  }[];
  expect(listed.filter(({ isAnswering }) => isAnswering).map(({ name }) => name)).toEqual(['kept']);
  expect(await stage.run('apes sessions attach forged')).not.toMatchObject({ status: 0 });
  expect(await stage.run('apes sessions kill forged')).toMatchObject({ status: 78 });
});
