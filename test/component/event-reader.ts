/** Reads server-sent events as a client does. */
import { createParser } from 'eventsource-parser';

export interface SeenEvent {
  readonly event: string | undefined;
  readonly id: string | undefined;
  readonly data: { readonly id: string; readonly state: string; readonly version: number };
  readonly atMs: number;
}

export interface EventReader {
  readonly status: number;
  readonly seen: readonly SeenEvent[];
  /** Resolves with the first event that fits, also with an earlier event. Rejects after a minute. */
  until(fits: (event: SeenEvent) => boolean): Promise<SeenEvent>;
  /** Resolves when the server has ended the stream. */
  readonly ended: Promise<void>;
  close(): void;
}

const TIMEOUT_MS = 60_000;

export async function readEvents(url: string, headers: Readonly<Record<string, string>>): Promise<EventReader> {
  const stop = new AbortController();
  const answer = await fetch(url, { headers, signal: stop.signal });
  const seen: SeenEvent[] = [];
  const waiters = new Set<() => void>();
  const parser = createParser({
    onEvent: ({ event, id, data }) => {
      seen.push({ event, id, data: JSON.parse(data) as SeenEvent['data'], atMs: performance.now() });
      for (const wake of waiters) wake();
    },
  });
  const consume = async () => {
    if (answer.status !== 200 || answer.body === null) return;
    const decoder = new TextDecoder();
    for await (const chunk of answer.body) parser.feed(decoder.decode(chunk as Uint8Array, { stream: true }));
  };
  const ended = consume().catch(() => {});
  return {
    status: answer.status,
    seen,
    ended,
    until: (fits) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(() => reject(new Error(`not seen; seen: ${JSON.stringify(seen)}`)), TIMEOUT_MS);
        const look = () => {
          const found = seen.find(fits);
          if (found === undefined) return;
          clearTimeout(timer);
          waiters.delete(look);
          resolve(found);
        };
        waiters.add(look);
        look();
      }),
    close: () => stop.abort(),
  };
}
