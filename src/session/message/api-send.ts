/**
 * Sends a message over the agent's own API. The same guard applies as for a message by keys. Nothing is typed. So a half-typed line of a
 * human stays unchanged, and no Enter can reach a dialog.
 *
 * The agent can open a dialog after our last look at the screen. The message does not answer this dialog: the API refuses the message
 * (`awaiting-decision`), or the agent keeps the message until the decision is made.
 */
import type { SendReport } from '../../core/message/send-outcome.ts';
import type { HandOver, MessageApi } from './message-api.ts';
import { LOOK_AGAIN_MS, type Look, REPORT_MS, type SendWatch } from './send-watch.ts';

/**
 * Returns null if the caller has to send by keys:
 * - the options demand keys
 * - there is no API
 * - an earlier try by keys left the text in the editor
 * - the API certainly did not accept the message (`untaken`)
 *
 * If the options demand the API, returns a report in the last three cases.
 */
export async function sendOverApi(watch: SendWatch): Promise<SendReport | null> {
  const { api } = watch.target;
  const { via } = watch.options;
  if (via === 'keys') return null;
  if (api === null)
    return via === 'api' ? watch.report('not-taken', 'the program offers no API for messages in this session') : null;
  const look = await allowedLook(watch);
  if (look === null && via === 'api')
    return watch.report('not-taken', 'an earlier message by keys left the same text in the editor', true);
  if (look === null || 'result' in look) return look;
  const handing = handOver(watch, api, look);
  watch.via = 'api';
  const report = await outcomeOf(watch, handing);
  if (report !== null) return report;
  watch.via = null;
  return via === 'api' ? watch.report('not-taken', 'the API of the program did not take the message') : null;
}

/**
 * Waits until the guard allows the message, and returns the look on which the guard decided. The permission ends at the caller's next
 * `await`: the caller must hand the message over before this `await`. Returns null if an earlier try by keys left the text in the editor.
 * Returns a report if the message cannot be sent.
 */
async function allowedLook(watch: SendWatch): Promise<Look | SendReport | null> {
  const startedAt = watch.now();
  for (;;) {
    // `hold` delays the answers to hooks, but does not prolong a delay that has begun. Such a delay could end between the look and the
    // message. So `release` ends an old delay first.
    watch.writer.release();
    watch.writer.hold();
    const look = await watch.look();
    const cancelled = watch.cancelled();
    if (cancelled !== null) return cancelled;
    if (watch.isOurDraft(look.reading)) return null; // an earlier try by keys left the text in the editor
    const verdict = watch.verdictOn('api', look);
    if (verdict.kind === 'go') return look;
    watch.writer.release();
    if (!watch.mayStillPass(verdict, look, startedAt)) return watch.report(verdict.result, verdict.why);
    await watch.changed(LOOK_AGAIN_MS);
  }
}

function handOver({ target, plain }: SendWatch, api: MessageApi, { view, reading }: Look): Promise<HandOver> {
  const hasDraft = reading.kind === 'composer' && reading.draft !== '';
  return api.handOver({ text: plain, status: target.harness.statusOf?.(view) ?? null, hasDraft });
}

/** Returns null for `untaken`. For all other outcomes returns a report, even for an unclear outcome, so that nothing is sent twice. */
async function outcomeOf(watch: SendWatch, handing: Promise<HandOver>): Promise<SendReport | null> {
  const { target, writer } = watch;
  let latest: HandOver | null = null;
  let sinceMs = watch.now();
  void handing.then((result) => {
    latest = result;
    sinceMs = watch.now();
    writer.release();
  });
  for (;;) {
    const result = latest as HandOver | null;
    if (watch.isConfirmed) return watch.report('submitted', 'the program reported the prompt');
    if (result?.kind === 'untaken') return null;
    if (result?.kind === 'awaiting-decision') return watch.report('awaiting-decision', result.why);
    if (target.isEnded) return watch.report('terminated', 'the program ended');
    if (result?.kind === 'taken' && !target.harness.confirmsPrompts)
      return watch.report('delivered', 'the API of the program took the message');
    if (result !== null && watch.now() - sinceMs >= REPORT_MS) return watch.report('delivered', unconfirmed(result));
    await watch.changed(LOOK_AGAIN_MS);
  }
}

const unconfirmed = (result: HandOver): string =>
  result.kind === 'lost'
    ? `it is not known whether the API of the program took the message (${result.why}); the message was not sent again`
    : 'the API of the program took the message; the program has not reported the prompt yet';
