/**
 * Sends a message as a person would paste it: looks at the screen, pastes, waits until the text is in the editor, looks again, writes
 * Enter, and waits until the program reports the message.
 *
 * One case is not covered: the program opens a dialog and calls no hook, and our Enter arrives before the dialog is on the screen.
 * The dialog then takes the Enter. A paste into a dialog does no harm: every harness that we tried ignores a bracketed paste in a dialog.
 */
import { setTimeout } from 'node:timers/promises';
import type { ScreenReading } from '../../core/message/screen-reading.ts';
import type { SendReport } from '../../core/message/send-outcome.ts';
import { pasteOf } from '../../core/message/sent-text.ts';
import { LOOK_AGAIN_MS, REPORT_MS, type SendWatch } from './send-watch.ts';

/** How long the editor may take to show a paste. */
const SHOWN_MS = 3_000;
/** The most times that Enter is written. */
const ENTERS = 3;
/** How long to wait for the confirmation of an Enter. */
const CONFIRM_MS = 2_000;

export const sendByKeys = async (watch: SendWatch): Promise<SendReport> => (await paste(watch)) ?? submit(watch);

/**
 * Pastes the text, unless the text is in the editor already. Returns null when the screen shows the text in the editor, or when the program
 * has reported the text as a prompt.
 */
async function paste(watch: SendWatch): Promise<SendReport | null> {
  const { target, writer, plain } = watch;
  const startedAt = watch.now();
  for (;;) {
    writer.hold();
    const look = await watch.look();
    const cancelled = watch.cancelled();
    if (cancelled !== null) return cancelled;
    if (watch.isOurDraft(look.reading)) {
      watch.via = 'keys';
      return null; // an earlier try left the text in the editor
    }
    const verdict = watch.verdictOn('paste', look);
    if (verdict.kind === 'go') break;
    writer.release();
    if (!watch.mayStillPass(verdict, look, startedAt)) return watch.report(verdict.result, verdict.why);
    await watch.changed(LOOK_AGAIN_MS);
  }
  writer.unsent = plain;
  writer.placeholder = null;
  watch.via = 'keys';
  target.write(Buffer.from(pasteOf(plain)));
  const refused = await waitUntilShown(watch);
  if (refused === null) await setTimeout(target.harness.enterDelayMs);
  return refused;
}

async function waitUntilShown(watch: SendWatch): Promise<SendReport | null> {
  const deadline = watch.now() + SHOWN_MS;
  for (;;) {
    const { reading } = await watch.look();
    if (watch.isOurDraft(reading) || watch.isConfirmed) {
      if (reading.kind === 'composer' && reading.folded !== null) watch.writer.placeholder = reading.draft;
      return null;
    }
    if (watch.target.isEnded) return watch.report('terminated', 'the program ended before it showed the text');
    if (reading.kind === 'dialog')
      return withDraft(watch, 'awaiting-decision', `a dialog opened (${reading.rule}); the text was not submitted`);
    if (watch.now() >= deadline) return withDraft(watch, 'not-taken', 'the text did not appear in the editor');
    await watch.changed(LOOK_AGAIN_MS);
  }
}

/** Writes Enter, at most `ENTERS` times, and only while the text is in the editor. */
async function submit(watch: SendWatch): Promise<SendReport> {
  for (;;) {
    const refused = await enter(watch);
    if (refused !== null) return afterEnters(watch, refused);
    const ending = await confirmation(watch);
    if (ending !== null) return ending;
    if (watch.enters >= ENTERS) return withDraft(watch, 'not-taken', `the program took no notice of ${ENTERS} Enters`);
  }
}

/**
 * Makes the report for a refusal. Reports `delivered` if Enter was written before, the program still runs, and the last screen did not
 * show the text in the editor. That Enter may have submitted the text, or a dialog may hide the text. If a refusal were reported, the
 * caller would send the text again.
 */
function afterEnters(watch: SendWatch, refused: SendReport): SendReport {
  if (watch.enters === 0 || watch.isTextInEditor || refused.result === 'terminated') return refused;
  return watch.report('delivered', `Enter was written, and no report of it came; ${refused.why}`, true);
}

/**
 * Returns null if Enter was written, or if no Enter is needed because the program has reported the prompt. `hold` delays our answers to
 * hooks: a program that waits for an answer opens no dialog between the look and the Enter.
 */
async function enter(watch: SendWatch): Promise<SendReport | null> {
  const { target, writer } = watch;
  const startedAt = watch.now();
  for (;;) {
    writer.release(); // so that `hold` begins a new delay: an old delay could end between the look and the key
    writer.hold();
    const look = await watch.look();
    if (watch.isConfirmed) return null;
    const verdict = watch.verdictOn('enter', look);
    if (verdict.kind === 'go') {
      target.write(ENTER);
      watch.enters += 1;
      return null;
    }
    writer.release();
    if (!watch.mayStillPass(verdict, look, startedAt))
      return hasLeftBefore(watch, look.reading)
        ? finish(
            watch,
            'delivered',
            'the text left the editor before Enter was written; a person may have submitted it',
          )
        : withDraft(watch, verdict.result, verdict.why);
    await watch.changed(LOOK_AGAIN_MS);
  }
}

/**
 * Whether the text has left the editor without an Enter of ours. In this case the report is `delivered`: if a refusal were reported, the
 * caller would send the text again.
 */
const hasLeftBefore = ({ enters, isTextInEditor, target }: SendWatch, reading: ScreenReading): boolean =>
  enters === 0 &&
  !isTextInEditor &&
  !target.isEnded &&
  (reading.kind === 'busy' || (reading.kind === 'composer' && reading.draft === ''));

/** Waits until the program has taken the text. Returns null if the time ends and the text was not seen to leave the editor. */
async function confirmation(watch: SendWatch): Promise<SendReport | null> {
  const { target, writer } = watch;
  const enteredAt = watch.now();
  let hasLeft = false;
  for (;;) {
    // If the program has reported the prompt, no look is needed. The program paints much now, so a look would delay our answer to its
    // hook.
    const reading = watch.isConfirmed ? null : (await watch.look()).reading;
    if (reading === null || watch.isConfirmed) return finish(watch, 'submitted', 'the program reported the prompt');
    if (target.isEnded) return watch.report('terminated', 'the program ended');
    // A dialog can cover the text, so a screen with a dialog does not show whether the text has left the editor.
    hasLeft ||= !watch.isOurDraft(reading) && (reading.kind === 'composer' || reading.kind === 'busy');
    if (reading.kind === 'dialog') writer.release();
    if (hasLeft) {
      writer.release();
      if (!target.harness.confirmsPrompts) return finish(watch, 'delivered', 'the text left the editor');
    }
    // A dialog can open before the report of the same turn arrives, so we wait longer under a dialog too.
    const mayBeReported = hasLeft || reading.kind === 'dialog';
    const deadline = enteredAt + (mayBeReported && target.activity.hasSignalled ? REPORT_MS : CONFIRM_MS);
    if (watch.now() >= deadline) {
      writer.release();
      return hasLeft
        ? finish(watch, 'delivered', 'the text left the editor; the program has not reported it yet')
        : null;
    }
    await watch.changed(Math.min(LOOK_AGAIN_MS, deadline - watch.now()));
  }
}

function finish(watch: SendWatch, result: 'submitted' | 'delivered', why: string): SendReport {
  watch.writer.unsent = null;
  watch.writer.submitted = { text: watch.plain, atMs: watch.target.clock.nowMs() };
  return watch.report(result, why);
}

const withDraft = (watch: SendWatch, result: Parameters<SendWatch['report']>[0], why: string): SendReport =>
  watch.report(result, why, watch.writer.unsent !== null);

const ENTER = Buffer.from('\r');
