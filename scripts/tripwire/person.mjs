/** Acts as a person at a terminal: starts a program in a pseudo-terminal, and types keys into it. */
import { setTimeout as sleep } from 'node:timers/promises';
import { spawn } from 'node-pty';

export class Person {
  #terminal;
  #exited;

  /** @param argv the program and its arguments; its output is read and ignored */
  constructor([file, ...words], { cwd, env, columns, rows }) {
    this.#terminal = spawn(file, words, { cwd, env, cols: columns, rows, name: 'xterm-256color' });
    this.#terminal.onData(() => undefined);
    this.#exited = new Promise((resolve) => this.#terminal.onExit(resolve));
  }

  type(keys) {
    this.#terminal.write(keys);
  }

  async stop() {
    this.#terminal.kill('SIGHUP');
    await Promise.race([this.#exited, sleep(5_000)]);
  }
}
