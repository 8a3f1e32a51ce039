/**
 * Sends server-sent events to one reader. While a reader is slow, events wait, and a new event replaces a waiting event about the same
 * thing. The server cuts off a reader that stays slow.
 */

import type { FastifyReply } from 'fastify';
import { systemClock } from '../../platform/clock.ts';

/** How often each stream writes a comment line, and checks whether the reader may still read. */
export const STREAM_BEAT_MS = 15_000;
/** How long a slow reader may take to empty a full buffer. After this time, the next beat cuts the reader off. */
const STALL_MS = 45_000;
/** The most events that may wait for a slow reader. If more events wait, the server cuts the reader off. */
const MAX_WAITING = 500;

export class EventStream {
  readonly #raw: FastifyReply['raw'];
  readonly #waiting = new Map<string, string>();
  /** Checks now, before the next beat, whether the reader may still read. */
  readonly check: () => void;
  readonly #beat: NodeJS.Timeout;
  readonly #onEnd: () => void;
  readonly #elapsedMs: () => number;
  #stalledSinceMs: number | null = null;
  #isFinishing = false;
  #isOver = false;

  /**
   * @param onEnd  called once, when the connection of the reader is closed or will be closed
   * @param onBeat called every `STREAM_BEAT_MS`, and by `check`; returns whether the reader may still read; must not reject
   */
  constructor(
    reply: FastifyReply,
    onEnd: () => void,
    onBeat: () => Promise<boolean>,
    elapsedMs: () => number = systemClock.elapsedMs,
  ) {
    this.#raw = reply.raw;
    this.#elapsedMs = elapsedMs;
    this.#onEnd = onEnd;
    const headers = reply.getHeaders();
    reply.hijack();
    this.#raw.writeHead(200, {
      ...(headers as Record<string, string>),
      'content-type': 'text/event-stream; charset=utf-8',
      'x-accel-buffering': 'no',
    });
    this.#raw.on('drain', () => this.#catchUp());
    this.#raw.on('close', () => this.#end());
    this.#raw.on('error', () => this.#end());
    if (this.#raw.destroyed) setImmediate(() => this.#end()); // the reader left before the listener was added, so `close` will not come
    this.#write(': hello\n\n');
    this.check = () => void this.#onTick(onBeat);
    this.#beat = setInterval(this.check, STREAM_BEAT_MS);
    this.#beat.unref();
  }

  /**
   * Sends an event. Does nothing after the end of the stream.
   * @param key  the id of what the event describes; the event replaces a waiting event with the same key
   * @param id   the event's number for `Last-Event-ID`; null: the event has no number
   * @param body the newest state of what the event describes
   */
  send(key: string, event: string, id: number | null, body: unknown): void {
    if (this.#isOver || this.#isFinishing) return;
    const frame = `${id === null ? '' : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(body)}\n\n`;
    if (this.#stalledSinceMs === null) {
      this.#write(frame);
      return;
    }
    this.#waiting.delete(key);
    this.#waiting.set(key, frame);
    if (this.#waiting.size > MAX_WAITING) this.#cutOff();
  }

  /** Writes all waiting events, and ends the stream. If a slow reader does not read them within `STALL_MS`, the next beat cuts it off. */
  finish(): void {
    if (this.#isOver || this.#isFinishing) return;
    for (const frame of this.#waiting.values()) this.#raw.write(frame);
    this.#waiting.clear();
    this.#raw.end();
    if (this.#stalledSinceMs === null) this.#end();
    else {
      this.#isFinishing = true;
      this.#stalledSinceMs = this.#elapsedMs();
    }
  }

  /** Ends the stream of a reader who may no longer read. The waiting events are not sent. */
  dismiss(): void {
    if (this.#stalledSinceMs === null) this.finish();
    else this.#cutOff();
  }

  #write(frame: string): void {
    if (!this.#raw.write(frame)) this.#stalledSinceMs ??= this.#elapsedMs();
  }

  #catchUp(): void {
    if (this.#isFinishing) return;
    this.#stalledSinceMs = null;
    for (const [key, frame] of this.#waiting) {
      this.#waiting.delete(key);
      this.#write(frame);
      if (this.#stalledSinceMs !== null) return;
    }
  }

  async #onTick(onBeat: () => Promise<boolean>): Promise<void> {
    if (this.#stalledSinceMs !== null && this.#elapsedMs() - this.#stalledSinceMs > STALL_MS) return this.#cutOff();
    if (!(await onBeat())) return this.dismiss();
    if (this.#stalledSinceMs === null && !this.#isOver) this.#write(': beat\n\n');
  }

  #cutOff(): void {
    if (this.#isOver) return;
    this.#raw.destroy();
    this.#end();
  }

  #end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearInterval(this.#beat);
    this.#waiting.clear();
    this.#onEnd();
  }
}
