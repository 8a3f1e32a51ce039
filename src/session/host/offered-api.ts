/**
 * A message API that the agent's plugin offers over its connection to the session's private socket. The offer ends with the connection. The
 * offer needs no port and no secret: this process checks each client of the socket when the client connects.
 *
 *   from the plugin  {"request":"offer","params":{"harness"}}, once
 *   from the host    {"event":"deliver","delivery":1,"untilMs":…,"text":…,"status":…,"hasDraft":…}
 *   from the plugin  {"request":"delivered","params":{"delivery":1,"outcome":…,"why":…}}
 */
import { type Failure, failure } from '../../core/failure.ts';
import { failed, type Result, success } from '../../core/result.ts';
import { type Clock, systemClock } from '../../platform/clock.ts';
import type { ApiMessage, HandOver, MessageApi } from '../message/message-api.ts';
import type { EventFrame } from '../protocol.ts';

/**
 * The latest time at which the plugin may hand over a message, counted from the moment at which the host has sent it. After this time, the
 * check by the send guard is too old, and the plugin reports `untaken`.
 */
export const FRESH_MS = 4_000;
/** How long the plugin may take to report the result. */
const ANSWER_MS = 8_000;
const MAX_WHY_LENGTH = 300;

export class OfferedApi implements MessageApi {
  readonly harness: string;
  readonly #send: (event: EventFrame) => boolean;
  readonly #clock: Clock;
  readonly #waiting = new Map<number, (handed: HandOver) => void>();
  #last = 0;

  /** @param send returns false, and writes nothing, if the connection is closed */
  constructor(harness: string, send: (event: EventFrame) => boolean, clock: Clock = systemClock) {
    this.harness = harness;
    this.#send = send;
    this.#clock = clock;
  }

  handOver(message: ApiMessage): Promise<HandOver> {
    this.#last += 1;
    const delivery = this.#last;
    const untilMs = this.#clock.nowMs() + FRESH_MS;
    if (!this.#send({ event: 'deliver', delivery, untilMs, ...message }))
      return Promise.resolve({ kind: 'untaken', why: 'the connection to the agent is closed' });
    return new Promise((resolve) => {
      const timer = setTimeout(() => settle({ kind: 'lost', why: 'the agent did not answer in time' }), ANSWER_MS);
      const settle = (handed: HandOver): void => {
        clearTimeout(timer);
        this.#waiting.delete(delivery);
        resolve(handed);
      };
      this.#waiting.set(delivery, settle);
    });
  }

  /**
   * Takes the plugin's report. An outcome that `HandOver` does not have counts as `lost`. Fails if no message with the number `delivery`
   * waits for a report. For example, the report may come too late.
   */
  answered(params: Readonly<Record<string, unknown>>): Result<null, Failure> {
    const { delivery, outcome, why } = params;
    const settle = typeof delivery === 'number' ? this.#waiting.get(delivery) : undefined;
    if (settle === undefined)
      return failed(failure('usage', 'no message with this delivery number waits for a report'));
    settle(handedOver(outcome, typeof why === 'string' ? why.slice(0, MAX_WHY_LENGTH) : ''));
    return success(null);
  }

  /** Call this method when the connection is closed. All messages that wait for a report become `lost`. */
  close(): void {
    for (const settle of [...this.#waiting.values()])
      settle({ kind: 'lost', why: 'the connection to the agent broke before the agent answered' });
  }
}

function handedOver(outcome: unknown, why: string): HandOver {
  switch (outcome) {
    case 'taken':
      return { kind: 'taken' };
    case 'untaken':
      return { kind: 'untaken', why };
    case 'awaiting-decision':
      return { kind: 'awaiting-decision', why };
    default:
      return { kind: 'lost', why: why === '' ? 'the agent does not know' : why };
  }
}
