/**
 * The desktop that shows the notifications of Chromium: a D-Bus session bus (https://dbus.freedesktop.org/doc/dbus-specification.html)
 * with nothing on it but the notification service. A tap reaches the service worker as a real one does, so that it may open a window.
 */
import { mkdtempSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeDirectory } from '../../scripts/remove-directory.mjs';

interface DesktopNotification {
  readonly id: number;
  readonly title: string;
  /** The key of each button, by its label. */
  readonly buttons: ReadonlyMap<string, string>;
}

export interface Desktop {
  /** The value of `DBUS_SESSION_BUS_ADDRESS` for the browser. */
  readonly address: string;
  /** A directory for the profile of the browser; `stop` removes it. */
  readonly profile: string;
  /** The notifications that are shown now, the oldest first. */
  readonly shown: () => readonly DesktopNotification[];
  /** Taps the button with this label; without a label, taps the notification itself. */
  tap(notification: DesktopNotification, label?: string): void;
  stop(): Promise<void>;
}

const SERVICE = 'org.freedesktop.Notifications';
const BUS = 'org.freedesktop.DBus';
/** The name of the connection of the notification service. */
const OWNER = ':1.1';
const CALL = 1;
const RETURN = 2;
const ERROR = 3;
const SIGNAL = 4;

type Value = string | number | boolean | readonly string[];

const padding = (length: number, size: number) => Buffer.alloc((size - (length % size)) % size);

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

const stringBytes = (text: string) => Buffer.concat([u32(Buffer.byteLength(text)), Buffer.from(`${text}\0`)]);

function signatureOf(value: Value): string {
  if (typeof value === 'string') return 's';
  if (typeof value === 'object') return 'as';
  return typeof value === 'number' ? 'u' : 'b';
}

/** The body with its signature; every value of these types begins at a multiple of four bytes. */
function bodyOf(values: readonly Value[]): { readonly signature: string; readonly body: Buffer } {
  let signature = '';
  let body = Buffer.alloc(0);
  const add = (bytes: Buffer) => {
    body = Buffer.concat([body, padding(body.length, 4), bytes]);
  };
  for (const value of values) {
    if (typeof value === 'string') add(stringBytes(value));
    else if (typeof value === 'object') {
      let list = Buffer.alloc(0);
      for (const text of value) list = Buffer.concat([list, padding(list.length, 4), stringBytes(text)]);
      add(Buffer.concat([u32(list.length), list]));
    } else add(u32(Number(value)));
    signature += signatureOf(value);
  }
  return { signature, body };
}

type Field = readonly [code: number, type: 's' | 'o' | 'u' | 'g', value: string | number];

function messageOf(type: number, serial: number, fields: readonly Field[], values: readonly Value[]): Buffer {
  const { signature, body } = bodyOf(values);
  const all: readonly Field[] = signature === '' ? fields : [...fields, [8, 'g', signature]];
  let header = Buffer.alloc(0);
  for (const [code, kind, value] of all) {
    const start = Buffer.concat([padding(header.length, 8), Buffer.from([code, 1]), Buffer.from(`${kind}\0`)]);
    const text = String(value);
    const bytes = {
      u: () => u32(Number(value)),
      g: () => Buffer.concat([Buffer.from([text.length]), Buffer.from(`${text}\0`)]),
      s: () => stringBytes(text),
      o: () => stringBytes(text),
    }[kind]();
    header = Buffer.concat([header, start, bytes]);
  }
  const first = Buffer.concat([Buffer.from(['l'.charCodeAt(0), type, 0, 1]), u32(body.length), u32(serial)]);
  return Buffer.concat([first, u32(header.length), header, padding(header.length, 8), body]);
}

interface Call {
  readonly type: number;
  readonly serial: number;
  /** The fields of the header, by their codes. */
  readonly fields: ReadonlyMap<number, string | number>;
  readonly body: Buffer;
}

/** Reads values one after the other. */
class Reader {
  at = 0;
  private readonly bytes: Buffer;
  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }
  u32(): number {
    this.at += padding(this.at, 4).length;
    this.at += 4;
    return this.bytes.readUInt32LE(this.at - 4);
  }
  string(): string {
    return this.text(this.u32());
  }
  signature(): string {
    this.at += 1;
    return this.text(this.bytes.readUInt8(this.at - 1));
  }
  strings(): string[] {
    const end = this.u32() + this.at;
    const found: string[] = [];
    while (this.at < end) found.push(this.string());
    return found;
  }
  private text(length: number): string {
    this.at += length + 1;
    return this.bytes.toString('utf8', this.at - length - 1, this.at - 1);
  }
}

/** Reads the first message of the bytes; null if it is not complete yet. */
function take(bytes: Buffer): { readonly call: Call; readonly rest: Buffer } | null {
  if (bytes.length < 16) return null;
  const fieldsEnd = 16 + bytes.readUInt32LE(12);
  const bodyStart = fieldsEnd + padding(fieldsEnd, 8).length;
  const end = bodyStart + bytes.readUInt32LE(4);
  if (bytes.length < end) return null;
  const reader = new Reader(bytes);
  const fields = new Map<number, string | number>();
  reader.at = 16;
  while (reader.at < fieldsEnd) {
    reader.at += padding(reader.at, 8).length;
    const code = bytes.readUInt8(reader.at);
    reader.at += 1;
    const kind = reader.signature();
    fields.set(code, kind === 'u' ? reader.u32() : kind === 'g' ? reader.signature() : reader.string());
  }
  const call = {
    type: bytes.readUInt8(1),
    serial: bytes.readUInt32LE(8),
    fields,
    body: bytes.subarray(bodyStart, end),
  };
  return { call, rest: bytes.subarray(end) };
}

export async function startDesktop(): Promise<Desktop> {
  const directory = mkdtempSync(join(tmpdir(), 'ape-desktop-'));
  const path = join(directory, 'bus');
  const sockets = new Set<Socket>();
  const shown = new Map<number, DesktopNotification>();
  let serial = 0;
  let lastId = 0;

  const send = (socket: Socket, type: number, fields: readonly Field[], values: readonly Value[]) =>
    socket.write(messageOf(type, ++serial, fields, values));

  function signal(member: string, values: readonly Value[]): void {
    for (const socket of sockets)
      send(
        socket,
        SIGNAL,
        [
          [1, 'o', '/org/freedesktop/Notifications'],
          [2, 's', SERVICE],
          [3, 's', member],
          [7, 's', OWNER],
        ],
        values,
      );
  }

  function close(id: number, reason: number): void {
    if (shown.delete(id)) signal('NotificationClosed', [id, reason]);
  }

  function notify(body: Buffer): number {
    const reader = new Reader(body);
    reader.string(); // the name of the program
    const id = reader.u32() || ++lastId;
    reader.string(); // the icon
    const title = reader.string();
    reader.string(); // the text
    const actions = reader.strings();
    const buttons = new Map<string, string>();
    for (let index = 0; index < actions.length; index += 2) buttons.set(actions[index + 1] ?? '', actions[index] ?? '');
    shown.set(id, { id, title, buttons });
    return id;
  }

  /** Returns the answer of the bus or the service; null if neither has such a method. */
  function answer({ fields, body }: Call): readonly Value[] | null {
    const named = () => new Reader(body).string();
    switch (`${String(fields.get(6))} ${String(fields.get(3))}`) {
      case `${BUS} Hello`:
        return [':1.2'];
      case `${BUS} AddMatch`:
      case `${BUS} RemoveMatch`:
        return [];
      case `${BUS} NameHasOwner`:
        return [named() === SERVICE];
      case `${BUS} GetNameOwner`:
        return named() === SERVICE ? [OWNER] : null;
      case `${BUS} ListNames`:
        return [[BUS, SERVICE]];
      case `${SERVICE} GetCapabilities`:
        return [['actions', 'body']];
      case `${SERVICE} GetServerInformation`:
        return ['desktop', 'test', '1', '1.2'];
      case `${SERVICE} Notify`:
        return [notify(body)];
      case `${SERVICE} CloseNotification`:
        close(new Reader(body).u32(), 3);
        return [];
      default:
        return null;
    }
  }

  function receive(socket: Socket, call: Call): void {
    if (call.type !== CALL) return;
    const values = answer(call);
    const sender = call.fields.get(6) === SERVICE ? OWNER : BUS;
    const fields: readonly Field[] = [
      [5, 'u', call.serial],
      [6, 's', ':1.2'],
      [7, 's', sender],
    ];
    if (values !== null) send(socket, RETURN, fields, values);
    else send(socket, ERROR, [...fields, [4, 's', `${BUS}.Error.ServiceUnknown`]], []);
  }

  const bus = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    let isBegun = false;
    let bytes = Buffer.alloc(0);
    socket.on('data', (chunk: Buffer) => {
      bytes = Buffer.concat([bytes, chunk]);
      for (let end = bytes.indexOf('\r\n'); !isBegun && end !== -1; end = bytes.indexOf('\r\n')) {
        const line = bytes.toString('latin1', 0, end).replace('\0', '');
        bytes = bytes.subarray(end + 2);
        if (line === 'BEGIN') isBegun = true;
        else socket.write(line.startsWith('AUTH EXTERNAL') ? `OK ${'0'.repeat(32)}\r\n` : 'ERROR\r\n');
      }
      for (let next = isBegun ? take(bytes) : null; next !== null; next = take(bytes)) {
        bytes = Buffer.from(next.rest);
        receive(socket, next.call);
      }
    });
  });
  await new Promise<void>((resolve) => bus.listen(path, resolve));

  return {
    address: `unix:path=${path}`,
    profile: join(directory, 'profile'),
    shown: () => [...shown.values()],
    tap({ id, buttons }, label) {
      const key = label === undefined ? 'default' : buttons.get(label);
      if (key === undefined) throw new Error(`no button ${label}: ${[...buttons.keys()].join(', ')}`);
      signal('ActionInvoked', [id, key]);
    },
    async stop() {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => bus.close(() => resolve()));
      removeDirectory(directory);
    },
  };
}
