/** Drives terminal.c from JavaScript: sends keys, waits for a text, and returns the time that it took. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

const hex = (text) => Buffer.from(text).toString('hex');

export class Terminal {
  #child;
  #answers;

  /**
   * @param driver      the compiled terminal.c
   * @param words       program and arguments
   * @param options     `env` and `cwd` of the program
   */
  constructor(driver, words, options) {
    this.#child = spawn(driver, words, { ...options, stdio: ['pipe', 'pipe', 'inherit'] });
    this.#answers = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();
  }

  async #order(line) {
    this.#child.stdin.write(`${line}\n`);
    const { value, done } = await this.#answers.next();
    if (done) throw new Error(`the terminal driver ended at: ${line.slice(0, 60)}`);
    return value.split(' ').slice(1);
  }

  send(keys) {
    return this.#order(`s ${hex(keys)}`);
  }

  /** Waits for `text`. Returns the milliseconds since the last `send` (or the start), and the number of bytes that came. */
  async wait(text) {
    const [microseconds, bytes, recent = ''] = await this.#order(`w ${hex(text)}`);
    if (Number(microseconds) < 0) {
      const shown = JSON.stringify(Buffer.from(recent, 'hex').toString());
      throw new Error(`${JSON.stringify(text)} did not appear in the terminal; the last output: ${shown}`);
    }
    return { ms: Number(microseconds) / 1000, bytes: Number(bytes) };
  }

  /** Peak resident memory of a process, MiB; 0 if the system does not report it. */
  async peakMib(pid) {
    return Number((await this.#order(`m ${pid}`))[0]) / 1024;
  }

  async pid() {
    return Number((await this.#order('p'))[0]);
  }

  async hangUp() {
    const gone = new Promise((resolve) => this.#child.once('exit', resolve));
    this.#child.stdin.end('q\n');
    await gone;
  }
}
