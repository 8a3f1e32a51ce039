/** Keys and answers of attached terminals: a key always goes to the program and counts as typing, an answer only from the leading terminal. */
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { removeDirectory } from '../../scripts/remove-directory.mjs';
import { type Attachment, Attachments } from '../../src/session/host/attachment.ts';
import { DialogSession } from '../fixtures/terminal/dialog-session.ts';

const SIZE = { columns: 80, rows: 40 };
let dialogs: DialogSession;
let place: string;
let server: Server;
let sockets: Socket[];
let other: Attachment;
let leading: Attachment;

beforeEach(async () => {
  dialogs = await DialogSession.start();
  place = mkdtempSync(join(tmpdir(), 'ape-keys-'));
  sockets = [];
  server = createServer((socket) => sockets.push(socket));
  server.listen(join(place, 's'));
  await once(server, 'listening');
  const attachments = new Attachments(dialogs.session);
  const attach = async () => {
    const socket = connect(join(place, 's'));
    sockets.push(socket);
    await once(socket, 'connect');
    return attachments.add(socket, SIZE);
  };
  other = await attach();
  leading = await attach();
  dialogs.written.length = 0;
});
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  server.close();
  removeDirectory(place);
  await dialogs.stop();
});

it.each([
  ['Ctrl-C in the protocol of kitty', '\x1b[99;5u'],
  ['Escape in the protocol of kitty', '\x1b[27u'],
  ['Shift-Enter in the protocol of kitty', '\x1b[13;2u'],
  ['a letter in the protocol of kitty', '\x1b[97;;97u'],
  ['two keys in the protocol of kitty', '\x1b[97u\x1b[98u'],
  ['Shift-Right of rxvt', '\x1b[c'],
  ['F3 of kitty', '\x1b[R'],
  ['an arrow', '\x1b[A'],
  ['an answer with a key behind it', '\x1b[?62;22cx'],
])('a key of a terminal that is not leading is typed: %s', (_, keys) => {
  other.type(Buffer.from(keys));
  expect(dialogs.written).toEqual([keys]);
  expect(Date.now() - dialogs.session.lastKeyAtMs).toBeLessThan(60_000);
});

it.each([
  ['position', '\x1b[12;40R'],
  ['position of DEC', '\x1b[?12;40;1R'],
  ['attributes', '\x1b[?62;22c'],
  ['second attributes', '\x1b[>41;377;0c'],
  ['third attributes', '\x1b[=0c'],
  ['state', '\x1b[0n'],
  ['state of DEC', '\x1b[?13n'],
  ['mode', '\x1b[?2026;2$y'],
  ['mode of ANSI', '\x1b[4;2$y'],
  ['flags of the protocol of kitty', '\x1b[?5u'],
  ['focus', '\x1b[I'],
  ['no focus', '\x1b[O'],
  ['colour', '\x1b]11;rgb:0000/0000/0000\x07'],
  ['setting', '\x1bP1$r0m\x1b\\'],
  ['two answers', '\x1b[?5u\x1b[?62c'],
])('an answer is no key, and the program gets it from the leading terminal only: %s', (_, answer) => {
  other.type(Buffer.from(answer));
  expect(dialogs.written).toEqual([]);
  leading.type(Buffer.from(answer));
  expect(dialogs.written).toEqual([answer]);
  expect(dialogs.session.lastKeyAtMs).toBe(0);
});
