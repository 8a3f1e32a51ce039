/**
 * Figures of the running server in the text format of Prometheus. Only the person who runs the server needs the figures. So the figures
 * have an address of their own. No figure contains a name, a path or a command.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Failure, failure } from '../core/failure.ts';
import { failed, type Result, success } from '../core/result.ts';
import { readHostAndPort } from '../core/text/host-and-port.ts';
import type { Clock } from '../platform/clock.ts';
import type { Store } from '../store/store.ts';

/** The bounds of the buckets in seconds. A request that a grant covers takes milliseconds. An event stream can take a minute or longer. */
const BUCKETS_S = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60];

const MAX_SCRAPERS = 16;

/** One answered call. `route` is the pattern of the route, never the address of the call; `none` if no route matches the address. */
export interface AnsweredCall {
  readonly method: string;
  readonly route: string;
  readonly status: number;
  readonly ms: number;
}

/** The sources that are read when Prometheus asks for the figures. */
interface MetricsSources {
  readonly store: Store;
  readonly clock: Clock;
  readonly connections: () => Promise<number>;
}

export interface Metrics {
  readonly observe: (call: AnsweredCall) => void;
  /** Starts to serve the figures; returns their address, and a function that stops serving them. */
  readonly listen: (sources: MetricsSources) => Promise<Result<RunningMetrics, Failure>>;
}

interface RunningMetrics {
  readonly url: string;
  stop(): Promise<void>;
}

/**
 * Makes the figures, which `listen` serves. Fails if `address` is not `HOST:PORT`.
 * @param address port 0: any free port
 */
export async function newMetrics(address: string): Promise<Result<Metrics, Failure>> {
  const place = readHostAndPort(address, 0);
  if (place === null) return failed(wrongAddress(address));
  const { collectDefaultMetrics, Gauge, Histogram, Registry } = await import('prom-client');
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  const durations = new Histogram({
    name: 'ape_http_request_duration_seconds',
    help: 'Calls by route and status; an event stream counts when it ends',
    labelNames: ['method', 'route', 'status'],
    buckets: BUCKETS_S,
    registers,
  });
  const gauge = (name: string, help: string) => new Gauge({ name, help, registers });
  const waiting = gauge('ape_requests_waiting', 'Requests that wait for a decision');
  const events = gauge('ape_events', 'Events in the record');
  const database = gauge('ape_database_up', '1 when the database answers');
  const connections = gauge('ape_connections', 'Open connections of clients');

  async function text(sources: MetricsSources): Promise<string> {
    const seen = await sources.store.read(async (rows) => ({
      waiting: await rows.countPending(sources.clock.nowMs()),
      events: await rows.lastSeq(),
    }));
    database.set(seen.ok ? 1 : 0);
    if (seen.ok) {
      waiting.set(seen.value.waiting);
      events.set(seen.value.events);
    }
    connections.set(await sources.connections());
    return registry.metrics();
  }

  return success({
    observe: ({ method, route, status, ms }) => durations.observe({ method, route, status: String(status) }, ms / 1000),
    listen: (sources) => listen(place, registry.contentType, () => text(sources)),
  });
}

function listen(
  { host, port }: { readonly host: string; readonly port: number },
  contentType: string,
  text: () => Promise<string>,
): Promise<Result<RunningMetrics, Failure>> {
  const listener = createServer((request, response) => {
    if (request.method !== 'GET' || request.url !== '/metrics') {
      response.writeHead(404).end();
      return;
    }
    text().then(
      (body) => response.writeHead(200, { 'content-type': contentType }).end(body),
      () => response.writeHead(500).end(),
    );
  });
  listener.maxConnections = MAX_SCRAPERS;
  const name = host.includes(':') ? `[${host}]` : host;
  return new Promise((resolve) => {
    listener.once('error', (error: NodeJS.ErrnoException) =>
      resolve(
        failed(
          failure(
            'configuration',
            `cannot serve metrics at ${name}:${port} (${error.code ?? error.message})`,
            'check serve.metrics',
            'bind.failed',
          ),
        ),
      ),
    );
    listener.listen({ host, port }, () => {
      const stop = () =>
        new Promise<void>((end) => {
          listener.close(() => end());
          listener.closeAllConnections();
        });
      resolve(success({ url: `http://${name}:${(listener.address() as AddressInfo).port}/metrics`, stop }));
    });
  });
}

const wrongAddress = (address: string): Failure =>
  failure('configuration', `serve.metrics is ${JSON.stringify(address)}`, 'write HOST:PORT, such as 127.0.0.1:9464');
