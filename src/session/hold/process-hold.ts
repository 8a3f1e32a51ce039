/**
 * One hold: stops the processes of a session or of a running command, and keeps these processes stopped. Another process of the same user
 * can send SIGCONT to a held process. The next check of the hold stops that process again.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Acted } from '../../core/wire/running.ts';
import { errorCode } from '../../platform/private-files.ts';
import { selfAndAncestors, treeOf } from './process-tree.ts';
import {
  isGone,
  isSame,
  isStopped,
  type KnownProcess,
  type ProcessEntry,
  readProcess,
  readProcesses,
} from './processes.ts';

/** The time between two checks that all processes of the hold are still stopped. */
const LOOK_EVERY_MS = 200;
/** The maximum number of looks of `begin` and `end`. One look can miss a child that a process starts just before SIGSTOP. */
const MAX_LOOKS = 25;
const BETWEEN_LOOKS_MS = 10;
/** The longest time that `end` waits between its signal `polite` and SIGKILL. */
const MAX_END_WAIT_MS = 2_000;
const MAX_LISTED = 100;
const IN_KERNEL = 'it waits in the kernel, and stops when that wait ends';
const NOT_IN_TIME = 'it did not stop in time';

const keyOf = ({ pid, startTicks }: KnownProcess): string => `${pid} ${startTicks}`;

export class ProcessHold {
  readonly sinceMs: number;
  /** Every process that was ever found in the process tree of the hold. A process that leaves the tree later stays held. */
  readonly #known = new Map<number, KnownProcess>();
  /** Maps a process (`keyOf`) to why it got no signal. The id alone is no key, because a later process can get the same id. */
  readonly #refused = new Map<string, string>();
  #timer: NodeJS.Timeout | null = null;

  constructor(roots: readonly KnownProcess[], sinceMs: number) {
    this.sinceMs = sinceMs;
    this.add(roots);
  }

  /**
   * Adds processes that started later, such as the next command under the same grant. `begin`, `end` and the regular checks find these
   * processes too.
   */
  add(roots: readonly KnownProcess[]): void {
    for (const { pid, startTicks } of roots) this.#known.set(pid, { pid, startTicks });
  }

  get members(): readonly KnownProcess[] {
    return [...this.#known.values()];
  }

  /** Whether at least one process of the hold still exists. Also true if /proc cannot be read at the moment. */
  get isAlive(): boolean {
    return this.members.some((known) => !isGone(known));
  }

  /** Stops all processes, and keeps them stopped until `release` or `end`. */
  async begin(): Promise<Acted> {
    await this.#stopAll();
    this.#timer ??= setInterval(() => this.#stopRunning(), LOOK_EVERY_MS);
    return this.#outcome();
  }

  /** Continues all processes, children before parents. So a shell does not find its job still stopped. */
  release(): Acted {
    this.#stopWatching();
    return this.#signalAll('SIGCONT');
  }

  /**
   * Ends all processes. Stops all processes first: otherwise a shell could see the end of its child, and run the next command before the
   * shell gets its signal. The result counts the processes that got `polite`. Some of these processes possibly still exist.
   * @param polite the signal that asks the processes to end; processes that have not ended two seconds later get SIGKILL
   */
  async end(polite: 'SIGHUP' | 'SIGTERM'): Promise<Acted> {
    this.#stopWatching();
    await this.#stopAll();
    const acted = this.#signalAll(polite);
    this.#signalAll('SIGCONT');
    for (let waitedMs = 0; waitedMs < MAX_END_WAIT_MS && this.isAlive; waitedMs += BETWEEN_LOOKS_MS)
      await sleep(BETWEEN_LOOKS_MS);
    for (let looks = 0; looks < MAX_LOOKS && this.isAlive; looks += 1) {
      for (const entry of this.#tree()) this.#remember(entry);
      this.#signalAll('SIGKILL');
      await sleep(BETWEEN_LOOKS_MS);
    }
    return acted;
  }

  async #stopAll(): Promise<void> {
    for (let looks = 0; looks < MAX_LOOKS; looks += 1) {
      if (!this.#stopRunning()) return;
      await sleep(BETWEEN_LOOKS_MS);
    }
  }

  #stopWatching(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }

  #tree(): readonly ProcessEntry[] {
    const all = readProcesses();
    return treeOf(all, this.members, selfAndAncestors(all, process.pid));
  }

  #remember({ pid, startTicks }: ProcessEntry): void {
    this.#known.set(pid, { pid, startTicks });
  }

  /** Stops every process that runs. Returns true if at least one process got SIGSTOP. The caller then looks again. */
  #stopRunning(): boolean {
    let hasSent = false;
    for (const entry of this.#tree()) {
      this.#remember(entry);
      if (isStopped(entry) || this.#refused.has(keyOf(entry))) continue;
      hasSent = this.#send(entry, 'SIGSTOP') || hasSent;
    }
    return hasSent;
  }

  #signalAll(signal: NodeJS.Signals): Acted {
    let processes = 0;
    for (const known of this.members.toReversed())
      if (isSame(known, readProcess(known.pid)) && this.#send(known, signal)) processes += 1;
    return { processes, notHeld: this.#notHeld().slice(0, MAX_LISTED) };
  }

  #send(known: KnownProcess, signal: NodeJS.Signals): boolean {
    try {
      process.kill(known.pid, signal);
      this.#refused.delete(keyOf(known));
      return true;
    } catch (error) {
      const code = errorCode(error);
      if (code !== 'ESRCH') this.#refused.set(keyOf(known), code === 'EPERM' ? 'it runs as another user' : code);
      return false;
    }
  }

  #outcome(): Acted {
    const tree = this.#tree();
    const running = tree.filter((entry) => !isStopped(entry) && !this.#refused.has(keyOf(entry)));
    const late = running.map(({ pid, name, state }) => ({ pid, name, why: state === 'D' ? IN_KERNEL : NOT_IN_TIME }));
    const notHeld = [...this.#notHeld(), ...late];
    return { processes: tree.filter(isStopped).length, notHeld: notHeld.slice(0, MAX_LISTED) };
  }

  #notHeld(): Acted['notHeld'] {
    return this.members.flatMap((known) => {
      const why = this.#refused.get(keyOf(known));
      const entry = readProcess(known.pid);
      return why === undefined || entry === null || !isSame(known, entry)
        ? []
        : [{ pid: known.pid, name: entry.name, why }];
    });
  }
}
