/** Decides whether a message may be written into a session now. The sender asks right before every write, and writes only on `go`. */
import { type Activity, shownState } from './activity.ts';
import type { ScreenReading } from './screen-reading.ts';
import type { Refused } from './send-outcome.ts';

/** `send`: a message of a person. `nudge`: a message of a program. While the agent waits for a human, a nudge is refused. */
export type SendMode = 'send' | 'nudge';

/**
 * The next write: the message as a paste, the Enter after the paste, or the message over the agent's own API. The API does not touch the
 * composer. So a draft in the composer does not prevent a write over the API. An open decision prevents each of these writes.
 */
export type SendStep = 'paste' | 'enter' | 'api';

/** How long a typed key may take to appear on the screen. */
export const KEY_DELAY_MS = 500;

/**
 * @property announcesItself whether a hook reports the start of the harness; before this report the harness may show a start-up screen
 * @property dialogDelayMs   as in `Harness`
 * @property lastKeyAtMs     when a person typed the last key (Unix ms); 0: no key was typed yet
 * @property isOurDraft      whether a draft is the text that this send has put into the composer
 */
export interface GuardFacts {
  readonly mode: SendMode;
  readonly step: SendStep;
  readonly isEnded: boolean;
  readonly activity: Activity;
  readonly announcesItself: boolean;
  readonly dialogDelayMs: number;
  readonly reading: ScreenReading;
  readonly isPasteBracketed: boolean;
  readonly lastKeyAtMs: number;
  readonly isOurDraft: (draft: ScreenReading & { kind: 'composer' }) => boolean;
  readonly nowMs: number;
}

/**
 * @property why     a clause for people
 * @property mayPass true: the reason can end by itself, so the sender tries again after a moment
 */
export type Verdict =
  | { readonly kind: 'go' }
  | { readonly kind: 'refuse'; readonly result: Refused; readonly why: string; readonly mayPass: boolean };

/** Returns the first reason against the write, or `go` if there is no such reason. */
export function verdictOnWrite(facts: GuardFacts): Verdict {
  return byLife(facts) ?? byActivity(facts) ?? byScreen(facts) ?? byTime(facts) ?? { kind: 'go' };
}

const refuse = (result: Refused, why: string, mayPass = false): Verdict => ({
  kind: 'refuse',
  result,
  why,
  mayPass,
});

function byLife({ isEnded, activity, announcesItself }: GuardFacts): Verdict | null {
  if (isEnded) return refuse('terminated', 'the program of the session has ended');
  if (activity.state === 'exited')
    return refuse('terminated', 'the agent has ended, and another program runs in the session now');
  if (announcesItself && !activity.hasSignalled)
    return refuse('unknown', 'no hook of the agent has reported yet: the agent may be at a start-up question');
  return null;
}

function byActivity({ activity, mode, reading }: GuardFacts): Verdict | null {
  const state = shownState(activity);
  if (activity.state === 'blocked')
    // The state may be out of date. If a composer stays on the screen for a while, the state changes from `blocked` to `idle`.
    return refuse('awaiting-decision', 'a decision is open in the session', reading.kind === 'composer');
  if (mode === 'nudge' && (state === 'waiting_input' || state === 'blocked'))
    return refuse('awaiting-decision', 'the agent waits for its human');
  return null;
}

function byScreen(facts: GuardFacts): Verdict | null {
  const { reading, step, isPasteBracketed, isOurDraft } = facts;
  switch (reading.kind) {
    case 'dialog':
      return refuse('awaiting-decision', `a dialog is on the screen (${reading.rule})`);
    case 'busy':
      return refuse('busy', 'the program is at work and takes no text', true);
    case 'unknown':
      return refuse('unknown', 'no line editor is recognised on the screen', true);
    case 'composer':
      break;
  }
  if (step === 'api') return null;
  if (!isPasteBracketed) return refuse('unknown', 'the program cannot distinguish a paste from typed keys', true);
  const isOurs = reading.draft !== '' && isOurDraft(reading);
  if (step === 'paste' && reading.draft !== '')
    return refuse('draft-present', 'a person has already typed into the editor');
  if (step === 'enter' && !isOurs)
    return reading.draft === ''
      ? refuse('not-taken', 'the text is not in the editor', true)
      : refuse('draft-present', 'the editor contains another text than the message', true);
  return null;
}

function byTime({ activity, step, dialogDelayMs, lastKeyAtMs, nowMs }: GuardFacts): Verdict | null {
  if (step !== 'api' && nowMs - lastKeyAtMs < KEY_DELAY_MS)
    return refuse('busy', 'a person is typing in the session', true);
  if (activity.lastToolAtMs !== null && nowMs - activity.lastToolAtMs < dialogDelayMs)
    return refuse('busy', 'a tool has just begun, and may still open a dialog', true);
  return null;
}
