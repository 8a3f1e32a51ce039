/** Adapts a live session to the interface that sending a message needs. */
import type { Harness } from '../../core/harness/harness.ts';
import { readScreen } from '../../core/harness/harnesses.ts';
import { systemClock } from '../../platform/clock.ts';
import type { LiveSession } from '../host/live-session.ts';
import type { SendTarget } from './send-target.ts';

/** How often `changed` checks for new output. */
const TICK_MS = 5;

export const sendTargetOf = (session: LiveSession, harness: Harness): SendTarget => ({
  harness,
  clock: systemClock,
  get isEnded() {
    return session.isEnded;
  },
  get api() {
    return session.api?.harness === harness.name ? session.api : null;
  },
  get lastKeyAtMs() {
    return session.lastKeyAtMs;
  },
  get activity() {
    return session.activity.activity;
  },
  screen: () => session.screen(),
  see: (reading) => session.activity.see(reading, systemClock.nowMs()),
  write: (bytes) => session.write(bytes),
  readOutput: () => session.readOutput(),
  get outputs() {
    return session.outputs;
  },
  changed: (outputs, ms) => changed(session, outputs, ms),
  onSignal: (listener) => session.onSignal(listener),
});

function changed(session: LiveSession, outputs: number, ms: number): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearInterval(tick);
      clearTimeout(deadline);
      stop();
      resolve();
    };
    const tick = setInterval(() => {
      if (session.outputs !== outputs || session.isEnded) done();
    }, TICK_MS);
    const deadline = setTimeout(done, Math.max(1, ms));
    const stop = session.onSignal(done);
  });
}

/**
 * Recognises the harness in the foreground, and updates the agent's state from the screen. After this update, a listing also shows a dialog
 * that no hook has reported. Does not read the screen if the harness or its screen patterns are not known. If the session has ended, only
 * sets the state to ended.
 */
export async function lookAt(session: LiveSession): Promise<void> {
  if (session.isEnded) return session.activity.end();
  session.activity.recognise((await session.view()).program);
  const harness = session.activity.known;
  if (harness?.screen == null) return;
  session.activity.see(readScreen(harness, await session.screen()), systemClock.nowMs());
}

/**
 * When to check the screen for a dialog that a hook has announced, in milliseconds after the hook. There are several checks: if a check
 * sees no dialog, the dialog is either closed already or not yet open.
 */
const LOOKS_MS = [150, 700, 2_000, 5_000];

/**
 * Call this function when a hook has announced a dialog. Checks the screen at the times of LOOKS_MS, until the screen has shown the dialog.
 */
export function watchForDialog(session: LiveSession): void {
  for (const ms of LOOKS_MS)
    setTimeout(() => {
      const { state, hasSeenDialog } = session.activity.activity;
      if (state === 'blocked' && !hasSeenDialog && !session.isEnded) void lookAt(session);
    }, ms).unref();
}
