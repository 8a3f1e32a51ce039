/**
 * Answers the lines of one bash. The gate decides about each complete line. Each answer goes back to bash with the token of its line.
 */
import { readlinkSync } from 'node:fs';
import { failure, nothingRan } from '../../core/failure.ts';
import { decodeUtf8 } from '../../platform/utf8.ts';
import type { LineAnswer, ShellFrame } from '../../pty/channel-frames.ts';
import { type LineGate, type LineVerdict, refusalVerdict } from '../line-verdict.ts';

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
  /** The open question to bash about the names in a line: the token of the line, and what receives the answer. Null: no open question. */
  #meanings: { readonly token: string; readonly receive: (entries: readonly Buffer[]) => void } | null = null;
  #running: string | null = null;
  #hasPrompted = false;
  #ended: { readonly frame: EndedFrame; readonly timer: NodeJS.Timeout } | null = null;

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
        this.#ended = { frame, timer: setTimeout(() => this.#reportEnded(), REPORTED_AFTER_MS) };
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
    const { frame, timer } = this.#ended;
    this.#ended = null;
    clearTimeout(timer);
    const { status, wasInterrupted } = frame;
    this.#gate.finished({ status, wasInterrupted });
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
      return this.#refuse(unreadable('the line is not UTF-8, and cannot be shown to an approver'), cancelled);
    const { completenessOfLine, readTypedLine } = await import('./typed-line.ts');
    const completeness = await completenessOfLine(text, frame.entries, this.#parts);
    if (cancelled.aborted) return null;
    if (completeness.kind === 'incomplete') return { kind: 'incomplete' };
    if (completeness.kind === 'invalid')
      return this.#refuse({ message: completeness.message, status: 2 }, cancelled, true);
    const cwd = directoryOf(this.#parts.pid(), frame.cwd);
    const { reading, names, more, bound } = await readTypedLine(text, frame.entries);
    // If this line was cancelled, the next line may already await bash's answer. This line must not replace the next line's `#meanings`:
    // the answer would be lost.
    if (cancelled.aborted) return null;
    const meanings = await this.#meaningsFor(names, frame.token);
    if (meanings === null)
      return this.#refuse(
        unreadable('a command name contains a line break or a NUL byte, so this bash cannot be asked about the name'),
        cancelled,
      );
    if (cancelled.aborted) return null;
    const further = (await this.#meaningsFor(more(meanings), frame.token)) ?? [];
    if (cancelled.aborted) return null;
    const line = { text, cwd, environment: bound([...meanings, ...further], cwd), reading };
    const verdict = await this.#decide(line, cancelled);
    return cancelled.aborted ? null : this.#carryOut(verdict, { text, cwd, cancelled });
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
      said = said.then(() => this.#say(text, cancelled));
    };
    try {
      const verdict = await this.#gate.decide(line, print, cancelled);
      await said;
      return verdict;
    } catch (error) {
      return refusalVerdict(nothingRan(failure('software', `the gate failed (${String(error)})`)));
    }
  }

  async #carryOut(
    verdict: LineVerdict,
    { text, cwd, cancelled }: { readonly text: string; readonly cwd: string; readonly cancelled: AbortSignal },
  ): Promise<LineAnswer | null> {
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
        return this.#refuse(verdict, cancelled);
      case 'answered':
        await this.#say(verdict.output, cancelled);
        return { kind: 'not-run', status: verdict.status, isRemembered: true };
      case 'reset':
        this.#parts.reset(cwd);
        return null;
    }
  }

  /** @param isRemembered whether bash's history keeps the line; false for a denied line: `fc` can run the lines of the history */
  async #refuse(
    { message, status }: { readonly message: string; readonly status: number },
    cancelled: AbortSignal,
    isRemembered = false,
  ): Promise<LineAnswer> {
    await this.#say(`${message}\n`, cancelled);
    return { kind: 'not-run', status, isRemembered };
  }

  /** Prints nothing if the line is cancelled: the text would appear after the next prompt, and hide it. */
  async #say(text: string, cancelled: AbortSignal): Promise<void> {
    await pendingFrames();
    if (!cancelled.aborted) await this.#parts.say(text);
  }
}

const unreadable = (message: string) => refusalVerdict(nothingRan(failure('unreadable', message)));

/**
 * Waits until the frames that have arrived are handled. If one of these frames reports the prompt after a Ctrl-C, the line is cancelled,
 * and our text is not printed. Without the wait, our text would appear after that prompt.
 */
const pendingFrames = (): Promise<void> => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

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
