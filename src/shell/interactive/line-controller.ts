/**
 * Answers the lines of one bash. The gate decides about each complete line. Each answer goes back to bash with the token of its line.
 */
import { readlinkSync } from 'node:fs';
import { LineReading } from '../../core/reading/line-reading.ts';
import { namesToAsk } from '../../core/reading/names-to-ask.ts';
import { localeOf } from '../../core/variables/character-set.ts';
import { loadBashParser } from '../../platform/bash-parser.ts';
import { decodeUtf8 } from '../../platform/utf8.ts';
import type { LineAnswer, ShellFrame } from '../../pty/channel-frames.ts';
import type { LineGate, LineVerdict } from '../line-verdict.ts';
import { completenessOf } from './completeness.ts';

/**
 * What the line controller needs from its bash.
 * @property bash  absolute path
 * @property name  the name of bash in its messages
 * @property say   prints on the terminal. The promise is fulfilled when the text is written or cannot be written. The promise never rejects
 * @property reset ends this bash, and starts a new one in the directory `cwd`
 */
export interface LineControllerParts {
  readonly bash: string;
  readonly name: string;
  readonly say: (text: string) => Promise<void>;
  readonly answer: (token: string, answer: LineAnswer) => void;
  readonly reset: (cwd: string) => void;
  readonly pid: () => number;
}

type LineFrame = Extract<ShellFrame, { kind: 'line' }>;
type EndedFrame = Extract<ShellFrame, { kind: 'ended' }>;

/**
 * When bash reports that a line has ended, the last output of the line is not on the screen yet. The gate's work on the report would delay
 * this output. So the gate gets the report after this time. If the next line comes earlier, or bash ends, the gate gets the report at once.
 */
const REPORTED_AFTER_MS = 10;

export class LineController {
  readonly #gate: LineGate;
  readonly #parts: LineControllerParts;
  #asked: AbortController | null = null;
  /** The line whose names bash was asked about, and what receives bash's answer; null: no answer is awaited. */
  #meanings: { readonly token: string; readonly receive: (entries: readonly Buffer[]) => void } | null = null;
  #running: string | null = null;
  #hasPrompted = false;
  #ended: { readonly frame: EndedFrame; readonly text: string | null; readonly timer: NodeJS.Timeout } | null = null;

  constructor(gate: LineGate, parts: LineControllerParts) {
    this.#gate = gate;
    this.#parts = parts;
  }

  take(frame: ShellFrame): void {
    switch (frame.kind) {
      case 'prompt':
        this.#hasPrompted = true;
        this.#running = null; // if a Ctrl-C came before our answer reached bash, bash has not run the line
        this.#withdraw();
        break;
      case 'line':
        this.#reportEnded();
        void this.#line(frame);
        break;
      case 'meanings':
        if (this.#meanings?.token === frame.token) this.#meanings.receive(frame.entries);
        break;
      case 'set-up':
      case 'more-ticks':
      case 'key-ended':
      case 'unsound':
        break;
      case 'ended':
        this.#reportEnded();
        this.#ended = { frame, text: this.#running, timer: setTimeout(() => this.#reportEnded(), REPORTED_AFTER_MS) };
        this.#running = null;
    }
  }

  get hasPrompted(): boolean {
    return this.#hasPrompted;
  }

  isRunning(): boolean {
    return this.#running !== null;
  }

  /** Whether the text of the running line contains this number. Such a line can have ended bash with this status, as `exit 3` does. */
  mayLeaveWith(status: number): boolean {
    return this.#running?.includes(String(status)) === true;
  }

  /** Call when bash has ended. Withdraws a line that still waits, and reports the end of the last line at once. */
  close(): void {
    this.#withdraw();
    this.#reportEnded();
  }

  #reportEnded(): void {
    if (this.#ended === null) return;
    const { frame, text, timer } = this.#ended;
    this.#ended = null;
    clearTimeout(timer);
    const { status, wasInterrupted } = frame;
    this.#gate.finished({ text, status, wasInterrupted, cwd: directoryOf(this.#parts.pid(), frame.cwd) });
  }

  /** Withdraws a line that still waits, for example when a Ctrl-C has returned bash to its prompt. */
  #withdraw(): void {
    this.#asked?.abort();
    this.#asked = null;
    this.#meanings?.receive([]);
    this.#meanings = null;
  }

  async #line(frame: LineFrame): Promise<void> {
    this.#withdraw();
    const asked = new AbortController();
    this.#asked = asked;
    const answer = await this.#answerTo(frame, asked.signal);
    if (asked.signal.aborted || answer === null) return;
    this.#asked = null;
    this.#parts.answer(frame.token, answer);
  }

  async #answerTo(frame: LineFrame, cancelled: AbortSignal): Promise<LineAnswer | null> {
    const text = decodeUtf8(frame.text);
    if (text === null)
      return this.#refuse('ape-shell: the line is not UTF-8, and cannot be shown to an approver; nothing ran', 65);
    const isRedefined = frame.entries.some((entry) => entry.toString('latin1', 0, 6) === 'alias ');
    const locale = localeIn(frame.entries);
    const completeness = await completenessOf(text, this.#parts.bash, this.#parts.name, isRedefined, locale);
    if (cancelled.aborted) return null;
    if (completeness.kind === 'incomplete') return { kind: 'incomplete' };
    if (completeness.kind === 'invalid') return this.#refuse(completeness.message, 2, true);
    const cwd = directoryOf(this.#parts.pid(), frame.cwd);
    const { boundEntries, needsVariables } = await import('./bound-entries.ts');
    const parse = await loadBashParser();
    // If this line was cancelled, the next line may already await bash's answer. This line must not replace the next line's `#meanings`:
    // the answer would be lost.
    if (cancelled.aborted) return null;
    const reading = new LineReading(text, parse);
    const names = namesToAsk(reading, parse);
    const asked = names !== null && needsVariables(text, frame.entries) ? [...names, ALL_VARIABLES] : names;
    const meanings = await this.#meaningsFor(asked, frame.token);
    if (meanings === null)
      return this.#refuse(
        'ape-shell: a command name contains a line break or a NUL byte, so this bash cannot be asked about the name; nothing ran',
        65,
      );
    if (cancelled.aborted) return null;
    const line = { text, cwd, environment: boundEntries([...frame.entries, ...meanings], reading, cwd), reading };
    const verdict = await this.#decide(line, cancelled);
    return cancelled.aborted ? null : this.#carryOut(verdict, text, cwd);
  }

  /** Asks bash what these names of the line mean now. Returns null if bash cannot be asked. */
  async #meaningsFor(names: readonly string[] | null, token: string): Promise<readonly Buffer[] | null> {
    if (names === null || names.length === 0) return names === null ? null : [];
    const meanings = new Promise<readonly Buffer[]>((resolve) => {
      this.#meanings = { token, receive: resolve };
    });
    this.#parts.answer(token, { kind: 'question', names });
    return meanings;
  }

  async #decide(line: Parameters<LineGate['decide']>[0], cancelled: AbortSignal): Promise<LineVerdict> {
    let said = Promise.resolve();
    const print = (text: string) => {
      said = said.then(pendingFrames).then(() => (cancelled.aborted ? undefined : this.#parts.say(text)));
    };
    try {
      const verdict = await this.#gate.decide(line, print, cancelled);
      await said;
      return verdict;
    } catch (error) {
      return { kind: 'refused', message: `ape-shell: the gate failed (${String(error)}); nothing ran`, status: 70 };
    }
  }

  async #carryOut(verdict: LineVerdict, text: string, cwd: string): Promise<LineAnswer | null> {
    switch (verdict.kind) {
      case 'run':
        this.#running = text;
        return verdict.text === text
          ? {
              kind: 'run',
              profile: verdict.profile,
              hasPager: verdict.isWide !== true,
              isApart: verdict.isApart === true,
            }
          : { kind: 'run-instead', text: verdict.text, profile: verdict.profile };
      case 'refused':
        return this.#refuse(verdict.message, verdict.status);
      case 'answered':
        await this.#parts.say(verdict.output);
        return { kind: 'not-run', status: verdict.status, isRemembered: true };
      case 'reset':
        this.#parts.reset(cwd);
        return null;
    }
  }

  /** @param isRemembered whether bash's history keeps the line; false for a denied line: `fc` can run the lines of the history */
  async #refuse(message: string, status: number, isRemembered = false): Promise<LineAnswer> {
    await this.#parts.say(`${message}\n`);
    return { kind: 'not-run', status, isRemembered };
  }
}

/** In a question to bash: the values of all variables. */
const ALL_VARIABLES = '$';

/**
 * Waits until the frames that have arrived are handled. If one of these frames reports the prompt after a Ctrl-C, the line is cancelled,
 * and our text is not printed. Without the wait, our text would appear after that prompt.
 */
const pendingFrames = (): Promise<void> => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

/** Returns the locale of bash's character set, from the entries that bash sent. */
const localeIn = (entries: readonly Buffer[]): string =>
  localeOf(
    entries
      .map((entry) => entry.toString('latin1'))
      .filter((entry) => /^(?:LC_ALL|LC_CTYPE|LANG)=/.test(entry))
      .map((entry) => ({ name: entry.slice(0, entry.indexOf('=')), value: entry.slice(entry.indexOf('=') + 1) })),
  );

/**
 * Returns the working directory that the kernel reports: a line can set bash's `PWD` to any value. If the kernel reports no directory,
 * returns the directory that bash reports.
 */
function directoryOf(pid: number, reported: Buffer): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return reported.toString('utf8');
  }
}
