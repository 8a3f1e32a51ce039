/**
 * Notices a broken bash: a line has removed variables, builtins or descriptors that the set-up text (setup.bash) needs. A broken bash runs
 * nothing. Without this watch, the user would see an empty screen, or a screen full of error messages. A broken bash uses up its ticks
 * (tick.ts) without a prompt, or shows one prompt after another although the user types nothing. The gate sends ticks in blocks.
 */
import { lstatSync, readFileSync, readlinkSync } from 'node:fs';
import { systemClock } from '../platform/clock.ts';
import type { ShellFrame } from './channel-frames.ts';
import { CTRL_C } from './interrupt-watch.ts';

/** The number of read(2) in /proc/PID/syscall, by architecture. */
const READ_CALL: Readonly<Record<string, string>> = { x64: '0', ia32: '3', arm: '3', arm64: '63', riscv64: '63' };

/** If the line editor works and the user types no key, bash shows at most this many prompts within PROMPTS_MS. */
const MAX_PROMPTS = 20;
const PROMPTS_MS = 2_000;
/**
 * How many more blocks of ticks bash gets before it counts as broken. bash drops ticks at a SIGINT. Several SIGINTs can use up a block
 * before a prompt comes. Each typed Ctrl-C adds one block. `MORE_BLOCKS` is for SIGINTs that programs send.
 */
const MORE_BLOCKS = 3;
/** The pause before each of the two checks of `#lookLater`. The pause is long: bash usually waits less than a millisecond for a tick. */
const LOOK_MS = 200;
/** How many times `#lookLater` checks again while bash is in no system call. Such a bash possibly still works on new ticks. */
const LOOKS = 10;
/**
 * The time between two checks while bash is busy. These checks need no key and no frame from bash. Reason: under `extdebug`, a failing
 * DEBUG trap skips even the set-up text. Then bash waits for ticks, but does not ask for more ticks.
 */
const BUSY_LOOK_MS = 1_000;
/** The descriptor of the ticks in setup.bash has one of these numbers: 52 if the limit of open files is below 256, else 242. */
const TICK_DESCRIPTORS = [242, 52];
/** The number of pselect6(2), in which the line editor waits. */
const SELECT_CALL: Readonly<Record<string, string>> = { x64: '270', arm64: '72' };
const NO_PROMPT = 'it offers no prompt any more';

type TickWait = 'in read' | 'in line editor' | 'none';

/**
 * Returns what the open descriptors of TICK_DESCRIPTORS refer to.
 * @param place the directory of the process in /proc
 */
const ticksOf = (place: string): readonly string[] =>
  TICK_DESCRIPTORS.map((number) => `${place}/fd/${number}`)
    .filter((file) => lstatSync(file, { throwIfNoEntry: false }) !== undefined)
    .map((file) => readlinkSync(file));

export class BrokenShellWatch {
  readonly #pid: () => number;
  readonly #sendTicks: () => void;
  readonly #onBroken: (reason: string) => void;
  #blocks = MORE_BLOCKS;
  /** True while bash waits for the user, or for the gate's answer. */
  #isAsked = false;
  #prompts = 0;
  #sinceMs = 0;
  #timer: NodeJS.Timeout | undefined;
  #busyTimer: NodeJS.Timeout | undefined;
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
    if (this.#isAsked) clearInterval(this.#busyTimer);
    if (frame.kind === 'unsound') this.#broken(frame.reason);
    if (frame.kind === 'prompt') {
      this.#count();
      this.#blocks = MORE_BLOCKS;
    } else this.#prompts = 0;
    if (frame.kind === 'ended') this.#lookLater();
  }

  /** To be called when the gate has answered the line; from then on bash is busy. */
  answered(): void {
    this.#isAsked = false;
    this.#watchBusy();
  }

  /** To be called when the start-up files begin. */
  setUp(): void {
    this.#watchBusy();
  }

  typed(keys: Buffer): void {
    this.#prompts = 0;
    const isInterrupt = keys.includes(CTRL_C);
    if (isInterrupt) this.#blocks++;
    if (isInterrupt || !this.#isAsked) this.#lookLater();
  }

  /** To be called when bash has used up all ticks without a prompt. */
  usedUp(): void {
    if (this.#isOver) return;
    if (this.#blocks-- > 0) {
      this.#sendTicks();
      this.#lookLater();
    } else this.#broken(NO_PROMPT);
  }

  close(): void {
    clearTimeout(this.#timer);
    clearInterval(this.#busyTimer);
    this.#isOver = true;
  }

  /**
   * Checks every BUSY_LOOK_MS until bash waits for the user or the gate (`#isAsked`). A wait counts only if two checks in a row find this
   * wait. If ticks are left, bash waits less than a millisecond for the next tick.
   */
  #watchBusy(): void {
    clearInterval(this.#busyTimer);
    let before: TickWait = 'none';
    this.#busyTimer = setInterval(() => {
      const wait = this.#tickWait();
      if (wait === before && wait === 'in read') this.usedUp();
      // More ticks would not help: the line editor would show the ticks as typed text.
      if (wait === before && wait === 'in line editor') this.#broken(NO_PROMPT);
      before = wait;
    }, BUSY_LOOK_MS);
    this.#busyTimer.unref();
  }

  /** Returns how bash waits for ticks. A wait for another socket does not count (`read </dev/tcp/…`). */
  #tickWait(): TickWait {
    try {
      const place = `/proc/${this.#pid()}`;
      const [call, first] = readFileSync(`${place}/syscall`, 'latin1').trim().split(' ');
      const isReading = call === READ_CALL[process.arch] && first === '0x0';
      const isEditing = call === SELECT_CALL[process.arch] && first === '0x1';
      if (!isReading && !isEditing) return 'none';
      const input = readlinkSync(`${place}/fd/0`);
      if (!ticksOf(place).includes(input)) return 'none';
      return isReading ? 'in read' : 'in line editor';
    } catch {
      return 'none';
    }
  }

  #count(): void {
    const nowMs = systemClock.elapsedMs();
    if (this.#prompts++ === 0 || nowMs - this.#sinceMs > PROMPTS_MS) {
      this.#prompts = 1;
      this.#sinceMs = nowMs;
    }
    if (this.#prompts > MAX_PROMPTS) this.#broken('it cannot read a line any more');
  }

  /** @param looks how many more times to check while bash is in no system call */
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
   * - `waits for ticks`: bash blocks in read(2) on its standard input, and the standard input is a socket. If the descriptor of the ticks
   *   is open, it must refer to this socket (`read </dev/tcp/…` reads another socket)
   * - `computes`: bash is in no system call
   * - `other`: all other cases, also if /proc cannot be read
   */
  #doing(): 'waits for ticks' | 'computes' | 'other' {
    try {
      const place = `/proc/${this.#pid()}`;
      const [call, descriptor] = readFileSync(`${place}/syscall`, 'latin1').trim().split(' ');
      if (call === 'running') return 'computes';
      if (call !== READ_CALL[process.arch] || descriptor !== '0x0') return 'other';
      const input = readlinkSync(`${place}/fd/0`);
      const ticks = ticksOf(place)[0] ?? input;
      return input.startsWith('socket:') && ticks === input ? 'waits for ticks' : 'other';
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
