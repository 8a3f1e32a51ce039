/** The viewers of a session. Each viewer gets the output at its own pace. No viewer delays the program. */
import { systemClock } from '../../platform/clock.ts';
import type { EventFrame } from '../protocol.ts';
import type { HostedSession } from './hosted-session.ts';

/** @property isAttached whether the viewer also sends keys. Its terminal then answers the program's queries */
export interface Viewer {
  readonly isAttached: boolean;
  take(output: Buffer): void;
  send(event: EventFrame): void;
  /** Call this when no more output comes. The viewer then writes the output that it has delayed, or the last screen. Never rejects. */
  finish(): Promise<void>;
}

/** The mirror renders the output when the program has paused for this time. */
const PAUSE_MS = 100;
/** The pause while the session has no viewer. The pause is short: without a viewer, only the mirror can answer queries. */
const SHORT_PAUSE_MS = 15;
/** The pause while more than `LITTLE_BYTES` of output wait to be rendered. */
const LONG_PAUSE_MS = 500;
/** The mirror renders without a pause if the last rendering was more than this time ago, and at most `LITTLE_BYTES` wait. */
const MAX_WAIT_MS = 1_000;
const LITTLE_BYTES = 1 << 18;

export class Viewers {
  readonly #session: HostedSession;
  readonly #viewers = new Set<Viewer>();
  #pause: NodeJS.Timeout | null = null;
  /** When output last came, and when the mirror last rendered output, by the monotonic clock. */
  #outputAtMs = 0;
  #renderedAtMs = 0;
  #isAttached = false;
  #areAnswering = false;

  constructor(session: HostedSession) {
    this.#session = session;
  }

  get count(): number {
    return this.#viewers.size;
  }

  /** Whether an attached terminal got the output that the mirror renders now. Then this terminal answers the program's queries. */
  get areAnswering(): boolean {
    return this.#areAnswering;
  }

  add(viewer: Viewer): void {
    this.#viewers.add(viewer);
    this.#passOnQueries();
  }

  remove(viewer: Viewer): void {
    this.#viewers.delete(viewer);
    this.#passOnQueries();
  }

  /** Renders the output that came before this call, and only then changes who answers queries. */
  #passOnQueries(): void {
    const isAttached = [...this.#viewers].some((viewer) => viewer.isAttached);
    if (isAttached === this.#isAttached) return;
    this.#isAttached = isAttached;
    const change = () => {
      this.#areAnswering = isAttached;
    };
    this.#session.mirror.render().then(change, change);
  }

  take(output: Buffer): void {
    this.#outputAtMs = systemClock.elapsedMs();
    for (const viewer of this.#viewers) viewer.take(output);
    if (this.#session.kind === 'program' && this.#pause === null) this.#renderInAPause(this.#pauseMs());
  }

  send(event: EventFrame): void {
    for (const viewer of this.#viewers) viewer.send(event);
  }

  #pauseMs(): number {
    if (this.#session.mirror.waitingBytes > LITTLE_BYTES) return LONG_PAUSE_MS;
    return this.#viewers.size === 0 ? SHORT_PAUSE_MS : PAUSE_MS;
  }

  /**
   * Renders the output in a pause of the program. In a pause, rendering delays no output. If too much output waits, the mirror drops a part
   * of this output. Then the session has to make the program repaint its screen (`ScreenMirror.isPatchy`).
   */
  #renderInAPause(delayMs: number): void {
    this.#pause = setTimeout(
      () => {
        this.#pause = null;
        const { mirror } = this.#session;
        const nowMs = systemClock.elapsedMs();
        const pausedMs = nowMs - this.#outputAtMs;
        const isLittle = mirror.waitingBytes <= LITTLE_BYTES && nowMs - this.#renderedAtMs > MAX_WAIT_MS;
        if (pausedMs < this.#pauseMs() && !isLittle) return this.#renderInAPause(this.#pauseMs() - pausedMs);
        this.#renderedAtMs = nowMs;
        void mirror.render();
      },
      Math.max(delayMs, 1),
    );
  }
}
