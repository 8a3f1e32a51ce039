/**
 * The private pseudo-terminal, on which pty-leader starts. This is the only file that uses node-pty.
 *
 * Faults of node-pty 1.1, and the remedies:
 * - If the child exits while output is still in the kernel, node-pty loses that output. So this class keeps a descriptor of the slave side
 *   open: while this descriptor is open, the master does not hang up. When the child has ended, this class writes an end marker to that
 *   descriptor. All output of the child comes before the marker.
 * - Every other child of this process inherits the descriptor of the master. `covered-descriptors.ts` prevents this.
 * - node-pty's writer uses all processor time while the kernel's input buffer is full. `key-writer.ts` replaces the writer.
 * - node-pty's decoding damages output that is not UTF-8. So this class takes the bytes undecoded.
 */
import { closeSync, constants, fstatSync, openSync, readSync, writeSync } from 'node:fs';
import { constants as system } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { spawn } from 'node-pty';
import type { TerminalSize } from '../terminal/user-terminal.ts';
import { coverDescriptor, uncoverDescriptor } from './covered-descriptors.ts';
import { KeyWriter } from './key-writer.ts';

export interface ProcessEnd {
  readonly status: number;
  /** Number of the signal that killed the process; 0: the process exited by itself. */
  readonly signal: number;
}

/** Members of node-pty that its types do not declare (lib/unixTerminal.js). */
interface UnixTerminal {
  readonly fd: number;
  readonly ptsName: string;
  readonly _socket: { readonly readableLength: number; readonly _handle?: Partial<Reading> | null };
  _emittedClose: boolean;
}

/** Members of Node's stream handles that Node's types do not declare. The methods do not change the state of the stream. */
interface Reading {
  readonly reading: boolean;
  readStart(): void;
  readStop(): void;
}

/** Another reader reads the master until `over` is fulfilled. `recall` asks that reader to stop. */
interface Loan {
  readonly recall: AbortController;
  readonly over: Promise<void>;
}

/** How long to wait for the end marker if output is stopped or not read. */
const END_MARKER_DEADLINE_MS = 2_000;
/** The time between two checks whether a process that closed its channel still runs. */
const LOOK_MS = 50;
/** The wait between a hang-up and the first SIGCHLD. Each further wait is twice as long. */
const FIRST_WAKE_UP_MS = 16;
const LAST_WAKE_UP_MS = 2_048;

export class PseudoTerminal {
  readonly pid: number;
  readonly #terminal: ReturnType<typeof spawn> & UnixTerminal;
  readonly #keys: KeyWriter;
  readonly #onOutput: (chunk: Buffer) => void;
  readonly #follower: number;
  readonly #passesHangUpOn: boolean;
  /** Whether `#follower` is closed. After the close, another file can get the same descriptor number. */
  #isClosed = false;
  /** Fulfilled when the process has ended; some of its output is possibly still unread. */
  readonly exited: Promise<ProcessEnd>;
  #onKeys: (keys: Buffer) => void = () => undefined;
  #endMarker: EndMarker | null = null;
  #loan: Loan | null = null;
  #isPaused = false;
  #slab: Buffer = Buffer.alloc(0);
  #slabUsed = 0;
  #finished: Promise<ProcessEnd> | null = null;

  constructor(
    program: {
      readonly file: string;
      readonly argv: readonly string[];
      readonly environment: Readonly<Record<string, string>>;
      /** Whether the program itself passes SIGHUP on to its jobs, as bash does. */
      readonly passesHangUpOn?: true;
    },
    size: TerminalSize,
    onOutput: (chunk: Buffer) => void,
  ) {
    this.#onOutput = onOutput;
    this.#passesHangUpOn = program.passesHangUpOn === true;
    this.#terminal = spawn(program.file, [...program.argv], {
      name: 'dumb', // the leader sets the caller's own environment
      cols: size.columns,
      rows: size.rows,
      cwd: '/',
      env: { ...program.environment },
      encoding: null,
    }) as ReturnType<typeof spawn> & UnixTerminal;
    this.pid = this.#terminal.pid;
    coverDescriptor(this.#terminal.fd);
    this.#follower = openSync(this.#terminal.ptsName, constants.O_WRONLY | constants.O_NOCTTY | constants.O_NONBLOCK);
    this.#keys = new KeyWriter(this.#terminal.fd);
    this.exited = new Promise((resolve) => {
      this.#terminal.onExit(({ exitCode, signal }) => resolve({ status: exitCode, signal: signal ?? 0 }));
    });
    this.#terminal.onData((data: unknown) => this.#take(data as Buffer));
  }

  /**
   * Makes node-pty report the exit at once. By default, node-pty first waits 200 ms for a hang-up, and then discards unread output. Our
   * descriptor of the slave side prevents the hang-up. Call this method only for a program that keeps no channel open while it runs. For
   * bash, the end of the channel already shows the exit.
   */
  reportExitAtOnce(): void {
    this.#terminal._emittedClose = true;
  }

  /** Returns `st_rdev` of fstat(2) for this terminal; null if the terminal is closed. */
  device(): number | null {
    if (this.#isClosed) return null;
    try {
      return fstatSync(this.#follower).rdev;
    } catch {
      return null;
    }
  }

  /** @param listener called with all input of `write`, also with input that the program has not got yet */
  onKeys(listener: (keys: Buffer) => void): void {
    this.#onKeys = listener;
  }

  /** Keeps all keys back until `releaseKeys`: no program reads them, and no key becomes a signal. */
  holdKeys(): void {
    this.#keys.hold();
  }

  releaseKeys(): void {
    this.#keys.release();
  }

  /** Takes all keys. Returns false if too many keys wait. In this case, calls `onRoom` once when there is room again. */
  write(keys: Buffer, onRoom: () => void): boolean {
    const hasRoom = this.#keys.write(keys, onRoom);
    this.#onKeys(keys);
    return hasRoom;
  }

  /** Whether a Ctrl-C typed now becomes SIGINT; false if the terminal is closed. */
  async isInterruptKey(): Promise<boolean> {
    const { isInterruptKey } = await import('./interrupt-key.ts');
    return !this.#isClosed && isInterruptKey(this.#follower);
  }

  interrupt(): void {
    this.#signal('SIGINT');
  }

  /** Ends bash's wait for a key. SIGCHLD has no other effect: no child of bash has ended. */
  wakeUp(): void {
    this.#signal('SIGCHLD');
  }

  /** Does nothing if the terminal is closed. */
  resize(size: TerminalSize): void {
    try {
      this.#terminal.resize(size.columns, size.rows);
    } catch {
      // node-pty closes the terminal when the program has ended.
    }
  }

  pause(): void {
    if (this.#endMarker !== null) return;
    this.#isPaused = true;
    this.#terminal.pause();
  }

  resume(): void {
    this.#isPaused = false;
    if (this.#loan === null) this.#terminal.resume();
  }

  /**
   * Until the promise of `use` is settled, `use` reads the master, and this class does not read. Call this method from `onOutput`. Returns
   * false, without calling `use`, in these cases: node-pty's stream has output or does not read, another reader has the master, or the
   * process has ended.
   * @param use must settle its promise soon after this class aborts `recalled`
   */
  lend(use: (master: number, recalled: AbortSignal) => Promise<void>): boolean {
    const { _socket, fd } = this.#terminal;
    const own = _socket._handle;
    if (this.#endMarker !== null || this.#loan !== null) return false;
    // A stream that does not read now can start reading again by itself at any time.
    if (_socket.readableLength > 0 || own?.reading !== true || !own.readStop || !own.readStart) return false;
    own.readStop();
    const recall = new AbortController();
    const over = use(fd, recall.signal)
      .catch(ignore)
      .finally(() => {
        this.#loan = null;
        own.readStart?.();
        if (!this.#isPaused) this.#terminal.resume();
      });
    this.#loan = { recall, over };
    return true;
  }

  /** Ends the loan that `lend` began. Fulfilled when no other reader reads the master. */
  async recall(): Promise<void> {
    this.#loan?.recall.abort();
    await this.#loan?.over;
  }

  /**
   * Prints on the slave side. So the text keeps its place in the output of bash and the children of bash. While output is stopped (Ctrl-S)
   * or not read, tries again until the terminal is closed. Fulfilled when the text is written, writing fails, or the terminal is closed;
   * never rejects.
   */
  async say(text: string): Promise<void> {
    let bytes = Buffer.from(text);
    while (bytes.length > 0 && !this.#isClosed) {
      try {
        bytes = bytes.subarray(writeSync(this.#follower, bytes));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') return;
        await sleep(SAY_RETRY_MS);
      }
    }
  }

  /** Sends SIGHUP and SIGCONT to the process. bash passes SIGHUP on to its jobs. */
  hangUp(): void {
    this.#signal('SIGHUP');
    this.#signal('SIGCONT');
    this.#wakeUpUntilGone(FIRST_WAKE_UP_MS);
  }

  /**
   * Sends SIGCHLD until bash ends, but not longer than about four seconds. Without this signal, a bash that has just handled a key possibly
   * notices SIGHUP only at the next key (`interrupt-watch.ts`).
   */
  #wakeUpUntilGone(afterMs: number): void {
    if (afterMs > LAST_WAKE_UP_MS) return;
    const timer = setTimeout(() => {
      this.wakeUp();
      this.#wakeUpUntilGone(afterMs * 2);
    }, afterMs).unref();
    void this.exited.then(() => clearTimeout(timer));
  }

  kill(): void {
    this.#signal('SIGKILL');
  }

  /**
   * Call when the process has ended or closed its channel. Fulfilled when the process has ended and all its output was passed on. Output
   * that cannot be read within two seconds after the end of the process is lost.
   */
  finish(): Promise<ProcessEnd> {
    // The exit of the process and the end of its channel both lead here. The descriptor must be closed only once.
    this.#finished ??= this.#finish();
    return this.#finished;
  }

  async #finish(): Promise<ProcessEnd> {
    while (this.#isAlive()) await Promise.race([this.exited, sleep(LOOK_MS)]);
    await this.#drain();
    this.#keys.close();
    this.#isClosed = true;
    closeSync(this.#follower);
    const ending = await this.exited;
    // If SIGHUP ended bash, bash has already sent SIGHUP to its jobs. A job that the person removed with `disown` goes on, as without
    // ape-shell.
    const hasToldJobs = this.#passesHangUpOn && ending.signal === system.signals.SIGHUP;
    if (ending.signal !== 0 && !hasToldJobs) (await import('./session-processes.ts')).hangUpSession(this.pid);
    uncoverDescriptor(this.#terminal.fd);
    return ending;
  }

  #isAlive(): boolean {
    try {
      process.kill(this.pid, 0);
      return true;
    } catch {
      return false;
    }
  }

  async #drain(): Promise<void> {
    await this.recall();
    const { randomInt } = await import('node:crypto');
    const endMarker = new EndMarker(Array.from({ length: 8 }, () => String(randomInt(1e8, 1e9))).join(''));
    this.#endMarker = endMarker;
    this.resume();
    const deadline = setTimeout(() => endMarker.reach(), END_MARKER_DEADLINE_MS);
    await Promise.race([this.say(endMarker.text), endMarker.reached]); // `say` waits as long as output is stopped
    await endMarker.reached;
    clearTimeout(deadline);
    this.#onOutput(endMarker.rest());
  }

  /** After a large chunk, more output usually follows. Reading at once takes a fifth of the time of a read event. */
  #take(chunk: Buffer): void {
    this.#pass(chunk);
    for (let last = chunk.length; last >= BIG_BYTES && this.#mayReadMore(); ) last = this.#passMore();
  }

  /**
   * Reads one chunk of output from the kernel now, and passes it on. While this process is busy, the read event would come late. Does
   * nothing in these cases: output is paused, another reader has the master, the process has ended, or node-pty's stream has earlier
   * output.
   */
  readOutput(): void {
    if (this.#mayReadMore() && this.#terminal._socket.readableLength === 0) this.#passMore();
  }

  /** Returns the number of bytes read and passed on. */
  #passMore(): number {
    const count = this.#readMore();
    if (count > 0) this.#pass(this.#slab.subarray(this.#slabUsed - count, this.#slabUsed));
    return count;
  }

  #mayReadMore(): boolean {
    return !this.#isPaused && this.#endMarker === null && this.#loan === null;
  }

  #pass(chunk: Buffer): void {
    this.#onOutput(this.#endMarker === null ? chunk : this.#endMarker.pass(chunk));
  }

  /** Returns the number of bytes read; 0 if there is no output at the moment. */
  #readMore(): number {
    if (this.#slab.length - this.#slabUsed < SLAB_BYTES / 4) {
      this.#slab = Buffer.allocUnsafeSlow(SLAB_BYTES);
      this.#slabUsed = 0;
    }
    try {
      const count = readSync(this.#terminal.fd, this.#slab, this.#slabUsed, this.#slab.length - this.#slabUsed, null);
      this.#slabUsed += count;
      return count;
    } catch {
      return 0; // no output, or the end: the next event shows which
    }
  }

  #signal(signal: NodeJS.Signals): void {
    try {
      process.kill(this.pid, signal);
    } catch {
      // The process has ended already.
    }
  }
}

const ignore = (): void => undefined;

const SAY_RETRY_MS = 2;
const BIG_BYTES = 2_048;
const SLAB_BYTES = 1 << 18;

/** A random text that no other program can guess and print. The text has only digits: no terminal mode changes digits. */
class EndMarker {
  readonly text: string;
  readonly reached: Promise<void>;
  reach: () => void = () => undefined;
  #held: Buffer = Buffer.alloc(0);
  #isReached = false;

  constructor(text: string) {
    this.text = text;
    this.reached = new Promise((resolve) => {
      this.reach = () => {
        this.#isReached = true;
        resolve();
      };
    });
  }

  /**
   * Returns the bytes to pass on now. Holds back bytes that are possibly the beginning of the end marker. Discards all bytes after
   * the marker.
   */
  pass(chunk: Buffer): Buffer {
    if (this.#isReached) return Buffer.alloc(0);
    const bytes = Buffer.concat([this.#held, chunk]);
    const at = bytes.indexOf(this.text);
    if (at >= 0) {
      this.#held = Buffer.alloc(0);
      this.reach();
      return bytes.subarray(0, at);
    }
    const safe = Math.max(0, bytes.length - this.text.length + 1);
    this.#held = bytes.subarray(safe);
    return bytes.subarray(0, safe);
  }

  /** Returns the bytes held back for an end marker that did not come. */
  rest(): Buffer {
    return this.#held;
  }
}
