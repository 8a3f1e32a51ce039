/** Keeps the last output of a program, up to a limit, until a viewer asks for it. Drops the oldest output first. */

const BLOCK_BYTES = 1 << 16;

export class Backlog {
  readonly #onDropped: (bytes: Buffer) => void;
  readonly #limit: number;
  #blocks: Buffer[] = [];
  #used = BLOCK_BYTES; // bytes used of the last block
  #length = 0;

  /**
   * @param limit     in bytes, a multiple of 64 KiB; a longer backlog is cut to at most `limit` - 64 KiB
   * @param onDropped called with each dropped block, the oldest first
   */
  constructor(limit: number, onDropped: (bytes: Buffer) => void) {
    this.#limit = limit;
    this.#onDropped = onDropped;
  }

  get length(): number {
    return this.#length;
  }

  /** Adds a copy of the bytes. Without the copy, a few bytes would keep their whole read buffer in memory. */
  add(bytes: Buffer): void {
    for (let at = 0; at < bytes.length; ) {
      if (this.#used === BLOCK_BYTES) this.#startBlock();
      const block = this.#blocks.at(-1) as Buffer;
      const count = bytes.copy(block, this.#used, at, at + BLOCK_BYTES - this.#used);
      this.#used += count;
      this.#length += count;
      at += count;
    }
    if (this.#length > this.#limit) this.keepLast(this.#limit - BLOCK_BYTES);
  }

  /** Drops whole blocks of 64 KiB until at most `count` bytes are left. The newest block always stays. */
  keepLast(count: number): void {
    while (this.#length > count && this.#blocks.length > 1) {
      const block = this.#blocks.shift() as Buffer;
      this.#length -= block.length;
      this.#onDropped(block);
    }
  }

  /** Returns the whole backlog in order, and empties it. */
  take(): readonly Buffer[] {
    const blocks = this.#blocks.map((block, index) =>
      index === this.#blocks.length - 1 ? block.subarray(0, this.#used) : block,
    );
    this.#blocks = [];
    this.#used = BLOCK_BYTES;
    this.#length = 0;
    return blocks;
  }

  #startBlock(): void {
    this.#blocks.push(Buffer.allocUnsafeSlow(BLOCK_BYTES));
    this.#used = 0;
  }
}
