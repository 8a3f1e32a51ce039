/** One behaviour of an interactive bash: keys to type and texts to wait for. It runs on plain bash and on our shell, and the results are compared. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import xterm from '@xterm/headless';
import type { Command, Place } from '../fixtures/terminal/start-host.ts';
import { Keyboard } from './keyboard.ts';

const PROMPT = /U# (?:\x1b\[\d*G)?$/;
const COLUMNS = 100;
const ROWS = 24;
const REST_LOOK_MS = 5;
export const QUIET_MS = 40;
/** Many times the time that a quiet machine needs. A scenario that waits for no text has its own time. */
const TIMEOUT_MS = 60_000;

/** What a scenario does with the shell. */
export class Session {
  readonly place: Place;
  readonly #keys: Keyboard;
  #from = 0;
  #isForgetful = false;
  readonly #notes: string[] = [];

  constructor(command: Command, place: Place) {
    this.place = place;
    this.#keys = new Keyboard(command, { columns: COLUMNS, rows: ROWS });
  }

  async start(): Promise<void> {
    await this.#keys.see(PROMPT, TIMEOUT_MS);
    this.#from = this.#keys.printed.length;
  }

  type(keys: string | Buffer): void {
    this.#keys.type(keys);
  }

  /** Types a line and waits for the next prompt. */
  async line(text: string, maxWaitMs?: number): Promise<boolean> {
    this.type(`${text}\r`);
    return this.prompt(maxWaitMs);
  }

  async lines(...texts: readonly string[]): Promise<void> {
    for (const text of texts) await this.line(text);
  }

  prompt(maxWaitMs?: number): Promise<boolean> {
    return this.see(PROMPT, maxWaitMs);
  }

  /** @param maxWaitMs time limit for a text that may not come, in plain bash either. The outcome then notes that it did not come. */
  async see(pattern: RegExp, maxWaitMs?: number): Promise<boolean> {
    try {
      await this.#keys.see(pattern, maxWaitMs ?? TIMEOUT_MS);
      return true;
    } catch (error) {
      if (maxWaitMs === undefined) throw error;
      this.#notes.push(`<no ${pattern.source}>`);
      return false;
    }
  }

  pause(ms: number): Promise<void> {
    return pause(ms);
  }

  /**
   * Waits until the shell sleeps. readline sometimes misses a Ctrl-C while it handles a key. In plain bash it then acts only at the
   * next key (see src/pty/interrupt-watch.ts).
   */
  async rest(): Promise<void> {
    const state = () => execFileSync('ps', ['-o', 'state=', '-p', String(this.#keys.pid)], { encoding: 'utf8' });
    while (!state().startsWith('S')) await this.pause(REST_LOOK_MS);
  }

  /** Waits until a program of this name, started in the working directory, runs in the foreground, and what was printed before is read. */
  async runs(program: string): Promise<void> {
    await untilForeground(program, this.place.work);
    await this.#keys.allRead(QUIET_MS);
  }

  /** Makes the file `go`, for which commands of the battery wait. */
  go(): void {
    writeFileSync(path.join(this.place.work, 'go'), '');
  }

  /** Waits until the last job that was started in the background has ended. */
  async ended(): Promise<void> {
    while (!isOver(this.#job())) await this.pause(REST_LOOK_MS);
  }

  /** Waits until the shell has also reaped the job. */
  async reaped(): Promise<void> {
    while (existsSync(`/proc/${this.#job()}`)) await this.pause(REST_LOOK_MS);
  }

  /** The process id of the job, as the shell printed it. */
  #job(): string {
    const [, pid] = [...this.#keys.printed.matchAll(/\[\d+\] (\d+)\r\n/g)].at(-1) ?? [];
    if (pid === undefined) throw new Error('no job was started in the background');
    return pid;
  }

  quiet(ms?: number): Promise<void> {
    return this.#keys.quiet(ms);
  }

  resize(columns: number, rows: number): void {
    this.#keys.resize(columns, rows);
  }

  /** Leaves the output until now out of the comparison, because a full-screen program may draw in different ways. */
  forget(): void {
    this.#isForgetful = true;
    this.#from = this.#keys.printed.length;
  }

  async end(): Promise<void> {
    const exit = await this.#keys.ended(TIMEOUT_MS);
    this.#notes.push(exit === null ? '<still there>' : `<exit ${exit.status} signal ${exit.signal}>`);
  }

  close(): void {
    this.#keys.close();
  }

  outcome(): Outcome {
    const bytes = this.#keys.printed.slice(this.#from);
    return {
      bytes: normalise(Buffer.from(bytes, 'latin1').toString('utf8'), this.place) + this.#notes.join(''),
      raw: this.#keys.printed.slice(this.#isForgetful ? this.#from : 0),
    };
  }
}

/** Returns the fields of /proc/PID/stat after the name, the state first; null if the process is gone. */
function statOf(pid: string): readonly string[] | null {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'latin1')
      .replace(/^.*\) /s, '')
      .split(' ');
  } catch {
    return null;
  }
}

const isOver = (pid: string): boolean => ['Z', undefined].includes(statOf(pid)?.[0]);

/** Waits until a program of this name, in this directory, runs in the foreground of its terminal. */
export async function untilForeground(program: string, directory: string): Promise<void> {
  while (!inForeground(program, directory)) await pause(REST_LOOK_MS);
}

function inForeground(program: string, directory: string): boolean {
  const isIt = (pid: string): boolean => {
    try {
      if (readFileSync(`/proc/${pid}/comm`, 'latin1') !== `${program}\n`) return false;
      if (readlinkSync(`/proc/${pid}/cwd`) !== directory) return false;
    } catch {
      return false; // it ended
    }
    const [state, , group, , , foreground] = statOf(pid) ?? [];
    return state !== undefined && state !== 'T' && group === foreground;
  };
  return readdirSync('/proc').some((name) => /^\d+$/.test(name) && isIt(name));
}

/**
 * @property bytes the output of the scenario without the parts that differ from run to run
 * @property raw   the unchanged output as latin1, with the first prompt
 */
export interface Outcome {
  readonly bytes: string;
  readonly raw: string;
}

export type Scenario = (session: Session) => Promise<void>;

export async function runScenario(scenario: Scenario, command: Command, place: Place): Promise<Outcome> {
  const session = new Session(command, place);
  try {
    await session.start();
    await scenario(session);
    return session.outcome();
  } finally {
    session.close();
  }
}

/** Removes process ids, times, paths, and what readline draws differently from run to run. */
export function normalise(text: string, place: Place): string {
  return (
    text
      .replaceAll(place.home.replace(/\/h$/, ''), 'PLACE')
      .replace(/\/dev\/pts\/\d+/g, '/dev/pts/N')
      .replace(/\[(\d)\] \d+/g, '[$1] PID')
      // Which of two processes killed at once is reaped first decides whether the job is still the current one: in plain bash too.
      .replace(/\[(\d)\][+ ] {2}Killed/g, '[$1]   Killed')
      .replace(/(real|user|sys)\s+\d+m[\d.]+s/g, '$1 T')
      .replace(/\x1b\]0;[^\x07]*\x07/g, '')
      .replace(/\x1b\[1G\x1b\[0J/g, '')
      .replace(/U# \x1b\[4G/g, 'U# ')
      .replaceAll('\r\r\n', '\r\n')
      .replace(/\r\x1b\[K\r(?:U#|>) [^\r]*/g, '')
  );
}

/** Returns the final screen and the lines that scrolled off it, as text. */
export async function screenOf(outcome: Outcome, place: Place): Promise<string> {
  const terminal = new xterm.Terminal({ cols: COLUMNS, rows: ROWS, scrollback: 2_000, allowProposedApi: true });
  await new Promise<void>((resolve) => terminal.write(Buffer.from(outcome.raw, 'latin1'), resolve));
  const { buffer } = terminal;
  const lines: string[] = [];
  for (let row = 0; row < buffer.active.length; row++)
    lines.push(buffer.active.getLine(row)?.translateToString(true) ?? '');
  terminal.dispose();
  return normalise(lines.join('\n').trimEnd(), place);
}
