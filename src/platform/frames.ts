/**
 * Frames on all our private sockets (`bin/launcher.c`, `src/session/protocol.ts`) and on the persistent connection
 * to the server: one type byte, four bytes of length (big endian), the payload. `frame-decoder.ts` reads frames from a stream.
 */

/** Bytes before the payload. */
export const FRAME_HEAD_LENGTH = 5;

/** @param type one character of Latin-1 */
export function encodeFrame(type: string, payload: Uint8Array | string = ''): Buffer {
  const body = typeof payload === 'string' ? Buffer.from(payload, 'utf8') : payload;
  const head = Buffer.alloc(FRAME_HEAD_LENGTH);
  head.write(type, 0, 'latin1');
  head.writeUInt32BE(body.length, 1);
  return Buffer.concat([head, body]);
}

export interface Frame {
  readonly type: string;
  readonly payload: Buffer;
}

/** @param head at least FRAME_HEAD_LENGTH bytes */
export const readFrameHead = (head: Buffer): { readonly type: string; readonly length: number } => ({
  type: head.toString('latin1', 0, 1),
  length: head.readUInt32BE(1),
});

/** Returns the NUL-terminated strings of a list frame, as bytes. Bytes after the last NUL are ignored. */
export function takeList(payload: Buffer): readonly Buffer[] {
  const list: Buffer[] = [];
  let start = 0;
  for (let end = payload.indexOf(0); end >= 0; end = payload.indexOf(0, start)) {
    list.push(payload.subarray(start, end));
    start = end + 1;
  }
  return list;
}

/**
 * Returns the variables of an environment frame, with their values as bytes. An entry is NAME=VALUE. An entry that has no name or no
 * `=` is ignored. If a name has several entries, the last entry counts.
 */
export function takeVariables(payload: Buffer): ReadonlyMap<string, Buffer> {
  const variables = new Map<string, Buffer>();
  for (const entry of takeList(payload)) {
    const at = entry.indexOf(0x3d);
    if (at > 0) variables.set(entry.toString('utf8', 0, at), entry.subarray(at + 1));
  }
  return variables;
}
