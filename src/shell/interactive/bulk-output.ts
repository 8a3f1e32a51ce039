/**
 * Bulk output, such as `cat` of a big file, does not pass through this process: another process, the pump, writes it to the terminal. For
 * less output, the start of the pump would take more time than the pump saves.
 */
import { systemClock } from '../../platform/clock.ts';
import { type PumpEnding, pumpOutput } from '../../pty/output-pump.ts';
import type { PseudoTerminal } from '../../pty/pseudo-terminal.ts';
import type { ScreenWriter } from '../../terminal/screen-writer.ts';

/** Output counts as bulk output if at least `BULK_BYTES` come within `BULK_MS`. */
const BULK_BYTES = 1 << 19;
const BULK_MS = 1_000;

/**
 * @property pumpPath   the built `bin/pump.c`
 * @property output     descriptor of the person's terminal; `screen` writes to the same terminal
 * @property onCopy     gets copies of some output that the pump showed: the bytes that may switch the terminal's modes or set its title,
 *                      and at the end the last MiB
 * @property isObserved whether all output has to pass through this process now
 */
export interface BulkOutputParts {
  readonly pumpPath: string;
  readonly screen: ScreenWriter;
  readonly output: number;
  readonly onCopy: (chunk: Buffer) => void;
  readonly isObserved: () => boolean;
}

export class BulkOutput {
  readonly #parts: BulkOutputParts;
  #bytes = 0;
  #sinceMs = 0;
  #canPump = true;

  constructor(parts: BulkOutputParts) {
    this.#parts = parts;
  }

  /**
   * Call this from the `onOutput` of `source`.
   * @param bytes how many bytes of `source` the screen has just got
   */
  noteOutput(bytes: number, source: PseudoTerminal): void {
    const nowMs = systemClock.elapsedMs();
    if (nowMs - this.#sinceMs > BULK_MS) {
      this.#sinceMs = nowMs;
      this.#bytes = 0;
    }
    this.#bytes += bytes;
    if (this.#bytes < BULK_BYTES || !this.#canPump || this.#parts.isObserved()) return;
    if (source.lend((master, recalled) => this.#pump(master, recalled))) this.#bytes = 0;
  }

  async #pump(master: number, recalled: AbortSignal): Promise<void> {
    const { pumpPath, screen, output, onCopy } = this.#parts;
    await Promise.race([screen.idle(), aborted(recalled)]); // earlier output must be written first
    if (recalled.aborted) return;
    const ending: PumpEnding = await pumpOutput({ path: pumpPath, master, terminal: output, onCopy }, recalled);
    this.#canPump = ending.canPump;
    screen.write(ending.unshown);
  }
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
