/** The connection to the native launcher (`bin/launcher.c`). The launcher tells us how it was called, and then executes our requests. */
import { fstatSync, readSync } from 'node:fs';
import { Socket } from 'node:net';
import { FrameDecoder } from './frame-decoder.ts';
import { encodeFrame, takeList, takeVariables } from './frames.ts';

const GATE_DESCRIPTOR = 3;

/**
 * The frames of a call, with their longest payloads in bytes: A, the arguments; E, the environment; G, the end of the call. Linux accepts no
 * more than 6 MiB of arguments and environment together (execve(2)).
 */
export const CALLER_LIMITS = { A: 8 << 20, E: 8 << 20, G: 16 };

/** Frames that the launcher sends after the call. T: whether the launcher could set a terminal mode. S: a signal. */
const LAUNCHER_LIMITS = { T: 1, S: 1 };

/**
 * How the launcher was called. We receive this before anything else runs.
 * @property argv        every argument as bytes, argv[0] included (a leading dash means a login shell)
 * @property environment the caller's variables as bytes; this process itself runs with an empty environment
 * @property isClosed    whether the caller had closed descriptors 0, 1, 2
 * @property pid         the process id of the launcher. The launcher's process can later become the command. Null if no id was sent
 */
export interface LauncherCaller {
  readonly argv: readonly Buffer[];
  readonly environment: ReadonlyMap<string, Buffer>;
  readonly isClosed: readonly [boolean, boolean, boolean];
  readonly pid: number | null;
}

/** Whether argv[0] begins with a dash, as for a login shell. */
export const isDashed = ({ argv }: Pick<LauncherCaller, 'argv'>): boolean => argv[0]?.[0] === 0x2d;

/**
 * What the launcher will exec: the file, then argv. A file without a slash is searched in the PATH that the command gets.
 * @property directory     where the command runs; null: in the caller's directory
 * @property set           variables that the command gets. They overrule the caller's variables. Of our own variables (`APE_…`, `APES_…`),
 *                         the command gets only the variables in `set` and the caller's APES_HOME
 * @property unset         variables of the caller that the command does not get. If a name is also in `set`, the variable is set
 * @property standardInput what the command reads on its standard input; null: the caller's standard input
 * @property profile       confines the command (`profileFor` in confinement.ts); null: the command runs unconfined
 */
export interface Replacement {
  readonly directory: string | null;
  readonly set: readonly (readonly [string, string | Buffer])[];
  readonly unset: readonly string[];
  readonly standardInput: Uint8Array | null;
  readonly profile: Uint8Array | null;
  readonly file: string;
  readonly argv: readonly string[];
}

/** Thrown when descriptor 3 is not the private socket (a person started the script by hand), or when an unknown frame arrives. */
export class NotCalledByLauncher extends Error {}

/** Thrown when the launcher at the other end was killed before it could send the call. */
export class LauncherGone extends Error {}

/** Reads the call. Blocks: the launcher is already sending the call. `Launcher` reads the later frames. */
export function readCaller(): LauncherCaller {
  const decoder = new FrameDecoder(CALLER_LIMITS);
  let argv: readonly Buffer[] = [];
  let environment: ReadonlyMap<string, Buffer> = new Map();
  for (;;) {
    const frames = decoder.takeOrNull(readSome(decoder.missingBytes));
    if (frames === null) throw new NotCalledByLauncher('a frame that is no part of a call');
    for (const { type, payload } of frames) {
      if (type === 'A') argv = takeList(payload);
      else if (type === 'E') environment = takeVariables(payload);
      else return { argv, environment, ...readGo(payload) };
    }
  }
}

/**
 * Reads the payload of a G frame: for each of descriptors 0, 1, 2 whether it was closed, then the process id of the launcher. The id can be
 * missing. For a malformed payload, returns no closed descriptor and no id.
 */
export function readGo(payload: Buffer): Pick<LauncherCaller, 'isClosed' | 'pid'> {
  const [, zero, one, two, pid = ''] = /^([01])([01])([01])(\d*)$/.exec(payload.toString('latin1')) ?? [];
  return { isClosed: [zero === '1', one === '1', two === '1'], pid: pid === '' ? null : Number(pid) };
}

/** Waits for bytes from the launcher, and returns at most `length` of them. */
function readSome(length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  let count: number;
  try {
    count = readSync(GATE_DESCRIPTOR, bytes, 0, length, null);
  } catch (error) {
    throw isSocket() ? new LauncherGone(String(error)) : new NotCalledByLauncher(String(error));
  }
  if (count === 0) throw isSocket() ? new LauncherGone('end of file') : new NotCalledByLauncher('end of file');
  return bytes.subarray(0, count);
}

function isSocket(): boolean {
  try {
    return fstatSync(GATE_DESCRIPTOR).isSocket();
  } catch {
    return false; // the descriptor is closed
  }
}

/** The frames that make the launcher become `next`. */
export function replacementFrames(next: Replacement): Buffer {
  const list = (strings: readonly string[]) => strings.map((text) => `${text}\0`).join('');
  const frames = [
    ...(next.directory === null ? [] : [encodeFrame('c', next.directory)]),
    ...next.unset.map((name) => encodeFrame('u', name)),
    ...next.set.map(([name, value]) => encodeFrame('s', Buffer.concat([Buffer.from(`${name}=`), Buffer.from(value)]))),
    ...(next.standardInput === null ? [] : [encodeFrame('i', next.standardInput)]),
    ...(next.profile === null ? [] : [encodeFrame('p', next.profile)]),
    encodeFrame('x', list([next.file, ...next.argv])),
  ];
  return Buffer.concat(frames);
}

/** The open connection to the launcher. Made once, after `readCaller`. */
export class Launcher {
  readonly #socket: Socket;
  readonly #decoder = new FrameDecoder(LAUNCHER_LIMITS);
  readonly #answers: ((isDone: boolean) => void)[] = [];
  readonly #signalListeners = new Set<(signal: number) => void>();
  /** Signals that came before the first listener, while the program was still loading its code. */
  readonly #unheard = new Set<number>();
  readonly #goneListeners = new Set<() => void>();
  #hasAnswered = false;

  constructor() {
    this.#socket = new Socket({ fd: GATE_DESCRIPTOR, readable: true, writable: true });
    this.#socket.on('data', (chunk: Buffer) => this.#take(chunk));
    this.#socket.on('error', () => this.#gone());
    this.#socket.on('close', () => this.#gone());
    this.#socket.unref();
  }

  /**
   * Calls `listener` for each signal that the launcher catches. The first listener also gets the signals that came earlier. A caught signal
   * has no default action. So the listener must act. Returns a function that removes the listener.
   */
  onSignal(listener: (signal: number) => void): () => void {
    this.#signalListeners.add(listener);
    const unheard = [...this.#unheard];
    this.#unheard.clear();
    for (const signal of unheard) queueMicrotask(() => this.#deliver(signal));
    return () => this.#signalListeners.delete(listener);
  }

  /**
   * Calls `listener`, perhaps twice, when the launcher has died. Then the caller is gone, and everything that we started must end. Returns
   * a function that removes the listener.
   */
  onGone(listener: () => void): () => void {
    this.#goneListeners.add(listener);
    return () => this.#goneListeners.delete(listener);
  }

  /** Switches raw mode of the caller's terminal on or off. Returns false if there is no terminal, or if the mode could not be set. */
  setRaw(isRaw: boolean): Promise<boolean> {
    this.#socket.ref();
    return new Promise((resolve) => {
      this.#answers.push((isDone) => {
        if (this.#answers.length === 0) this.#socket.unref();
        resolve(isDone);
      });
      this.#socket.write(encodeFrame(isRaw ? 'r' : 'n'));
    });
  }

  /** Whether the last frame is on its way. This frame makes the caller's process become a command, or end. */
  get hasAnswered(): boolean {
    return this.#hasAnswered;
  }

  /** The caller's process becomes the program that `next` describes. Does not return. */
  become(next: Replacement): Promise<never> {
    return this.#last(replacementFrames(next));
  }

  /** The caller's process ends with this status, 0 to 255. */
  exit(status: number): Promise<never> {
    return this.#last(encodeFrame('q', Uint8Array.of(status & 255)));
  }

  /** The caller's process dies of this signal. */
  die(signal: number): Promise<never> {
    return this.#last(encodeFrame('k', Uint8Array.of(signal)));
  }

  #last(bytes: Buffer): Promise<never> {
    this.#hasAnswered = true;
    this.#socket.ref();
    return new Promise<never>(() => {
      // This process ends by SIGKILL. An ordinary exit would restore the terminal modes from the start of this process. By then, the shell
      // that called us may already edit its next line, in its own modes.
      this.#socket.write(bytes, () => process.kill(process.pid, 'SIGKILL'));
    });
  }

  #take(chunk: Buffer): void {
    const frames = this.#decoder.takeOrNull(chunk);
    // A malformed frame closes the connection, as the launcher's death does.
    if (frames === null) return void this.#socket.destroy();
    for (const { type, payload } of frames) {
      if (type === 'T') this.#answers.shift()?.(payload[0] === 0x31);
      if (type === 'S') this.#deliver(payload[0] ?? 0);
    }
  }

  #deliver(signal: number): void {
    if (this.#signalListeners.size === 0) this.#unheard.add(signal);
    for (const listener of this.#signalListeners) listener(signal);
  }

  #gone(): void {
    for (const answer of this.#answers.splice(0)) answer(false);
    for (const listener of this.#goneListeners) listener();
  }
}

declare global {
  namespace NodeJS {
    interface Process {
      /** Ends the process at once, without `exit` events. */
      reallyExit(status: number): never;
    }
  }
}
