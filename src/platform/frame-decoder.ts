/** Reads frames from a byte stream that arrives in pieces of any size. `frames.ts` describes the format. */
import type { Frame } from './frames.ts';
import { FRAME_HEAD_LENGTH, readFrameHead } from './frames.ts';

/** Maximum length of the payload of each allowed type, in bytes. */
export type FrameLimits = Readonly<Record<string, number>>;

/** Thrown for a frame that the protocol does not allow. The caller must then close only the connection that sent the frame. */
export class BadFrame extends Error {}

/** Joins pieces only to read a head or a complete frame. A long frame is therefore not copied again with each new piece. */
export class FrameDecoder {
  readonly #limits: FrameLimits;
  #parts: Buffer[] = [];
  #length = 0;

  constructor(limits: FrameLimits) {
    this.#limits = limits;
  }

  /** Whether a frame has begun and is not complete. */
  get isAmidFrame(): boolean {
    return this.#length > 0;
  }

  /** How many bytes wait for the rest of their frame. */
  get heldBytes(): number {
    return this.#length;
  }

  /**
   * The number of missing bytes of the current frame. Until the head of this frame is complete, counts only the bytes of the head. A caller
   * that reads at most this number of bytes reads nothing of the next frame.
   */
  get missingBytes(): number {
    if (this.#length < FRAME_HEAD_LENGTH) return FRAME_HEAD_LENGTH - this.#length;
    return FRAME_HEAD_LENGTH + readFrameHead(this.#front(FRAME_HEAD_LENGTH)).length - this.#length;
  }

  /**
   * Returns the frames that are complete now, and keeps the rest. Payloads can share the memory of `chunk`.
   * @throws BadFrame as soon as the head of a frame has come, if the type has no limit or the length is above the limit
   */
  take(chunk: Buffer): readonly Frame[] {
    this.#parts.push(chunk);
    this.#length += chunk.length;
    const frames: Frame[] = [];
    while (this.#length >= FRAME_HEAD_LENGTH) {
      const { type, length } = readFrameHead(this.#front(FRAME_HEAD_LENGTH));
      this.#check(type, length);
      const end = FRAME_HEAD_LENGTH + length;
      if (this.#length < end) break;
      frames.push({ type, payload: this.#front(end).subarray(FRAME_HEAD_LENGTH, end) });
      this.#drop(end);
    }
    return frames;
  }

  /** Does the same as `take`, but returns null instead of throwing BadFrame. */
  takeOrNull(chunk: Buffer): readonly Frame[] | null {
    try {
      return this.take(chunk);
    } catch (error) {
      if (!(error instanceof BadFrame)) throw error;
      return null;
    }
  }

  #check(type: string, length: number): void {
    const longest = Object.hasOwn(this.#limits, type) ? this.#limits[type] : undefined;
    if (longest === undefined || length > longest)
      throw new BadFrame(`a frame ${JSON.stringify(type)} of ${length} bytes`);
  }

  /** Returns the first piece. If this piece has fewer than `length` bytes, joins all pieces into one piece and returns the joined piece. */
  #front(length: number): Buffer {
    const first = this.#parts[0] ?? Buffer.alloc(0);
    if (first.length >= length) return first;
    const joined = Buffer.concat(this.#parts);
    this.#parts = [joined];
    return joined;
  }

  #drop(length: number): void {
    const rest = this.#parts[0]?.subarray(length) ?? Buffer.alloc(0);
    if (rest.length === 0) this.#parts.shift();
    else this.#parts[0] = rest;
    this.#length -= length;
  }
}
