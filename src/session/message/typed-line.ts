/**
 * Sends a message into a gated shell as a line. The host pastes the line at the prompt, and the line goes through the gate like a typed
 * line. If the message was pasted into a person's half-typed line, the gate refuses the whole line.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { KEY_DELAY_MS, type SendMode } from '../../core/message/send-guard.ts';
import { type SendReport, sendReport } from '../../core/message/send-outcome.ts';
import { pasteOf, plainText } from '../../core/message/sent-text.ts';
import { systemClock } from '../../platform/clock.ts';
import type { LiveSession } from '../host/live-session.ts';
import type { Writer } from './writer.ts';

/** How long the shell may take to show the paste. */
const SHOWN_MS = 1_000;
/** How long the line may take to reach the gate after Enter. */
const TAKEN_MS = 3_000;
const LOOK_AGAIN_MS = 15;

/** Whether the next line at the gate was exactly the message, or another text. */
export type Taken = 'as-sent' | 'merged';

/** Connects the gate of a shell with the code that sends messages into this shell. */
export class SentLines {
  /**
   * True from bash's report of a prompt until bash hands the next command line to the gate. The shell sets this member. Before the first
   * prompt, the member is false: a start-up file or its programs can then read keys, and the gate does not see these keys.
   */
  isAtPrompt = false;
  readonly isWhole: (text: string) => Promise<boolean>;
  #expected: { readonly text: string; readonly settle: (taken: Taken) => void } | null = null;
  /** A message that was pasted, but is not expected any more. The shell can still hand it to the gate. */
  #left: string | null = null;

  /** @param isWhole returns whether a text is a complete command; bash would wait for the rest of an incomplete command */
  constructor(isWhole: (text: string) => Promise<boolean>) {
    this.isWhole = isWhole;
  }

  /**
   * Expects `text` as the next line at the gate. The promise `taken` resolves when the gate gets its next line. After `leave` or another
   * `expect`, `taken` possibly never resolves. After `leave`, the next line is possibly a person's own line.
   */
  expect(text: string): { readonly taken: Promise<Taken>; readonly leave: () => void } {
    let settle: (taken: Taken) => void = () => undefined;
    const taken = new Promise<Taken>((resolve) => {
      settle = resolve;
    });
    this.#expected = { text, settle };
    return {
      taken,
      leave: () => {
        if (this.#expected !== null) this.#left = text;
        this.#expected = null;
      },
    };
  }

  /**
   * Compares a new line at the gate with the expected message. If no message is expected, compares the line with the message that was left.
   * Returns null if neither message exists. Also returns null if the line does not contain the message that was left: a person has removed
   * this message.
   */
  match(text: string): Taken | null {
    const [expected, left] = [this.#expected, this.#left];
    [this.#expected, this.#left] = [null, null];
    if (expected === null) return left === null || !text.includes(left) ? null : text === left ? 'as-sent' : 'merged';
    const taken = text === expected.text ? 'as-sent' : 'merged';
    expected.settle(taken);
    return taken;
  }
}

const linesBySession = new WeakMap<LiveSession, SentLines>();

/** Accepts lines from senders for this shell from now on. */
export const acceptLines = (session: LiveSession, lines: SentLines): void => void linesBySession.set(session, lines);

/**
 * Sends a message to a shell. Reports `unknown` if this shell takes no lines from senders. Also reports `unknown` for a nudge, because no
 * agent runs in a shell.
 */
export async function typeLine(
  session: LiveSession,
  writer: Writer,
  text: string,
  mode: SendMode,
): Promise<SendReport> {
  const lines = linesBySession.get(session);
  if (lines === undefined) return sendReport('unknown', 'this shell takes no lines from `apes send`');
  if (mode === 'nudge') return sendReport('unknown', 'no agent runs in this shell, and a shell is not nudged');
  const report = await writer.inTurn(() => typeInTurn(session, lines, plainText(text)));
  return report ?? sendReport('busy', 'too many messages wait for this session already');
}

async function typeInTurn(session: LiveSession, lines: SentLines, plain: string): Promise<SendReport> {
  if (!(await lines.isWhole(plain))) return sendReport('not-taken', 'the text is not a complete command');
  const refused = await atPrompt(session, lines);
  if (refused !== null) return refused;
  const { taken, leave } = lines.expect(plain);
  try {
    session.write(Buffer.from(pasteOf(plain)));
    await echoed(session);
    const interrupted = await atPrompt(session, lines);
    if (interrupted !== null) return { ...interrupted, isDraftLeft: true, via: 'keys' };
    session.write(Buffer.from('\r'));
    const outcome = await Promise.race([taken, sleep(TAKEN_MS).then(() => null)]);
    if (outcome === 'as-sent') return sendReport('submitted', 'the gate has the line', 1, false, 'keys');
    return outcome === 'merged'
      ? sendReport('draft-present', 'a person had typed there already; the gate refused the line', 1, false, 'keys')
      : sendReport('not-taken', 'the shell did not hand the line to its gate', 1, true, 'keys');
  } finally {
    leave();
  }
}

/**
 * Returns null if the shell is at its prompt and no key was typed within `KEY_DELAY_MS`. Reads the screen first, and awaits nothing after
 * the screen. So the caller can write before the next key comes in.
 */
async function atPrompt(session: LiveSession, lines: SentLines): Promise<SendReport | null> {
  const view = await session.screen();
  if (session.isEnded) return sendReport('terminated', 'the session has ended');
  if (!lines.isAtPrompt || view.isAlternate || !view.isPasteBracketed)
    return sendReport('busy', 'the shell is not at its prompt');
  return systemClock.nowMs() - session.lastKeyAtMs < KEY_DELAY_MS
    ? sendReport('busy', 'a person is typing there')
    : null;
}

async function echoed(session: LiveSession): Promise<void> {
  const before = session.lastOutputAtMs;
  for (let waited = 0; waited < SHOWN_MS && session.lastOutputAtMs === before; waited += LOOK_AGAIN_MS)
    await sleep(LOOK_AGAIN_MS);
}
