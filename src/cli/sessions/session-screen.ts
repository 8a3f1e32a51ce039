/** Shows a session on the caller's terminal, in raw mode. Restores the terminal afterwards. */

import { fstatSync, readlinkSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { isatty } from 'node:tty';
import type { Failure } from '../../core/failure.ts';
import type { Result } from '../../core/result.ts';
import type { SessionClient } from '../../session/client/client.ts';
import type { SessionEnding } from '../../session/host/live-session.ts';
import type { Visitor } from '../../session/host/session-journal.ts';
import { launcherTerminal } from '../../terminal/launcher-terminal.ts';
import { ScreenWriter } from '../../terminal/screen-writer.ts';
import type { UserTerminal } from '../../terminal/user-terminal.ts';
import type { CliContext } from '../context.ts';
import { FirstOutcome } from '../first-outcome.ts';

/**
 * How showing a session ended.
 * - `left`:    the person left, the terminal is gone or a signal ends this process; the session goes on
 * - `ended`:   the program ended
 * - `lost`:    the connection to the session's host broke
 * - `refused`: the session did not begin to send its bytes
 */
export type ShownOutcome =
  | { readonly kind: 'left' | 'lost' }
  | { readonly kind: 'ended'; readonly ending: SessionEnding }
  | { readonly kind: 'refused'; readonly failure: Failure };

/** Switches off what the program may have switched on: colours, margins, mouse, paste and focus reports, keyboard protocols. */
const BACK_TO_NORMAL =
  '\x18\x1b[0m\x1b[r\x1b[?1l\x1b>\x1b[?7h\x1b[?9l\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1004l\x1b[?1005l\x1b[?1006l\x1b[?1015l\x1b[?1016l\x1b[?2004l\x1b[?2031l\x1b[=0;1u\x1b[>4m\x1b[?25h';

/**
 * Shows the session's bytes until an outcome is known. Then closes `client`.
 * @param onKeys gets the typed keys; returns true to leave
 * @param begin  asks the session for its bytes; called when the listeners are in place. Must not reject: the terminal would stay in raw
 *   mode
 */
export async function showOnTerminal(
  context: CliContext,
  client: SessionClient,
  onKeys: (keys: Buffer) => boolean,
  begin: (terminal: UserTerminal) => Promise<Result<unknown, Failure>>,
): Promise<ShownOutcome> {
  const terminal = launcherTerminal(context.launcher);
  const outcome = new FirstOutcome<ShownOutcome>();
  const writer = new ScreenWriter(terminal.output, client, () => outcome.settle({ kind: 'left' }));
  const buffers = new BufferWatch();
  client.onOutput((bytes) => {
    buffers.see(bytes);
    writer.write(bytes);
  });
  client.onEvent(({ event, status, signal }) => {
    if (event === 'ended')
      outcome.settle({ kind: 'ended', ending: { status: Number(status), signal: Number(signal) } });
  });
  client.onClosed(() => outcome.settle({ kind: 'lost' }));
  terminal.onGone(() => outcome.settle({ kind: 'left' }));
  context.onFatalSignal(() => outcome.settle({ kind: 'left' }));
  await terminal.enterRaw();
  writer.release('');
  terminal.input.on('data', (keys: Buffer) => {
    if (onKeys(keys)) outcome.settle({ kind: 'left' });
  });
  terminal.input.once('end', () => outcome.settle({ kind: 'left' }));
  const begun = await begin(terminal);
  if (!begun.ok) outcome.settle({ kind: 'refused', failure: begun.failure });
  const shown = await outcome.settled;
  terminal.input.pause();
  client.onOutput(() => undefined);
  await Promise.race([writer.idle(), sleep(LAST_BYTES_MS)]);
  writer.write(
    Buffer.from(`${BACK_TO_NORMAL}${buffers.isAlternate ? '\x1b[?1049l' : `\x1b[${terminal.size().rows}H\r\n`}`),
  );
  await Promise.race([writer.idle(), sleep(LAST_BYTES_MS)]);
  await terminal.leaveRaw();
  client.close();
  return shown;
}

/** Describes this process. The session writes the description into its journal. */
export const visitor = (): Visitor => ({ pid: process.pid, terminal: ownTerminal() });

/** Returns the path of our terminal, from Linux's /proc. Returns null without /proc, or if standard input is not a terminal. */
function ownTerminal(): string | null {
  try {
    const path = readlinkSync('/proc/self/fd/0');
    return isatty(0) ? path : null;
  } catch {
    return null;
  }
}

/** The device number of standard output. A session refuses to be shown on its own terminal: the session's output would loop for ever. */
export const ownDevice = (): number => fstatSync(1).rdev;

/** How long to wait for a terminal that takes no more bytes. */
const LAST_BYTES_MS = 1_000;

/**
 * Tracks in the program's output whether the terminal shows the alternate buffer. Keeps the last escape sequence of each chunk, because a
 * sequence can be split between two chunks. One sequence can set several modes: `CSI ? 25 ; 1049 h`.
 */
export class BufferWatch {
  isAlternate = false;
  #tail = '';

  see(bytes: Buffer): void {
    if (this.#tail === '' && bytes.indexOf('\x1b[?') < 0) {
      this.#tail = lastSequence(bytes.toString('latin1', Math.max(0, bytes.length - SEQUENCE_BYTES)));
      return;
    }
    const text = this.#tail + bytes.toString('latin1');
    for (const [, modes = '', how] of text.matchAll(/\x1b\[\?([\d;]*)([hl])/g))
      if (modes.split(';').some((mode) => ALTERNATE_MODES.has(Number(mode)))) this.isAlternate = how === 'h';
    this.#tail = lastSequence(text);
  }
}

const ALTERNATE_MODES: ReadonlySet<number> = new Set([47, 1047, 1049]);
/** A longer sequence is not recognised if it is split between two chunks. */
const SEQUENCE_BYTES = 64;

/** Returns the text from its last ESC on; empty if the text has no ESC, or if more than `SEQUENCE_BYTES` follow. */
function lastSequence(text: string): string {
  const at = text.lastIndexOf('\x1b');
  return at < 0 || text.length - at > SEQUENCE_BYTES ? '' : text.slice(at);
}
