/**
 * Delivers a message into the program of a session, as a person would paste it, and never answers a dialog.
 *
 * Look, paste, see the text in the editor, look again, Enter, and wait until the program says that it took it. The guard
 * (`src/core/send-guard.ts`) is asked anew right before each write: between its yes and the write nothing is awaited.
 *
 * What remains: a dialog that the program has opened and not yet drawn, without having asked a hook of ours before.
 * A bracketed paste into one was ignored by every harness that was tried; the Enter would be taken by it.
 */
import { setTimeout } from 'node:timers/promises';
import { readScreen } from '../core/harness/harnesses.ts';
import type { Composer, ScreenReading } from '../core/screen-reading.ts';
import { judgeWrite, type SendMode, type SendStep, type Verdict } from '../core/send-guard.ts';
import { type Refused, type SendReport, sendReport } from '../core/send-outcome.ts';
import { holdsMessage, pasteOf, plainText, promptHolds } from '../core/sent-text.ts';
import type { ScreenView } from '../core/session-view.ts';
import type { SendTarget } from './send-target.ts';
import type { Writer } from './writer.ts';

/** For a guard that says "a moment": a screen half drawn, a key or a dialog on its way. */
const PATIENCE_MS = 2_500;
/** The same where a blocked may be stale: a composer has to stay for up to `SETTLED_UNSEEN_MS` to show it. */
const STALE_PATIENCE_MS = 11_000;
/** From the paste until the editor shows it. */
const SHOWN_MS = 3_000;
/** Enters at most, and how long each may take to be confirmed. */
const ENTERS = 3;
const CONFIRM_MS = 2_000;
/** Once the text has left the editor of an agent whose hooks do report: a hook is a program that has to start. */
const REPORT_MS = 6_000;
/** A change may come without any output we hear of. */
const LOOK_AGAIN_MS = 40;
/** The screen may still show what was submitted so long ago. */
const REDRAWN_MS = 1_000;

/**
 * @property waitIdleMs until its turn is over; 0 does not wait
 * @property cancelled  counts until the paste is written; after that the message is completed
 */
export interface SendOptions {
  readonly mode: SendMode;
  readonly waitIdleMs?: number;
  readonly cancelled?: AbortSignal;
}

export async function sendGuarded(
  target: SendTarget,
  writer: Writer,
  text: string,
  options: SendOptions,
): Promise<SendReport> {
  const report = await writer.inTurn(() => new Sending(target, writer, plainText(text), options).run());
  return report ?? sendReport('busy', 'too many messages wait for this session already');
}

interface Look {
  readonly view: ScreenView;
  readonly reading: ScreenReading;
}

class Sending {
  readonly #target: SendTarget;
  readonly #writer: Writer;
  readonly #plain: string;
  readonly #options: SendOptions;
  #isConfirmed = false;
  #enters = 0;
  #outputs = 0;
  /** By the last look. */
  #isSeenStanding = false;

  constructor(target: SendTarget, writer: Writer, plain: string, options: SendOptions) {
    this.#target = target;
    this.#writer = writer;
    this.#plain = plain;
    this.#options = options;
  }

  async run(): Promise<SendReport> {
    if (this.#plain === '') return sendReport('not-taken', 'the message is empty');
    const stop = this.#target.onSignal(({ event, promptText }) => {
      const isOurs = event === 'user-prompt-submit' && promptText !== null && promptHolds(promptText, this.#plain);
      this.#isConfirmed ||= isOurs;
    });
    try {
      return (await this.#waitIdle()) ?? (await this.#paste()) ?? (await this.#submit());
    } finally {
      stop();
    }
  }

  async #waitIdle(): Promise<SendReport | null> {
    const deadline = this.#now() + (this.#options.waitIdleMs ?? 0);
    for (;;) {
      if (this.#isCancelled()) return this.#cancelledReport();
      const { state } = this.#target.activity;
      const isWorking = state === 'active' || (await this.#isBusyOnScreen());
      if (!isWorking || this.#target.isEnded || (this.#options.waitIdleMs ?? 0) === 0) return null;
      if (this.#now() >= deadline) return sendReport('busy', 'the program was still at work when the time was over');
      await this.#changed(Math.min(LOOK_AGAIN_MS * 2, deadline - this.#now()));
    }
  }

  async #isBusyOnScreen(): Promise<boolean> {
    if ((this.#options.waitIdleMs ?? 0) === 0) return false;
    const { reading } = await this.#look();
    return reading.kind === 'busy' || (reading.kind === 'composer' && reading.isBusy);
  }

  /** Null when the text stands in the editor, and was seen there. */
  async #paste(): Promise<SendReport | null> {
    const startedAt = this.#now();
    for (;;) {
      this.#writer.hold();
      const look = await this.#look();
      if (this.#isCancelled()) return this.#cancelledReport();
      if (this.#isOurDraft(look.reading)) return null; // an earlier try left it there
      const verdict = this.#judge('paste', look);
      if (verdict.kind === 'go') break;
      this.#writer.release();
      if (!this.#mayStillPass(verdict, look, startedAt)) return sendReport(verdict.result, verdict.why);
      await this.#changed(LOOK_AGAIN_MS);
    }
    this.#writer.unsent = this.#plain;
    this.#target.write(Buffer.from(pasteOf(this.#plain)));
    const refused = await this.#shown();
    if (refused === null) await setTimeout(this.#target.harness.enterDelayMs);
    return refused;
  }

  async #shown(): Promise<SendReport | null> {
    const deadline = this.#now() + SHOWN_MS;
    for (;;) {
      const { reading } = await this.#look();
      if (this.#isOurDraft(reading) || this.#isConfirmed) return null;
      if (this.#target.isEnded) return sendReport('terminated', 'the program ended before it showed the text');
      if (reading.kind === 'dialog')
        return this.#left('awaiting-decision', `a dialog opened (${reading.rule}); the text was not submitted`);
      if (this.#now() >= deadline) return this.#left('not-taken', 'the text did not appear in the editor');
      await this.#changed(LOOK_AGAIN_MS);
    }
  }

  /** Enter alone, at most `ENTERS` times, each only while the text stands in the editor. */
  async #submit(): Promise<SendReport> {
    for (;;) {
      const refused = await this.#enter();
      if (refused !== null) return this.#afterEnters(refused);
      const ending = await this.#confirmation();
      if (ending !== null) return ending;
      if (this.#enters >= ENTERS) return this.#left('not-taken', `the program took no notice of ${ENTERS} Enters`);
    }
  }

  /**
   * Once Enter was written, "refused" is true only where the text is seen to stand there still, or the program has ended.
   * Under a dialog it may, or it was submitted and nothing has told of it: whoever then sends it again could double it.
   */
  #afterEnters(refused: SendReport): SendReport {
    if (this.#enters === 0 || this.#isSeenStanding || refused.result === 'terminated') return refused;
    return sendReport('delivered', `Enter was written, and nothing has told of it; ${refused.why}`, this.#enters, true);
  }

  /** Null when Enter was written. The hold begins before the look, so that what the look shows stays true. */
  async #enter(): Promise<SendReport | null> {
    const startedAt = this.#now();
    for (;;) {
      this.#writer.release(); // a hold must not run out between the look and the key
      this.#writer.hold();
      const look = await this.#look();
      if (this.#isConfirmed) return null;
      const verdict = this.#judge('enter', look);
      if (verdict.kind === 'go') {
        this.#target.write(ENTER);
        this.#enters += 1;
        return null;
      }
      this.#writer.release();
      if (!this.#mayStillPass(verdict, look, startedAt)) return this.#left(verdict.result, verdict.why);
      await this.#changed(LOOK_AGAIN_MS);
    }
  }

  /** Null when the text still stands there after `CONFIRM_MS`. The hold ends once the Enter was taken. */
  async #confirmation(): Promise<SendReport | null> {
    const enteredAt = this.#now();
    let hasLeft = false;
    for (;;) {
      const { reading } = await this.#look();
      if (this.#isConfirmed) return this.#done('submitted', 'the program reported the prompt');
      if (this.#target.isEnded) return sendReport('terminated', 'the program ended', this.#enters);
      // A dialog may lie over the text: it shows nothing about it.
      hasLeft ||= !this.#isOurDraft(reading) && (reading.kind === 'composer' || reading.kind === 'busy');
      if (reading.kind === 'dialog') this.#writer.release();
      if (hasLeft) {
        this.#writer.release();
        if (!this.#target.harness.confirmsPrompts) return this.#done('delivered', 'the text left the editor');
      }
      // Nor does it while a report may come that is slower than the dialog of the turn it is about.
      const mayBeTold = hasLeft || reading.kind === 'dialog';
      const deadline = enteredAt + (mayBeTold && this.#target.activity.hasSignalled ? REPORT_MS : CONFIRM_MS);
      if (this.#now() >= deadline) {
        this.#writer.release();
        return hasLeft
          ? this.#done('delivered', 'the text left the editor; the program has not reported it yet')
          : null;
      }
      await this.#changed(Math.min(LOOK_AGAIN_MS, deadline - this.#now()));
    }
  }

  #changed(ms: number): Promise<void> {
    return this.#target.changed(this.#outputs, ms);
  }

  async #look(): Promise<Look> {
    this.#outputs = this.#target.outputs;
    const view = await this.#target.screen();
    const reading = readScreen(this.#target.harness, view);
    this.#target.see(reading);
    this.#isSeenStanding = this.#isOurDraft(reading);
    return { view, reading };
  }

  #judge(step: SendStep, { view, reading }: Look): Verdict {
    const { activity, harness, isEnded, lastKeyAtMs, outputs } = this.#target;
    // While the look was being rendered something came out, a dialog perhaps.
    if (outputs !== this.#outputs)
      return { kind: 'refuse', result: 'busy', why: 'its screen changes all the time', mayPass: true };
    const answeredAtMs = this.#writer.answeredAtMs;
    const lastToolAtMs =
      answeredAtMs === 0 ? activity.lastToolAtMs : Math.max(activity.lastToolAtMs ?? 0, answeredAtMs);
    return judgeWrite({
      mode: this.#options.mode,
      step,
      isEnded,
      activity: { ...activity, lastToolAtMs },
      announcesItself: harness.announcesItself,
      dialogDelayMs: harness.dialogDelayMs,
      reading,
      isPasteBracketed: view.isPasteBracketed,
      lastKeyAtMs,
      isOurDraft: (composer) => this.#isOurDraft(composer),
      nowMs: this.#target.clock.nowMs(),
    });
  }

  #mayStillPass(verdict: Verdict & { kind: 'refuse' }, { reading }: Look, startedAt: number): boolean {
    if (!verdict.mayPass && !(verdict.result === 'draft-present' && this.#isBehind(reading))) return false;
    const { activity } = this.#target;
    const isStale = activity.state === 'blocked' && activity.composerSinceMs !== null;
    return this.#now() - startedAt < (isStale ? STALE_PATIENCE_MS : PATIENCE_MS);
  }

  /** The editor still shows the message before this one, which was taken already. */
  #isBehind(reading: ScreenReading): boolean {
    const { submitted } = this.#writer;
    if (submitted === null || reading.kind !== 'composer') return false;
    return this.#target.clock.nowMs() - submitted.atMs < REDRAWN_MS && holdsMessage(reading, submitted.text);
  }

  #isOurDraft(reading: ScreenReading): boolean {
    return (
      reading.kind === 'composer' &&
      this.#writer.unsent === this.#plain &&
      holdsMessage(reading as Composer, this.#plain)
    );
  }

  #done(result: 'submitted' | 'delivered', why: string): SendReport {
    this.#writer.unsent = null;
    this.#writer.submitted = { text: this.#plain, atMs: this.#target.clock.nowMs() };
    return sendReport(result, why, this.#enters);
  }

  #left(result: Refused, why: string): SendReport {
    return sendReport(result, why, this.#enters, this.#writer.unsent !== null);
  }

  #isCancelled(): boolean {
    return this.#options.cancelled?.aborted === true;
  }

  #cancelledReport(): SendReport {
    return sendReport('not-taken', 'cancelled before anything was written');
  }

  #now(): number {
    return this.#target.clock.elapsedMs();
  }
}

const ENTER = Buffer.from('\r');
