/** Keeps the output of one stream of a command. If the output is above a limit, keeps only its beginning and its end. */

/**
 * @property encoding  the encoding of `head` and `tail`: `base64` if the bytes are not UTF-8
 * @property head      the beginning of the output; the whole output if nothing was cut
 * @property tail      the end of the output; empty if nothing was cut
 * @property bytes     how many bytes the command wrote
 * @property cutBytes  how many bytes of the output are missing between head and tail
 */
export interface CapturedOutput {
  readonly encoding: 'utf8' | 'base64';
  readonly head: string;
  readonly tail: string;
  readonly bytes: number;
  readonly cutBytes: number;
}

export class OutputBuffer {
  readonly #half: number;
  readonly #head: Buffer[] = [];
  #headLength = 0;
  #tail: Buffer[] = [];
  #tailLength = 0;
  #bytes = 0;

  /** @param limitBytes at least 2; one half is for the beginning, the other half for the end */
  constructor(limitBytes: number) {
    this.#half = Math.floor(limitBytes / 2);
  }

  add(chunk: Buffer): void {
    this.#bytes += chunk.length;
    const room = this.#half - this.#headLength;
    const first = chunk.subarray(0, room);
    if (first.length > 0) this.#head.push(Buffer.from(first));
    this.#headLength += first.length;
    const rest = chunk.subarray(first.length);
    if (rest.length === 0) return;
    this.#tail.push(Buffer.from(rest));
    this.#tailLength += rest.length;
    // Each call of `#shorten` copies the whole tail. So the tail may grow far above `#half` before the next call.
    if (this.#tailLength > 4 * this.#half + 65_536) this.#shorten();
  }

  #shorten(): void {
    const joined = Buffer.concat(this.#tail);
    this.#tail = [Buffer.from(joined.subarray(Math.max(0, joined.length - this.#half)))];
    this.#tailLength = this.#tail[0]?.length ?? 0;
  }

  read(): CapturedOutput {
    this.#shorten();
    const head = Buffer.concat(this.#head);
    const tail = Buffer.concat(this.#tail);
    const isCut = head.length + tail.length < this.#bytes;
    return isCut ? readCut(head, tail, this.#bytes) : readWhole(Buffer.concat([head, tail]));
  }
}

function readWhole(bytes: Buffer): CapturedOutput {
  const text = utf8(bytes);
  const encoding = text === null ? 'base64' : 'utf8';
  return { encoding, head: text ?? bytes.toString('base64'), tail: '', bytes: bytes.length, cutBytes: 0 };
}

function readCut(head: Buffer, tail: Buffer, bytes: number): CapturedOutput {
  const wholeHead = head.subarray(0, head.length - brokenEnd(head));
  const wholeTail = tail.subarray(brokenStart(tail));
  const texts = [utf8(wholeHead), utf8(wholeTail)] as const;
  if (texts[0] !== null && texts[1] !== null)
    return {
      encoding: 'utf8',
      head: texts[0],
      tail: texts[1],
      bytes,
      cutBytes: bytes - wholeHead.length - wholeTail.length,
    };
  return {
    encoding: 'base64',
    head: head.toString('base64'),
    tail: tail.toString('base64'),
    bytes,
    cutBytes: bytes - head.length - tail.length,
  };
}

function utf8(bytes: Buffer): string | null {
  const text = bytes.toString('utf8');
  if (!text.includes('\uFFFD')) return text;
  return Buffer.from(text, 'utf8').equals(bytes) ? text : null;
}

/** Returns how many bytes at the end belong to an incomplete character: 0 to 3. */
function brokenEnd(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if ((byte & 0xc0) === 0x80) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > back ? back : 0;
  }
  return 0;
}

/** Returns how many bytes at the start belong to an incomplete character: 0 to 3. */
function brokenStart(bytes: Buffer): number {
  let count = 0;
  while (count < 3 && ((bytes[count] ?? 0) & 0xc0) === 0x80) count++;
  return count;
}
