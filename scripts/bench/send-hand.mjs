/**
 * Acts as the fastest correct person at an attached terminal: pastes, waits until the editor shows the text, waits as long as the
 * program needs between a paste and Enter, and presses Enter. It checks for no dialog, no hook and no draft.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { loadTestSources } from '../test-sources.mjs';

const SHOWN_MS = 10_000;
const LOOK_MS = 5;

const loading = loadTestSources(`
  export { harnessNamed, readScreen } from '../../src/core/harness/harnesses.ts';
  export { composerHasMessage, pasteOf } from '../../src/core/message/sent-text.ts';
  export { encodeFrame } from '../../src/platform/frames.ts';
  export { openSession } from '../../src/session/client/find-session.ts';
  export { ScreenMirror } from '../../src/session/screen/screen-mirror.ts';
`);

export class Hand {
  #sources;
  #client;
  #mirror;
  #harness;

  /** @param directory the registry of the sessions */
  static async at(directory, session, harness, size) {
    const hand = new Hand();
    hand.#sources = await loading;
    const { harnessNamed, openSession, ScreenMirror } = hand.#sources;
    const opened = await openSession(directory, session);
    if (!opened.ok) throw new Error(opened.failure.message);
    hand.#client = opened.value;
    hand.#harness = harnessNamed(harness);
    hand.#mirror = new ScreenMirror(size, (answer) => hand.#type(answer));
    hand.#client.onOutput((bytes) => hand.#mirror.take(bytes));
    await hand.#client.ask('attach', size);
    return hand;
  }

  /** @returns {Promise<{pastedAt: number, shownAt: number, enteredAt: number}>} Unix ms */
  async write(text) {
    const { composerHasMessage, pasteOf } = this.#sources;
    const pastedAt = unixMs();
    this.#type(pasteOf(text));
    await this.#until((reading) => reading.kind === 'composer' && composerHasMessage(reading, text), 'the text');
    const shownAt = unixMs();
    await sleep(this.#harness.enterDelayMs);
    const enteredAt = unixMs();
    this.#type('\r');
    return { pastedAt, shownAt, enteredAt };
  }

  /** Presses Enter again if the editor still shows the text: a busy program may take an Enter for a part of the paste. */
  async enterAgain(text) {
    const reading = this.#sources.readScreen(this.#harness, await this.#mirror.view());
    if (reading.kind === 'composer' && this.#sources.composerHasMessage(reading, text)) this.#type('\r');
  }

  /** Fulfilled when the program waits for the next message. */
  idle() {
    return this.#until(
      (reading) => reading.kind === 'composer' && !reading.isBusy && reading.draft === '',
      'its empty editor',
      60_000,
    );
  }

  close() {
    this.#client.close();
  }

  #type(keys) {
    this.#client.send(this.#sources.encodeFrame('K', keys));
  }

  async #until(holds, what, ms = SHOWN_MS) {
    const end = Date.now() + ms;
    for (;;) {
      const reading = this.#sources.readScreen(this.#harness, await this.#mirror.view());
      if (holds(reading)) return;
      if (Date.now() > end) throw new Error(`${what} did not show up: ${JSON.stringify(reading)}`);
      await sleep(LOOK_MS);
    }
  }
}

/** Reads the clock of `date` in the stamps, with more digits than Date.now(). */
const unixMs = () => performance.timeOrigin + performance.now();
