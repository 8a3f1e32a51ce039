/** An HTTP proxy between the browser and the server, as a reverse proxy on the way of a person. */
import { createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Where a call goes, and what is changed of it. */
interface Onward {
  readonly port: number;
  readonly path?: string;
  readonly headers?: NodeJS.Dict<string | string[]>;
}

/** The proxy's own answer. @property type its media type; default: HTML */
interface OwnAnswer {
  readonly status: number;
  readonly type?: string;
  readonly body: string;
}

export interface ProxyServer {
  readonly port: number;
  close(): void;
}

/** Starts a proxy on 127.0.0.1. It passes each call on, or answers it, as `plan` says. */
export async function startProxy(plan: (call: IncomingMessage) => Onward | OwnAnswer): Promise<ProxyServer> {
  const proxy = createServer((call, answer) => {
    const planned = plan(call);
    if ('status' in planned) {
      call.resume();
      answer.writeHead(planned.status, { 'content-type': planned.type ?? 'text/html' }).end(planned.body);
      return;
    }
    const { port, path = call.url, headers = call.headers } = planned;
    const passed = request({ host: '127.0.0.1', port, method: call.method, path, headers }, (got) =>
      got.pipe(answer.writeHead(got.statusCode ?? 502, got.rawHeaders)),
    );
    passed.on('error', () => answer.destroy());
    call.pipe(passed);
    answer.on('close', () => passed.destroy());
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const close = () => {
    proxy.close();
    proxy.closeAllConnections();
  };
  return { port: (proxy.address() as AddressInfo).port, close };
}
