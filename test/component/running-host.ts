/** Plays a host that gets orders on its event stream, and sends the answers that a test wants. */
import type { OrderAnswer } from '../../src/core/wire/running.ts';
import { type EventReader, readEvents } from './event-reader.ts';
import type { Person, TestServer } from './server-fixture.ts';

export const SESSION = `s_${'0'.repeat(20)}`;

export interface Order {
  readonly id: string;
  readonly does: string;
  readonly target: string | null;
}

/** Answers every order with what `answer` returns. If that is null, it sends no answer. */
export async function connectHost(
  server: TestServer,
  who: Person,
  answer: (order: Order) => OrderAnswer | null,
): Promise<EventReader> {
  const stream = await readEvents(`${server.url}/v1/orders`, who.headers);
  const answered = new Set<string>();
  const look = setInterval(() => {
    for (const { data } of stream.seen) {
      const order = data as unknown as Order;
      if (answered.has(order.id)) continue;
      answered.add(order.id);
      const body = answer(order);
      if (body !== null) void server.call('POST', `/v1/orders/${order.id}/answer`, who.headers, body).catch(() => null);
    }
  }, 10);
  void stream.ended.then(() => clearInterval(look));
  return stream;
}

/** A session whose texts try to break a page. */
const session = (more: object) => ({
  id: SESSION,
  name: null,
  kind: 'program' as const,
  program: ['vi', '<script>alert(1)</script>'],
  cwd: '/tmp',
  state: null,
  title: '\u202Etitle',
  startedAtMs: 1,
  idleMs: 0,
  pendingGrant: null,
  heldSinceMs: null,
  isAnswering: true,
  ...more,
});

type Command = Extract<OrderAnswer, { kind: 'list' }>['commands'][number];

export const listOf = (commands: readonly Command[] = [], more: object = {}): OrderAnswer => ({
  kind: 'list',
  sessions: [session(more)],
  commands,
});

export const acted: OrderAnswer = { kind: 'acted', acted: { processes: 3, notHeld: [] } };

export const screenOf = (...lines: readonly string[]): OrderAnswer => ({
  kind: 'screen',
  screen: { columns: 80, rows: 24, lines, title: '', cursor: { row: 0, column: 0, isVisible: true } },
});
