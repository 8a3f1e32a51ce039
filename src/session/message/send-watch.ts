/** Watches one send by API or by keys: reads the screen, asks the guard, and listens for the program's confirmation. */
import { readScreen } from '../../core/harness/harnesses.ts';
import type { Composer, ScreenReading } from '../../core/message/screen-reading.ts';
import { type SendMode, type SendStep, type Verdict, verdictOnWrite } from '../../core/message/send-guard.ts';
import { type Refused, type SendReport, type SendWay, sendReport } from '../../core/message/send-outcome.ts';
import { composerHasMessage, promptHasMessage } from '../../core/message/sent-text.ts';
import type { ScreenView } from '../../core/message/session-view.ts';
import type { SendTarget } from './send-target.ts';
import type { Writer } from './writer.ts';

/** How long to wait if the guard's refusal is possibly temporary. Examples: the screen is half drawn; a key or a dialog is coming. */
const TIMEOUT_MS = 2_500;
/**
 * How long to wait if the state `blocked` (the agent waits for a decision) is possibly out of date. `blocked` ends at the latest when the
 * editor has been visible for `SETTLED_UNSEEN_MS` (src/core/message/activity.ts).
 */
const STALE_TIMEOUT_MS = 11_000;
/** How long to wait for output. The sender then looks at the screen even without output, because the state can change without output. */
export const LOOK_AGAIN_MS = 40;
/** How long the report of a hook may take after the agent has got the text. The hook is a program that has to start first. */
export const REPORT_MS = 6_000;
/** How long the editor can still show a text that the program has taken. */
const REDRAWN_MS = 1_000;

/**
 * @property waitIdleMs how long to wait for the end of the agent's turn; 0: no wait
 * @property via        the only way that may be used; absent: the message API if the harness's plugin offers one, else keys
 * @property cancelled  cancels the send if it is aborted before the first write; an abort after that write has no effect
 */
export interface SendOptions {
  readonly mode: SendMode;
  readonly waitIdleMs?: number;
  readonly via?: SendWay;
  readonly cancelled?: AbortSignal;
}

export interface Look {
  readonly view: ScreenView;
  readonly reading: ScreenReading;
}

export class SendWatch {
  readonly target: SendTarget;
  readonly writer: Writer;
  /** The message as it is sent (`plainText`). */
  readonly plain: string;
  readonly options: SendOptions;
  /** Whether the program has reported a submitted prompt that contains the text. */
  isConfirmed = false;
  /** The way that was chosen for this message; null: no way is chosen yet, and nothing is written yet. */
  via: SendWay | null = null;
  /** How often Enter was written. */
  enters = 0;
  /** Whether the last look showed the text in the editor. */
  isTextInEditor = false;
  #outputs = 0;

  constructor(target: SendTarget, writer: Writer, plain: string, options: SendOptions) {
    this.target = target;
    this.writer = writer;
    this.plain = plain;
    this.options = options;
  }

  /** Listens to the program's reports, until the caller calls the returned function. */
  listen(): () => void {
    return this.target.onSignal(({ event, promptText }) => {
      const isOurs = event === 'user-prompt-submit' && promptText !== null && promptHasMessage(promptText, this.plain);
      this.isConfirmed ||= isOurs;
    });
  }

  /** Reads the screen, updates `isTextInEditor`, and tells the target what the screen shows. */
  async look(): Promise<Look> {
    this.#outputs = this.target.outputs;
    const view = await this.target.screen();
    const reading = readScreen(this.target.harness, view);
    this.target.see(reading);
    this.isTextInEditor = this.isOurDraft(reading);
    return { view, reading };
  }

  /** Asks the guard whether the last look allows the next write. Refuses if output came after that look began. */
  verdictOn(step: SendStep, { view, reading }: Look): Verdict {
    // Output that came during `look` is possibly a dialog. If this process was busy, the event for this output may be late.
    // So `readOutput` reads the output now.
    this.target.readOutput();
    const { activity, harness, isEnded, lastKeyAtMs, outputs } = this.target;
    if (outputs !== this.#outputs)
      return { kind: 'refuse', result: 'busy', why: 'its screen changes all the time', mayPass: true };
    const answeredAtMs = this.writer.answeredAtMs;
    const lastToolAtMs =
      answeredAtMs === 0 ? activity.lastToolAtMs : Math.max(activity.lastToolAtMs ?? 0, answeredAtMs);
    return verdictOnWrite({
      mode: this.options.mode,
      step,
      isEnded,
      activity: { ...activity, lastToolAtMs },
      announcesItself: harness.announcesItself,
      dialogDelayMs: harness.dialogDelayMs,
      reading,
      isPasteBracketed: view.isPasteBracketed,
      lastKeyAtMs,
      isOurDraft: (composer) => this.isOurDraft(composer),
      nowMs: this.target.clock.nowMs(),
    });
  }

  /**
   * Whether the sender has to look again later instead of reporting the refusal.
   * @param startedAt the value of `now()` when the step began
   */
  mayStillPass(verdict: Verdict & { kind: 'refuse' }, { reading }: Look, startedAt: number): boolean {
    if (!verdict.mayPass && !(verdict.result === 'draft-present' && this.#isBehind(reading))) return false;
    const { activity } = this.target;
    const isStale = activity.state === 'blocked' && activity.composerSinceMs !== null;
    return this.now() - startedAt < (isStale ? STALE_TIMEOUT_MS : TIMEOUT_MS);
  }

  /** Whether the editor still shows the previous message, which the program has taken already. */
  #isBehind(reading: ScreenReading): boolean {
    const { submitted } = this.writer;
    if (submitted === null || reading.kind !== 'composer') return false;
    return this.target.clock.nowMs() - submitted.atMs < REDRAWN_MS && composerHasMessage(reading, submitted.text);
  }

  /** Whether the editor shows this message as an unsent draft. Perhaps an earlier send pasted the draft. */
  isOurDraft(reading: ScreenReading): boolean {
    if (reading.kind !== 'composer' || this.writer.unsent !== this.plain) return false;
    const { placeholder } = this.writer;
    if (reading.folded !== null && placeholder !== null && reading.draft !== placeholder) return false;
    return composerHasMessage(reading as Composer, this.plain);
  }

  /** Waits for one of these: output since the last look, a signal, the end of the session, or the end of `ms` milliseconds. */
  changed(ms: number): Promise<void> {
    return this.target.changed(this.#outputs, ms);
  }

  /** Returns null if the send was not cancelled. */
  cancelled(): SendReport | null {
    return this.options.cancelled?.aborted === true
      ? sendReport('not-taken', 'cancelled before anything was written')
      : null;
  }

  /** Milliseconds from a fixed moment; not Unix time. */
  now(): number {
    return this.target.clock.elapsedMs();
  }

  report(result: 'submitted' | 'delivered' | Refused, why: string, isDraftLeft = false): SendReport {
    return sendReport(result, why, this.enters, isDraftLeft, this.via);
  }
}
