/**
 * The host agent: carries out the orders of approvers on this host. An order lists sessions and commands, shows a screen, or holds,
 * continues or kills processes. The agent keeps one event stream from the server open, and answers each order.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Failure } from '../../core/failure.ts';
import { failed, type Result, success } from '../../core/result.ts';
import type { Acted, HostOrder, OrderAnswer } from '../../core/wire/running.ts';
import { callWithToken, type GrantClient } from '../../grants/client.ts';
import { followEvents, type StreamEnd } from '../../grants/watch.ts';
import { systemClock } from '../../platform/clock.ts';
import { forgetHold, keepHold, keptHold, keptHolds } from '../hold/kept-holds.ts';
import { ProcessHold } from '../hold/process-hold.ts';
import { type KnownProcess, readProcess } from '../hold/processes.ts';
import type { RunningCommands } from '../hold/running-commands.ts';
import { readEntries } from '../registry.ts';
import { askSession, runningList, screenText } from './running-view.ts';

const FIRST_RETRY_MS = 500;
const MAX_RETRY_MS = 30_000;

/**
 * @property openClient       must not reject. Called for each new connection: the enrolment or the address may have changed
 * @property sessionDirectory the directory with the records of the sessions
 * @property runDirectory     the directory with the files of the holds and of the running commands
 * @property commands         the commands that were started here under grants
 */
export interface AgentParts {
  readonly openClient: () => Promise<Result<GrantClient, Failure>>;
  readonly sessionDirectory: string;
  readonly runDirectory: string;
  readonly commands: RunningCommands;
}

export class HostAgent {
  readonly #parts: AgentParts;
  readonly #holds: Map<string, ProcessHold>;
  readonly #stop = new AbortController();

  /** Takes over the holds that earlier host agents wrote to files. The held processes stay stopped. */
  constructor(parts: AgentParts) {
    this.#parts = parts;
    this.#holds = keptHolds(parts.runDirectory);
    for (const hold of this.#holds.values()) void hold.begin();
  }

  /**
   * True while there is a running session, a running command or a hold: an approver may send an order about each of these. The getter also
   * removes each hold whose processes have all ended.
   */
  get isNeeded(): boolean {
    this.#forgetEnded();
    const sessions = readEntries(this.#parts.sessionDirectory);
    const hasSession = sessions.ok && sessions.value.some(({ ended }) => ended === null);
    return hasSession || this.#holds.size > 0 || this.#parts.commands.alive().length > 0;
  }

  /** Runs until `close` is called. Never rejects, because `openClient` never rejects. */
  async run(): Promise<void> {
    let retryMs = FIRST_RETRY_MS;
    let mustBeFresh = false;
    while (!this.#stop.signal.aborted) {
      const client = await this.#parts.openClient();
      let hasAnswered = false;
      const end: StreamEnd | null = client.ok
        ? await this.#follow(client.value, mustBeFresh, () => {
            hasAnswered = true;
          })
        : null;
      mustBeFresh = end?.kind === 'expired' && !mustBeFresh;
      retryMs = hasAnswered ? FIRST_RETRY_MS : Math.min(retryMs * 2, MAX_RETRY_MS);
      await sleep(retryMs, undefined, { signal: this.#stop.signal, ref: false }).catch(() => undefined);
    }
  }

  /**
   * Ends the agent, and writes the running commands to files for the next agent. Held processes stay stopped: the next agent reads the
   * holds from their files.
   */
  close(): void {
    this.#stop.abort();
    this.#parts.commands.noteAll(this.#parts.runDirectory);
  }

  #follow(client: GrantClient, mustBeFresh: boolean, onOpen: () => void): Promise<StreamEnd> {
    const stream = { path: '/v1/orders', mustBeFresh, signal: this.#stop.signal };
    return followEvents(
      client,
      stream,
      (event, data) => {
        if (event !== 'order') return 'more';
        const order = readOrder(data);
        if (order === null) return 'malformed';
        void this.#answer(client, order);
        return 'more';
      },
      onOpen,
    );
  }

  async #answer(client: GrantClient, order: HostOrder): Promise<void> {
    const body: OrderAnswer = await this.#carryOut(order).catch((error: unknown) => unable(String(error)));
    await callWithToken(client, { method: 'POST', path: `/v1/orders/${encodeURIComponent(order.id)}/answer`, body });
  }

  async #carryOut({ does, target }: HostOrder): Promise<OrderAnswer> {
    const { sessionDirectory, commands } = this.#parts;
    this.#forgetEnded();
    if (does === 'list') return runningList(sessionDirectory, commands.alive(), this.#holds);
    if (target === null) return notHere;
    if (does === 'screen') return screenText(sessionDirectory, target);
    if (process.platform !== 'linux') return unable('processes are held on Linux only: this system has no /proc');
    const acted = await this.#act(does, target);
    if (!acted.ok) return acted.failure;
    return { kind: 'acted', acted: acted.value };
  }

  async #act(does: 'hold' | 'continue' | 'kill', target: string): Promise<Result<Acted, OrderAnswer>> {
    // The constructor may have failed to read the file of this hold.
    const existing = this.#holds.get(target) ?? keptHold(this.#parts.runDirectory, target) ?? undefined;
    if (does === 'continue') {
      if (existing === undefined) return failed(notHeld);
      this.#forget(target);
      return success(existing.release());
    }
    const roots = await this.#rootsOf(target);
    if (!roots.ok) return existing === undefined ? roots : success(await this.#endOrKeep(does, target, existing));
    existing?.add(roots.value);
    return success(await this.#endOrKeep(does, target, existing ?? new ProcessHold(roots.value, systemClock.nowMs())));
  }

  async #endOrKeep(does: 'hold' | 'kill', target: string, hold: ProcessHold): Promise<Acted> {
    if (does === 'kill') {
      this.#forget(target);
      return hold.end(target.startsWith('s_') ? 'SIGHUP' : 'SIGTERM');
    }
    this.#holds.set(target, hold);
    const acted = await hold.begin();
    if (this.#holds.get(target) === hold) keepHold(this.#parts.runDirectory, target, hold);
    return acted;
  }

  /** Returns the first process of a session. For a grant, returns the first process of each running command of the grant. */
  async #rootsOf(target: string): Promise<Result<readonly KnownProcess[], OrderAnswer>> {
    if (!target.startsWith('s_')) {
      const commands = this.#parts.commands.alive().filter(({ grantId }) => grantId === target);
      return commands.length === 0 ? failed(notHere) : success(commands);
    }
    const asked = await askSession(this.#parts.sessionDirectory, target, 'leader');
    if (!asked.ok) return asked;
    const leader = typeof asked.value === 'number' ? readProcess(asked.value) : null;
    return leader === null ? failed(notHere) : success([leader]);
  }

  #forget(target: string): void {
    this.#holds.delete(target);
    forgetHold(this.#parts.runDirectory, target);
  }

  #forgetEnded(): void {
    for (const [target, hold] of [...this.#holds])
      if (!hold.isAlive) {
        hold.release();
        this.#forget(target);
      }
  }
}

const notHere: OrderAnswer = {
  kind: 'failed',
  why: 'not-here',
  message: 'the session or command does not run on this host any more',
};
const notHeld: OrderAnswer = { kind: 'failed', why: 'not-here', message: 'it is not held' };
const unable = (message: string): OrderAnswer => ({ kind: 'failed', why: 'unable', message: message.slice(0, 1_000) });

const ORDERS: ReadonlySet<unknown> = new Set<HostOrder['does']>(['list', 'screen', 'hold', 'continue', 'kill']);

function readOrder(data: unknown): HostOrder | null {
  if (typeof data !== 'object' || data === null) return null;
  const { id, does, target } = data as Record<string, unknown>;
  const isWhole = typeof id === 'string' && ORDERS.has(does) && (target === null || typeof target === 'string');
  return isWhole ? { id, does: does as HostOrder['does'], target } : null;
}
