/** Keeps the output after the last newline: a prompt and the keys typed so far. The shell prints this output again to restore the line. */

/** A line with more bytes is not a prompt, and is not kept. */
const MAX_BYTES = 8_192;
const LINE_FEED = 0x0a;

export class LastLine {
  #pieces: Buffer[] = [];
  #length = 0;

  take(chunk: Buffer): void {
    const end = chunk.lastIndexOf(LINE_FEED);
    if (end >= 0) this.#forget();
    const piece = chunk.subarray(end + 1);
    if (this.#length <= MAX_BYTES && piece.length > 0) this.#pieces.push(piece);
    this.#length += piece.length;
  }

  /** Returns an empty buffer if nothing came after the last newline, or if the line is too long. */
  bytes(): Buffer {
    return this.#length > MAX_BYTES ? Buffer.alloc(0) : Buffer.concat(this.#pieces);
  }

  #forget(): void {
    this.#pieces = [];
    this.#length = 0;
  }
}
