/** One behaviour of an interactive bash: keys to type and things to wait for. Run on plain bash and on ours, then compared. */
import { execFileSync } from 'node:child_process';
import xterm from '@xterm/headless';
import type { Command, Place } from '../fixtures/terminal/start-host.ts';
import { Keyboard } from './keyboard.ts';

const PROMPT = /U# (?:\x1b\[\d*G)?$/;
const COLUMNS = 100;
const ROWS = 24;
const REST_LOOK_MS = 5;

/** What a scenario does with the shell. Waits that fail are noted, not thrown: plain bash fails some of them too. */
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
    await this.#keys.see(PROMPT, 20_000);
    this.#from = this.#keys.printed.length;
  }

  type(keys: string | Buffer): void {
    this.#keys.type(keys);
  }

  /** Types a line and waits for the next prompt. */
  async line(text: string, patienceMs?: number): Promise<boolean> {
    this.type(`${text}\r`);
    return this.prompt(patienceMs);
  }

  async lines(...texts: readonly string[]): Promise<void> {
    for (const text of texts) await this.line(text);
  }

  prompt(patienceMs = 12_000): Promise<boolean> {
    return this.see(PROMPT, patienceMs);
  }

  async see(pattern: RegExp, patienceMs = 12_000): Promise<boolean> {
    try {
      await this.#keys.see(pattern, patienceMs);
      return true;
    } catch {
      this.#notes.push(`<no ${pattern.source}>`);
      return false;
    }
  }

  pause(ms: number): Promise<void> {
    return new Promise((resolve) => setTimeout(resolve, ms));
  }

  /**
   * Waits until the shell sleeps. readline that still works on a key is deaf to a Ctrl-C now and then: in plain bash nothing
   * ends that but the next key (src/pty/interrupt-watch.ts has the story).
   */
  async rest(): Promise<void> {
    const state = () => execFileSync('ps', ['-o', 'state=', '-p', String(this.#keys.pid)], { encoding: 'utf8' });
    while (!state().startsWith('S')) await this.pause(REST_LOOK_MS);
  }

  quiet(ms?: number): Promise<void> {
    return this.#keys.quiet(ms);
  }

  resize(columns: number, rows: number): void {
    this.#keys.resize(columns, rows);
  }

  /** What came before does not count: a full-screen program draws as it likes. */
  forget(): void {
    this.#isForgetful = true;
    this.#from = this.#keys.printed.length;
  }

  async end(): Promise<void> {
    const exit = await this.#keys.ended(4_000);
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

/** @property bytes what the scenario printed, without what differs from run to run; @property raw the same as it came, latin1, the first prompt included */
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

/** Takes out process ids, times, places, and what readline draws differently from run to run. */
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

/** The screen and what scrolled off it, as text, after everything was printed. */
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
