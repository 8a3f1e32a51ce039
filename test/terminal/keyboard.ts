/** A person at a terminal: types keys into a real pseudo-terminal and waits for what the screen shows. */
import { setImmediate as afterReads, setTimeout as pause } from 'node:timers/promises';
import { spawn } from 'node-pty';
import { holdOpen } from '../fixtures/terminal/hold-open.ts';
import type { Command } from '../fixtures/terminal/start-host.ts';
import { type TypedKeys, typedKeys } from '../fixtures/terminal/typed-keys.ts';

const DEFAULT_TIMEOUT_MS = 60_000;
/** The number of last bytes in which a pattern is looked for. */
const LOOKED_AT = 65_536;

export interface Exit {
  readonly status: number;
  readonly signal: number;
}

export class Keyboard {
  /** Everything the terminal printed, byte for byte (latin1: one character a byte). */
  printed = '';
  readonly pid: number;
  readonly exit: Promise<Exit>;
  #isOver = false;
  #seen = 0;
  readonly #terminal: ReturnType<typeof spawn>;
  readonly #keys: TypedKeys;
  readonly #listeners = new Set<() => void>();

  constructor(command: Command, size = { columns: 100, rows: 24 }) {
    const [file, ...argv] = command.argv;
    this.#terminal = spawn(file ?? '', argv, {
      name: command.environment['TERM'] ?? 'xterm',
      cols: size.columns,
      rows: size.rows,
      cwd: command.cwd,
      env: { ...command.environment },
      encoding: null,
    });
    this.pid = this.#terminal.pid;
    this.#terminal.onData((data: unknown) => {
      this.printed += (data as Buffer).toString('latin1');
      this.#tell();
    });
    holdOpen(this.#terminal);
    this.#keys = typedKeys(this.#terminal);
    this.exit = new Promise((resolve) => {
      this.#terminal.onExit(({ exitCode, signal }) => {
        this.#isOver = true;
        resolve({ status: exitCode, signal: signal ?? 0 });
        this.#tell();
      });
    });
  }

  type(keys: string | Buffer): void {
    this.#keys.type(keys);
  }

  resize(columns: number, rows: number): void {
    this.#terminal.resize(columns, rows);
  }

  /** Stops reading from the terminal until `readOn`. */
  stopReading(): void {
    this.#terminal.pause();
  }

  readOn(): void {
    this.#terminal.resume();
  }

  /** The output since the last successful wait. */
  get unseen(): string {
    return this.printed.slice(this.#seen);
  }

  /** Waits until `pattern` matches the output since the last wait. The next wait begins behind the match. */
  async see(pattern: RegExp, maxWaitMs = DEFAULT_TIMEOUT_MS): Promise<RegExpExecArray> {
    const until = Date.now() + maxWaitMs;
    for (;;) {
      const from = Math.max(this.#seen, this.printed.length - LOOKED_AT);
      const match = pattern.exec(this.printed.slice(from));
      if (match !== null) {
        this.#seen = from + match.index + match[0].length;
        return match;
      }
      if (this.#isOver) throw new Error(`the shell ended; unseen: ${JSON.stringify(this.unseen.slice(-600))}`);
      if (Date.now() > until)
        throw new Error(`${pattern} did not come; unseen: ${JSON.stringify(this.unseen.slice(-600))}`);
      await this.#change(Math.max(1, until - Date.now()));
    }
  }

  /** Waits until nothing was printed for `quietMs`. The next wait begins behind all of this output. */
  async quiet(quietMs = 120): Promise<void> {
    await this.allRead(quietMs);
    this.#seen = this.printed.length;
  }

  /**
   * Waits until nothing was printed for `quietMs`. The next `see` also looks at this output. At Ctrl-C the kernel drops output that the
   * terminal has not read yet (termios(3), NOFLSH).
   */
  async allRead(quietMs: number): Promise<void> {
    for (let length = -1; length !== this.printed.length; ) {
      length = this.printed.length;
      await pause(quietMs);
      await afterReads(); // Node reads what has come between a timer and an immediate
    }
  }

  async ended(maxWaitMs = DEFAULT_TIMEOUT_MS): Promise<Exit | null> {
    return Promise.race([this.exit, pause(maxWaitMs, null)]);
  }

  /** Closes the master of the terminal, as when a window is closed. */
  hangUp(): void {
    this.#keys.close();
    (this.#terminal as unknown as { destroy(): void }).destroy();
  }

  /** Kills the program in the terminal. */
  close(): void {
    if (this.#isOver) return;
    try {
      this.#terminal.kill('SIGKILL');
    } catch {
      // It ended meanwhile.
    }
  }

  #tell(): void {
    for (const listener of [...this.#listeners]) listener();
  }

  #change(maxWaitMs: number): Promise<void> {
    return new Promise((resolve) => {
      const settle = () => {
        clearTimeout(timer);
        this.#listeners.delete(settle);
        resolve();
      };
      const timer = setTimeout(settle, maxWaitMs);
      this.#listeners.add(settle);
    });
  }
}
