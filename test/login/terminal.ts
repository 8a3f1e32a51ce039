/** Plays a person at a terminal who runs a program that logs in: types keys, and waits for what the screen shows. */
import { type IPty, spawn } from 'node-pty';
import stripAnsi from 'strip-ansi';
import { holdOpen } from '../fixtures/terminal/hold-open.ts';
import { type TypedKeys, typedKeys } from '../fixtures/terminal/typed-keys.ts';

const TIMEOUT_MS = 60_000;

export class Terminal {
  readonly #pty: IPty;
  readonly #keys: TypedKeys;
  #text = '';
  #seen = 0;
  #onText: () => void = () => undefined;
  readonly #ended: Promise<{ exitCode: number; signal: number }>;

  constructor(file: string, args: readonly string[], env: Record<string, string> = {}) {
    this.#pty = spawn(file, [...args], {
      cols: 120,
      rows: 30,
      cwd: '/',
      env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', TERM: 'xterm', LC_ALL: 'C.UTF-8', ...env },
    });
    holdOpen(this.#pty);
    this.#keys = typedKeys(this.#pty);
    this.#pty.onData((chunk) => {
      this.#text += chunk;
      this.#onText();
    });
    this.#ended = new Promise((resolve) => {
      this.#pty.onExit(({ exitCode, signal }) => resolve({ exitCode, signal: signal ?? 0 }));
    });
  }

  get pid(): number {
    return this.#pty.pid;
  }

  /** Everything shown so far, without colours. */
  get text(): string {
    return stripAnsi(this.#text).replaceAll('\r', '');
  }

  type(keys: string): void {
    this.#keys.type(keys);
  }

  /** Waits until the screen shows this, behind the text of the call before. Returns the text up to the end of the match. */
  async see(wanted: RegExp, maxWaitMs = TIMEOUT_MS): Promise<string> {
    const deadline = performance.now() + maxWaitMs;
    for (;;) {
      const rest = this.text.slice(this.#seen);
      const match = wanted.exec(rest);
      if (match !== null) {
        this.#seen += match.index + match[0].length;
        return rest.slice(0, match.index + match[0].length);
      }
      const leftMs = deadline - performance.now();
      if (leftMs <= 0) throw new Error(`${wanted} was not shown; shown: ${JSON.stringify(rest)}`);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, leftMs);
        this.#onText = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }

  /** The exit status of the program in the terminal. */
  async end(maxWaitMs = TIMEOUT_MS): Promise<number> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => reject(new Error(`still running; shown: ${JSON.stringify(this.text)}`)), maxWaitMs);
    });
    try {
      return (await Promise.race([this.#ended, late])).exitCode;
    } finally {
      clearTimeout(timer);
    }
  }

  /** The terminal goes away, as when a window is closed. */
  close(): void {
    try {
      this.#pty.kill('SIGKILL');
    } catch {
      // It ended by itself.
    }
  }
}
