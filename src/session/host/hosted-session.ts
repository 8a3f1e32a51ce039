/** A live session, in the process that has the session's terminal. Takes the program's output, and writes keys to the program. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ActivitySignal, ScreenView, SessionKind, SessionView } from '../../core/message/session-view.ts';
import { systemClock } from '../../platform/clock.ts';
import type { TerminalSize } from '../../terminal/user-terminal.ts';
import type { MessageApi } from '../message/message-api.ts';
import { ScreenMirror } from '../screen/screen-mirror.ts';
import { openActivityKeeper } from './activity-keeper.ts';
import { type Foreground, foregroundOf } from './foreground.ts';
import type { ActivityKeeper, LiveSession, SessionEnding } from './live-session.ts';
import { Viewers } from './viewers.ts';

/** The part of the pseudo-terminal that a session needs. The session keeps this object when `:reset` starts a new bash. */
export interface HostedTerminal {
  /** Returns null before the program has started. */
  pid(): number | null;
  /** `st_rdev` of the terminal; null if there is no open terminal. */
  device(): number | null;
  write(keys: Buffer): void;
  /** Synchronously reads the output that is still in the kernel, and passes the output to the session. */
  readOutput(): void;
  resize(size: TerminalSize): void;
  /**
   * Ends the running relay of bulk output (`src/pty/output-pump.ts`), if there is a relay. Fulfilled when the session has taken everything
   * that the relay has read. While the session has an observer, no new relay begins.
   */
  recall(): Promise<void>;
  hangUp(): void;
  kill(): void;
}

export interface SessionFacts {
  readonly id: string;
  readonly name: string | null;
  readonly kind: SessionKind;
  readonly program: readonly string[];
  readonly cwd: string;
  readonly startedAtMs: number;
}

/** The time between the hang-up and the kill. */
const KILL_AFTER_MS = 2_000;
/** For this time, the window has another size. The program notices the change and repaints. */
const OTHER_SIZE_MS = 60;
/**
 * A repaint is complete when it has made output, and then no output for `SETTLED_MS`. After `MAX_REPAINT_MS`, it counts as complete anyway.
 */
const SETTLED_MS = 50;
const MAX_REPAINT_MS = 600;

export class HostedSession implements LiveSession {
  readonly id: string;
  readonly name: string | null;
  readonly kind: SessionKind;
  readonly facts: SessionFacts;
  readonly activity: ActivityKeeper = openActivityKeeper();
  readonly viewers: Viewers;
  readonly mirror: ScreenMirror;
  /**
   * Returns the id of the grant that the program waits for; null: the program waits for no grant. An interactive shell sets this function.
   */
  pendingGrant: () => string | null = () => null;
  /** The message API that the harness offers now; null: the harness offers no such API. */
  api: MessageApi | null = null;
  lastOutputAtMs: number;
  outputs = 0;
  lastKeyAtMs = 0;
  size: TerminalSize;
  readonly #terminal: HostedTerminal;
  readonly #signalListeners = new Set<(signal: ActivitySignal) => void>();
  readonly #endedListeners = new Set<(ending: SessionEnding) => void>();
  #observers = 0;
  #ending: SessionEnding | null = null;
  #repainting: Promise<void> | null = null;

  /** @param answersQueries whether the mirror answers the program's queries if no attached terminal can answer them */
  constructor(facts: SessionFacts, terminal: HostedTerminal, size: TerminalSize, answersQueries: boolean) {
    this.facts = facts;
    this.id = facts.id;
    this.name = facts.name;
    this.kind = facts.kind;
    this.size = size;
    this.lastOutputAtMs = facts.startedAtMs;
    this.#terminal = terminal;
    this.viewers = new Viewers(this);
    this.mirror = new ScreenMirror(size, (answer) => {
      if (answersQueries && !this.viewers.areAnswering) this.write(answer);
    });
  }

  get isEnded(): boolean {
    return this.#ending !== null;
  }

  /** Whether `device` is the session's own terminal. To show the session in its own terminal would loop for ever. */
  isOwnTerminal(device: unknown): boolean {
    return typeof device === 'number' && device === this.#terminal.device();
  }

  get leaderPid(): number | null {
    return this.isEnded ? null : this.#terminal.pid();
  }

  get isObserved(): boolean {
    return this.#observers > 0;
  }

  /**
   * Adds an observer. While there is an observer, all output passes through this object. Each `observe` needs one `unobserve`. Fulfilled
   * when this object has taken everything that a relay has read.
   */
  async observe(): Promise<void> {
    this.#observers++;
    await this.#terminal.recall();
  }

  unobserve(): void {
    this.#observers--;
  }

  /** Takes output of the program and passes it to the mirror and the viewers. */
  take(output: Buffer): void {
    this.lastOutputAtMs = systemClock.nowMs();
    this.outputs += 1;
    this.mirror.take(output);
    this.viewers.take(output);
  }

  /** To be called when a person has typed. */
  typed(): void {
    this.lastKeyAtMs = systemClock.nowMs();
  }

  /**
   * Returns what the screen shows. If the mirror possibly lacks old output, first makes the program repaint. Does not do so for a shell
   * outside the alternate screen, because a shell at its prompt would repaint only one line.
   */
  async screen(): Promise<ScreenView> {
    const view = await this.mirror.view();
    const repaintsAll = view.isAlternate || this.kind === 'program';
    if (!this.mirror.isPatchy || this.isEnded || !repaintsAll) return view;
    await this.repaint();
    return this.mirror.view();
  }

  /** Changes the window size twice, so that the program paints its whole screen. Calls at the same time share one repaint. */
  repaint(): Promise<void> {
    this.#repainting ??= this.#changeSizeTwice().finally(() => {
      this.#repainting = null;
    });
    return this.#repainting;
  }

  readOutput(): void {
    if (!this.isEnded) this.#terminal.readOutput();
  }

  write(bytes: Buffer): void {
    if (!this.isEnded) this.#terminal.write(bytes);
  }

  resize(size: TerminalSize): void {
    if (this.isEnded || (size.columns === this.size.columns && size.rows === this.size.rows)) return;
    this.resized(size);
    this.#terminal.resize(size);
  }

  /** To be called when other code has set the size of the terminal. */
  resized(size: TerminalSize): void {
    this.size = size;
    this.mirror.resize(size);
    this.viewers.send({ event: 'resized', ...size });
  }

  async view(): Promise<SessionView> {
    const title = await this.mirror.title();
    const foreground = this.#foreground();
    return {
      id: this.id,
      name: this.name,
      kind: this.kind,
      pid: process.pid,
      program: this.kind === 'program' || foreground.isLeader ? this.facts.program : foreground.argv,
      cwd: foreground.cwd || this.facts.cwd,
      harness: this.activity.harness,
      state: this.isEnded ? 'exited' : this.activity.state,
      title,
      columns: this.size.columns,
      rows: this.size.rows,
      startedAtMs: this.facts.startedAtMs,
      idleMs: Math.max(0, systemClock.nowMs() - Math.max(this.lastOutputAtMs, this.lastKeyAtMs)),
      watchers: this.viewers.count,
      pendingGrant: this.pendingGrant(),
    };
  }

  async end(): Promise<SessionEnding> {
    if (this.#ending !== null) return this.#ending;
    const ended = new Promise<SessionEnding>((resolve) => this.onEnded(resolve));
    this.#terminal.hangUp();
    const kill = setTimeout(() => this.#terminal.kill(), KILL_AFTER_MS);
    const ending = await ended;
    clearTimeout(kill);
    return ending;
  }

  /** To be called when the program has ended and this object has taken all output of the program. */
  ended(ending: SessionEnding): void {
    if (this.#ending !== null) return;
    this.#ending = ending;
    for (const listener of this.#endedListeners) listener(ending);
  }

  takeSignal(signal: ActivitySignal): void {
    this.activity.take(signal, systemClock.nowMs());
    for (const listener of this.#signalListeners) listener(signal);
  }

  onSignal(listener: (signal: ActivitySignal) => void): () => void {
    this.#signalListeners.add(listener);
    return () => this.#signalListeners.delete(listener);
  }

  onEnded(listener: (ending: SessionEnding) => void): () => void {
    if (this.#ending !== null) listener(this.#ending);
    else this.#endedListeners.add(listener);
    return () => this.#endedListeners.delete(listener);
  }

  #foreground(): Foreground {
    const pid = this.#terminal.pid();
    return foregroundOf(pid) ?? { argv: this.facts.program, cwd: this.facts.cwd, isLeader: true };
  }

  async #changeSizeTwice(): Promise<void> {
    const { columns, rows } = this.size;
    const otherSize = rows > 1 ? { columns, rows: rows - 1 } : { columns: columns + 1, rows };
    this.#terminal.resize(otherSize);
    await sleep(OTHER_SIZE_MS);
    this.mirror.isPatchy = false;
    const askedAtMs = systemClock.nowMs();
    if (!this.isEnded) this.#terminal.resize(this.size);
    while (systemClock.nowMs() - askedAtMs < MAX_REPAINT_MS) {
      await sleep(SETTLED_MS / 2);
      if (this.lastOutputAtMs > askedAtMs && systemClock.nowMs() - this.lastOutputAtMs >= SETTLED_MS) return;
    }
  }
}
