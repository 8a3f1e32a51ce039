/**
 * The three ways to view a session over its socket. No viewer slows the program down: a viewer that does not read in time misses output,
 * and then gets the whole screen again.
 */
import type { Socket } from 'node:net';
import type { ScreenView } from '../../core/message/session-view.ts';
import { systemClock } from '../../platform/clock.ts';
import { encodeFrame } from '../../platform/frames.ts';
import { type EventFrame, jsonFrame } from '../protocol.ts';
import type { HostedSession } from './hosted-session.ts';
import type { Viewer } from './viewers.ts';

/** An attached terminal gets all output, unless more than this number of bytes wait for the terminal. */
const ATTACHED_BEHIND_BYTES = 4 << 20;

abstract class SocketViewer implements Viewer {
  abstract readonly isAttached: boolean;
  protected readonly session: HostedSession;
  protected readonly socket: Socket;

  constructor(session: HostedSession, socket: Socket) {
    this.session = session;
    this.socket = socket;
  }

  abstract take(output: Buffer): void;
  abstract finish(): Promise<void>;

  send(event: EventFrame): void {
    this.socket.write(jsonFrame(event));
  }

  protected show(bytes: Buffer): void {
    this.socket.write(encodeFrame('O', bytes));
  }
}

/** A viewer that gets bytes. It first gets the painted screen, and then the output that came while the screen was painted. */
abstract class ByteViewer extends SocketViewer {
  protected isPainting = false;
  /** Resolves after the last painting that was begun. Never rejects. */
  #painted: Promise<void> = Promise.resolve();
  #meanwhile: Buffer[] = [];
  #meanwhileBytes = 0;

  take(output: Buffer): void {
    if (this.isPainting) {
      this.#meanwhile.push(output);
      this.#meanwhileBytes += output.length;
    } else this.pass(output);
  }

  /**
   * Sends the painted screen. Does nothing while an earlier call is still painting.
   * @param isFirst whether this is the viewer's first painting. If so, and if the mirror possibly lacks old output, the program repaints
   *                its screen
   */
  paint(isFirst: boolean): Promise<void> {
    if (!this.isPainting) this.#painted = this.#paint(isFirst);
    return this.#painted;
  }

  async finish(): Promise<void> {
    await this.#painted;
    if (this.hasMissedOutput()) await this.#paint(false);
  }

  /** Call this when no more output comes. Sends the output that was delayed. Returns whether some output is missing. */
  protected abstract hasMissedOutput(): boolean;

  async #paint(isFirst: boolean): Promise<void> {
    this.isPainting = true;
    this.show(await this.session.mirror.painting());
    this.isPainting = false;
    const outputs = this.#meanwhile;
    const isTooMuch = this.#meanwhileBytes > ATTACHED_BEHIND_BYTES;
    this.#meanwhile = [];
    this.#meanwhileBytes = 0;
    if (isFirst && this.session.mirror.isPatchy) void this.session.repaint();
    if (isTooMuch) return this.#paint(false);
    for (const output of outputs) this.pass(output);
  }

  protected abstract pass(output: Buffer): void;
}

/** The viewer for an attached terminal: gets all output immediately. After the viewer fell behind, it gets the painted screen. */
export class AttachedViewer extends ByteViewer {
  readonly isAttached = true;
  #isBehind = false;

  protected pass(output: Buffer): void {
    if (this.#isBehind) return;
    if (this.socket.writableLength > ATTACHED_BEHIND_BYTES) this.#fallBehind();
    else this.show(output);
  }

  protected hasMissedOutput(): boolean {
    return this.#isBehind;
  }

  #fallBehind(): void {
    this.#isBehind = true;
    this.socket.once('drain', () => {
      this.#isBehind = false;
      void this.paint(false);
    });
  }
}

/** A watching viewer gets at most about `GLIMPSE_BYTES` in each `GLIMPSE_MS`. An eye cannot follow more output. */
const GLIMPSE_BYTES = 1 << 16;
const GLIMPSE_MS = 33;
/** A viewer that has missed output gets the exact screen as soon as the program pauses for this time. */
const QUIET_MS = 150;

/**
 * The viewer for `watch`: gets the output at intervals. If there is too much output, the viewer gets only the end of the output. When the
 * program pauses, the viewer then gets the exact screen.
 */
export class WatchingViewer extends ByteViewer {
  readonly isAttached = false;
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #timer: NodeJS.Timeout | null = null;
  #shownAtMs = 0;
  #outputAtMs = 0;
  #hasLeftOut = false;

  protected pass(output: Buffer): void {
    this.#outputAtMs = systemClock.elapsedMs();
    this.#waiting.push(output);
    this.#waitingBytes += output.length;
    while (this.#waitingBytes > GLIMPSE_BYTES && this.#waiting.length > 1) {
      this.#waitingBytes -= this.#waiting.shift()?.length ?? 0;
      this.#hasLeftOut = true;
    }
    this.#timer ??= setTimeout(
      () => this.#glimpse(),
      Math.max(0, this.#shownAtMs + GLIMPSE_MS - systemClock.elapsedMs()),
    );
  }

  protected hasMissedOutput(): boolean {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#glimpse();
    if (this.#timer !== null) clearTimeout(this.#timer);
    return this.#hasLeftOut;
  }

  #glimpse(): void {
    this.#timer = null;
    this.#shownAtMs = systemClock.elapsedMs();
    if (this.socket.destroyed) return;
    if (this.socket.writableLength > GLIMPSE_BYTES) this.#hasLeftOut = true;
    else if (this.#waitingBytes > 0)
      this.show(Buffer.concat([...(this.#hasLeftOut ? [RESUME] : []), ...this.#waiting]));
    this.#waiting = [];
    this.#waitingBytes = 0;
    if (this.#hasLeftOut) this.#timer = setTimeout(() => this.#paintMissed(), QUIET_MS);
  }

  #paintMissed(): void {
    this.#timer = null;
    const isQuiet = systemClock.elapsedMs() - this.#outputAtMs >= QUIET_MS && this.socket.writableLength === 0;
    if (isQuiet) {
      this.#hasLeftOut = false;
      void this.paint(false);
    } else this.#glimpse();
  }
}

/** Ends an escape sequence that was cut in the middle, and resets colours and style. */
const RESUME = Buffer.from('\x18\x1b[0m');

/** The viewer for `watch --json`: gets the rendered screen in an event after a change. Several quick changes give one event. */
export class ScreenViewer extends SocketViewer {
  readonly isAttached = false;
  #timer: NodeJS.Timeout | null = null;
  #notBeforeMs = 0;
  #last = '';
  #isBehind = false;

  take(): void {
    const restMs = this.#notBeforeMs - systemClock.elapsedMs();
    this.#timer ??= setTimeout(() => void this.look(), Math.max(SCREEN_EVERY_MS, restMs));
  }

  finish(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    return this.look(Number.POSITIVE_INFINITY);
  }

  override send(event: EventFrame): void {
    super.send(event);
    if (event.event === 'resized') this.take();
  }

  /** Sends the screen if it has changed. If more than `most` bytes wait for the viewer, looks again when the viewer has read them. */
  async look(most = GLIMPSE_BYTES): Promise<void> {
    const begunAtMs = systemClock.elapsedMs();
    const view: ScreenView = await this.session.mirror.view(GLIMPSE_BYTES);
    this.#notBeforeMs = systemClock.elapsedMs() + (systemClock.elapsedMs() - begunAtMs) * REST_FACTOR;
    this.#timer = null;
    const text = JSON.stringify(view);
    if (text === this.#last || this.socket.destroyed) return;
    if (this.socket.writableLength > most) {
      if (!this.#isBehind) this.socket.once('drain', () => this.#catchUp());
      this.#isBehind = true;
      return;
    }
    this.#last = text;
    this.send({ event: 'screen', screen: view });
  }

  #catchUp(): void {
    this.#isBehind = false;
    this.take();
  }
}

const SCREEN_EVERY_MS = 200;
/** After each rendering, the viewer rests for this multiple of the time that the rendering took. */
const REST_FACTOR = 15;
