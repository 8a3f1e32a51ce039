/** Frames on the private socket to the native launcher; the format is told in `bin/launcher.c`. */

/** One type byte, four bytes of length (big endian), the payload. */
export function encodeFrame(type: string, payload: Uint8Array | string = ''): Buffer {
  const body = typeof payload === 'string' ? Buffer.from(payload, 'utf8') : payload;
  const head = Buffer.alloc(5);
  head.write(type, 0, 'latin1');
  head.writeUInt32BE(body.length, 1);
  return Buffer.concat([head, body]);
}

export interface Frame {
  readonly type: string;
  readonly payload: Buffer;
}

/** Takes whole frames off the front of `bytes`; the rest waits for more. */
export function takeFrames(bytes: Buffer): { readonly frames: readonly Frame[]; readonly rest: Buffer } {
  const frames: Frame[] = [];
  let at = 0;
  while (bytes.length - at >= 5) {
    const length = bytes.readUInt32BE(at + 1);
    if (bytes.length - at - 5 < length) break;
    frames.push({ type: bytes.toString('latin1', at, at + 1), payload: bytes.subarray(at + 5, at + 5 + length) });
    at += 5 + length;
  }
  return { frames, rest: bytes.subarray(at) };
}

/** The NUL-terminated strings of a list frame, as bytes. */
export function takeList(payload: Buffer): readonly Buffer[] {
  const list: Buffer[] = [];
  let start = 0;
  for (let end = payload.indexOf(0); end >= 0; end = payload.indexOf(0, start)) {
    list.push(payload.subarray(start, end));
    start = end + 1;
  }
  return list;
}

/** The variables of an environment frame: NAME=VALUE, the value as bytes. */
export function takeVariables(payload: Buffer): ReadonlyMap<string, Buffer> {
  const variables = new Map<string, Buffer>();
  for (const entry of takeList(payload)) {
    const at = entry.indexOf(0x3d);
    if (at > 0) variables.set(entry.toString('utf8', 0, at), entry.subarray(at + 1));
  }
  return variables;
}
