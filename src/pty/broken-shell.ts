/**
 * Notices that bash no longer shows a prompt, because a line removed what the set-up text needs. Nothing runs then, and the
 * person would see a screen that stays empty or fills with error messages.
 */
import { readFileSync, readlinkSync } from 'node:fs';
import { systemClock } from '../platform/clock.ts';
import type { ShellFrame } from './channel-frames.ts';
import { CTRL_C } from './interrupt-watch.ts';

/** read(2) by its number in /proc/PID/syscall. */
const READ_CALL: Readonly<Record<string, string>> = { x64: '0', ia32: '3', arm: '3', arm64: '63', riscv64: '63' };

/** More prompts in this time without a typed key mean that the line editor fails at once, again and again. */
const MAX_PROMPTS = 20;
const PROMPTS_MS = 2_000;
/**
 * bash drops ticks at a Ctrl-C, so that many of them in a row use a block up before a prompt comes. One more block follows for each
 * of them, and for these others: SIGINT can also come from a program.
 */
const MORE_BLOCKS = 3;
/** Usually bash waits less than a millisecond for its next tick. The watch checks twice, with this pause. */
const LOOK_MS = 200;
/** A bash that has just got ticks may still compute. */
const LOOKS = 10;

export class BrokenShellWatch {
  readonly #pid: () => number;
  readonly #sendTicks: () => void;
  readonly #onBroken: (reason: string) => void;
  #blocks = MORE_BLOCKS;
  #isAsked = false;
  #prompts = 0;
  #sinceMs = 0;
  #timer: NodeJS.Timeout | undefined;
  #isOver = false;

  /**
   * @param sendTicks gives bash one more block of ticks
   * @param onBroken  called once, with the reason
   */
  constructor(pid: () => number, sendTicks: () => void, onBroken: (reason: string) => void) {
    this.#pid = pid;
    this.#sendTicks = sendTicks;
    this.#onBroken = onBroken;
  }

  onFrame(frame: ShellFrame): void {
    if (frame.kind === 'key-ended') return;
    this.#isAsked = frame.kind !== 'ended' && frame.kind !== 'more-ticks';
    if (frame.kind === 'unsound') this.#broken(frame.reason);
    if (frame.kind === 'prompt') {
      this.#count();
      this.#blocks = MORE_BLOCKS;
    } else this.#prompts = 0;
    if (frame.kind === 'ended') this.#lookLater();
  }

  /** The gate has answered the line: from now on bash is busy. */
  answered(): void {
    this.#isAsked = false;
  }

  typed(keys: Buffer): void {
    this.#prompts = 0;
    const isInterrupt = keys.includes(CTRL_C);
    if (isInterrupt) this.#blocks++;
    if (isInterrupt || !this.#isAsked) this.#lookLater();
  }

  /** Call it when all ticks are used up, and none led to a prompt. */
  usedUp(): void {
    if (this.#isOver) return;
    if (this.#blocks-- > 0) {
      this.#sendTicks();
      this.#lookLater();
    } else this.#broken('it offers no prompt any more');
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#isOver = true;
  }

  #count(): void {
    const nowMs = systemClock.elapsedMs();
    if (this.#prompts++ === 0 || nowMs - this.#sinceMs > PROMPTS_MS) {
      this.#prompts = 1;
      this.#sinceMs = nowMs;
    }
    if (this.#prompts > MAX_PROMPTS) this.#broken('it cannot read a line any more');
  }

  /** @param looks how often it looks again while bash computes */
  #lookLater(looks = LOOKS): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      const doing = this.#doing();
      if (doing === 'computes' && looks > 0) this.#lookLater(looks - 1);
      if (doing !== 'waits for ticks') return;
      this.#timer = setTimeout(() => {
        if (this.#doing() === 'waits for ticks') this.usedUp();
      }, LOOK_MS);
    }, LOOK_MS);
  }

  /**
   * `waits for ticks`: bash blocks in read(2) on its standard input, and that input is the socket of the ticks. `computes`: it is in no
   * call. `other` also if /proc does not say.
   */
  #doing(): 'waits for ticks' | 'computes' | 'other' {
    try {
      const place = `/proc/${this.#pid()}`;
      const [call, descriptor] = readFileSync(`${place}/syscall`, 'latin1').trim().split(' ');
      if (call === 'running') return 'computes';
      if (call !== READ_CALL[process.arch] || descriptor !== '0x0') return 'other';
      return readlinkSync(`${place}/fd/0`).startsWith('socket:') ? 'waits for ticks' : 'other';
    } catch {
      return 'other';
    }
  }

  #broken(reason: string): void {
    if (this.#isOver) return;
    this.close();
    this.#onBroken(reason);
  }
}
