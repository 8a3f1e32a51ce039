/** The environment of one scenario: a new HOME and APES_HOME, our programs in PATH, and no file or variable of the person who runs the tests. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { DIST } from '../fixtures/programs.ts';
import { removeInstallation } from '../fixtures/remove-installation.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const PROGRAMS = [join(DIST, 'bin'), join(root, 'test/scenario/programs')];
/** PATH begins with these directories, as on most machines. Another directory before them would make the risk of each request unknown. */
const OF_SYSTEM = ['/usr/local/bin', '/usr/bin', '/bin', '/usr/sbin', '/sbin'];
const STEP_TIMEOUT_MS = 120_000;
const LOOK_MS = 20;

export interface Outcome {
  readonly status: number;
  readonly out: string;
  readonly err: string;
}

interface Started {
  readonly child: ChildProcess;
  /** The output until now. */
  readonly text: { readonly out: string; readonly err: string };
  readonly outcome: Promise<Outcome>;
}

export class Stage {
  readonly #scratch = mkdtempSync(join(tmpdir(), 'ape-scenario-'));
  readonly #started = new Map<string, Started>();
  readonly #environment: Record<string, string>;

  constructor() {
    const installed = OF_SYSTEM.map((directory) => join(directory, 'ape-shell')).find((file) => existsSync(file));
    if (installed !== undefined)
      throw new Error(`${installed} would run in place of the program of this checkout; remove it`);
    for (const name of ['home', 'work']) mkdirSync(join(this.#scratch, name), { mode: 0o700 });
    this.#environment = {
      HOME: join(this.#scratch, 'home'),
      APES_HOME: join(this.#scratch, 'apes'),
      SCRATCH: this.#scratch,
      PATH: [...OF_SYSTEM, ...PROGRAMS].join(':'),
      NODE: process.execPath,
      LC_ALL: 'C.UTF-8',
      TZ: 'UTC',
      TERM: 'dumb',
    };
  }

  run(command: string): Promise<Outcome> {
    return this.#start(command).outcome;
  }

  start(name: string, command: string): void {
    this.#started.set(name, this.#start(command));
  }

  wait(name: string): Promise<Outcome> {
    const started = this.#started.get(name);
    if (started === undefined) throw new Error(`nothing was started under the name ${name}`);
    this.#started.delete(name);
    return started.outcome;
  }

  /** Waits until the background program has printed this text. Throws if the program ends before, also because of the time limit of a step. */
  async see(name: string, wanted: string): Promise<void> {
    const started = this.#started.get(name);
    if (started === undefined) throw new Error(`nothing was started under the name ${name}`);
    const { text, outcome } = started;
    let isOver = false;
    void outcome.then(() => {
      isOver = true;
    });
    while (!`${text.out}\n${text.err}`.includes(wanted)) {
      if (isOver) throw new Error(`${name} ended, and never said ${wanted}: ${JSON.stringify(text)}`);
      await sleep(LOOK_MS);
    }
  }

  #start(command: string): Started {
    const child = spawn('/bin/bash', ['-c', command], {
      cwd: join(this.#scratch, 'work'),
      env: this.#environment,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    const text = { out: '', err: '' };
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      text.out += chunk;
    });
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      text.err += chunk;
    });
    const outcome = new Promise<Outcome>((resolve) => {
      const timer = setTimeout(() => {
        text.err += `(killed by the test after ${STEP_TIMEOUT_MS / 1000} s)\n`;
        killGroup(child);
        child.stdout.destroy();
        child.stderr.destroy();
      }, STEP_TIMEOUT_MS);
      child.on('close', (status, signal) => {
        clearTimeout(timer);
        resolve({ status: status ?? (signal === null ? -1 : 255), ...text });
      });
    });
    return { child, text, outcome };
  }

  /** Ends the programs that the scenario started, and every server and gate of ours under the scratch directory. */
  close(): void {
    for (const { child } of this.#started.values()) killGroup(child);
    removeInstallation(this.#scratch);
  }
}

function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return; // it did not start
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It ended by itself.
  }
}
