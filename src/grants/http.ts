/** Makes HTTP calls to the grant server. The functions never throw: each failure is a value. */
import type { ClientRequest, IncomingMessage } from 'node:http';
import http from 'node:http';
import { API_VERSION } from '../core/api-protocol.ts';
import { type ConnectionRemedy, connectionFault, REMEDIES } from '../core/connection-fault.ts';
import { type Failure, failure, nothingRan, seesHealth } from '../core/failure.ts';
import { failed, type Result, success } from '../core/result.ts';

/**
 * @property url       origin of the server, without a slash at the end
 * @property timeoutMs the longest time from the call to the start of the response, and also from there to the end of the response
 * @property ca        certificate authorities (PEM) for https, in addition to Node's authorities; null: only Node's authorities
 * @property isElsewhere true: this installation has no grant server of its own, so the advice is not `apes up`
 */
export interface Server {
  readonly url: string;
  readonly timeoutMs: number;
  readonly ca: string | null;
  readonly isElsewhere?: boolean;
}

/**
 * @property body          parsed JSON; null if the body is empty
 * @property serverTimeMs  the time by the server's clock, Unix ms; null: the answer does not contain the time
 * @property connectionKey key of the persistent connection over which the answer came; absent for HTTP
 */
export interface ServerAnswer {
  readonly status: number;
  readonly body: unknown;
  readonly serverTimeMs: number | null;
  readonly connectionKey?: Buffer;
}

/**
 * @property path  path and query
 * @property body  sent as JSON; absent: no body
 * @property token absent: a call without authentication
 */
export interface ServerCall {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly body?: unknown;
  readonly token?: string;
}

/** The largest accepted answer. A larger answer counts as malformed. */
export const MAX_ANSWER_BYTES = 16 * 1024 * 1024;

/** Connections stay open between calls: a session makes a call for each line. */
const agent = new http.Agent({ keepAlive: true });

/**
 * Returns the answer of a grant server of this version, even if the answer's status is an error. Fails in these cases:
 * - `unavailable` (69): no complete answer comes
 * - `unavailable` (69): a proxy or another program answers with a status of 500 or above
 * - `protocol` (76): another program answers with a status below 500, or does not speak HTTP
 * - `protocol` (76): a server of another version answers
 * - `protocol` (76): the answer is not JSON, or is too long
 * - `configuration` (78): the server's address is not a URL, or Node refuses to send the call
 */
export async function callServer(server: Server, call: ServerCall): Promise<Result<ServerAnswer, Failure>> {
  const opened = await openRequest(server, call, 'application/json');
  return opened.ok ? wholeAnswer(server, opened.value) : opened;
}

export interface OpenedRequest {
  readonly request: ClientRequest;
  readonly response: IncomingMessage;
}

/** Reads the whole body, within `timeoutMs` and `MAX_ANSWER_BYTES`. Fails like `callServer`. */
export function wholeAnswer(
  server: Server,
  { request, response }: OpenedRequest,
): Promise<Result<ServerAnswer, Failure>> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const settle = (result: Result<ServerAnswer, Failure>) => {
      clearTimeout(deadline);
      resolve(result);
    };
    const deadline = setTimeout(() => {
      settle(failed(noAnswer(server, `no answer within ${server.timeoutMs / 1000} s`)));
      request.destroy();
    }, server.timeoutMs);
    response.on('data', (chunk: Buffer) => {
      length += chunk.length;
      chunks.push(chunk);
      if (length > MAX_ANSWER_BYTES) {
        settle(failed(malformed(server, 'its answer is too long')));
        request.destroy();
      }
    });
    response.on('error', (error) => settle(failed(noAnswer(server, `the connection broke (${codeOf(error)})`))));
    response.on('aborted', () => settle(failed(noAnswer(server, 'the connection broke'))));
    response.on('end', () => settle(readAnswer(server, response, Buffer.concat(chunks))));
  });
}

/**
 * Returns the response when it begins. The caller reads the body as a stream. `timeoutMs` does not limit the time for the body. Fails like
 * `callServer` if no response begins.
 * @param accept the media type that the caller wants
 * @param signal ends the request, also while the caller reads the body
 */
export async function openRequest(
  server: Server,
  call: ServerCall,
  accept: string,
  signal?: AbortSignal,
): Promise<Result<OpenedRequest, Failure>> {
  let url: URL;
  try {
    url = new URL(server.url + call.path);
  } catch {
    return failed(
      failure('configuration', `the server's address is not a URL: ${server.url}`, 'enrol again: apes login URL'),
    );
  }
  const isTls = url.protocol === 'https:';
  const transport = isTls ? (await import('node:https')).default : http;
  const body = call.body === undefined ? null : Buffer.from(JSON.stringify(call.body));
  const headers: Record<string, string | number> = { accept };
  if (call.token !== undefined) headers['authorization'] = `Bearer ${call.token}`;
  if (body !== null) {
    headers['content-type'] = 'application/json';
    headers['content-length'] = body.length;
  }
  const tls = isTls ? await tlsOptions(server) : { agent };
  return new Promise((resolve) => {
    let request: ClientRequest;
    try {
      request = transport.request(url, { method: call.method, headers, ...tls });
    } catch (error) {
      return resolve(failed(unsendable(server, error)));
    }
    const stop = () => {
      resolve(failed(noAnswer(server, 'the call was ended')));
      request.destroy();
    };
    request.on('close', () => signal?.removeEventListener('abort', stop));
    signal?.addEventListener('abort', stop);
    if (signal?.aborted === true) stop();
    const deadline = setTimeout(() => {
      resolve(failed(noAnswer(server, `no answer within ${server.timeoutMs / 1000} s`)));
      request.destroy();
    }, server.timeoutMs);
    request.on('error', (error) => {
      clearTimeout(deadline);
      const code = codeOf(error);
      // HPE_…: Node's parser could not read the answer, so the program that listens there does not speak HTTP.
      resolve(
        failed(
          code.startsWith('HPE_') ? malformed(server, `its answer is not HTTP (${code})`) : unreachable(server, code),
        ),
      );
    });
    request.on('response', (response) => {
      clearTimeout(deadline);
      response.on('error', () => undefined); // an error can come before the caller listens
      resolve(success({ request, response }));
    });
    request.end(body ?? undefined);
  });
}

async function tlsOptions(server: Server): Promise<{ ca?: string[] }> {
  if (server.ca === null) return {};
  const { rootCertificates } = await import('node:tls');
  return { ca: [...rootCertificates, server.ca] };
}

/** Returns the failure if a proxy, another program or a server of another version answers; null: a server of this version answers. */
export function foreignAnswer(server: Server, { statusCode: status = 0, headers }: IncomingMessage): Failure | null {
  const version = headers['ape-api'];
  if (version === undefined)
    return status >= 500
      ? noAnswer(server, `${WITHOUT_SERVER[status] ?? 'the program that answers there has an error'} (HTTP ${status})`)
      : malformed(server, `the program that answers there is not a grant server (HTTP ${status})`);
  return version === String(API_VERSION)
    ? null
    : malformed(
        server,
        `it speaks version ${String(version)} of the interface, and this client speaks version ${API_VERSION}`,
      );
}

function readAnswer(server: Server, response: IncomingMessage, bytes: Buffer): Result<ServerAnswer, Failure> {
  const status = response.statusCode ?? 0;
  const foreign = foreignAnswer(server, response);
  if (foreign !== null) return failed(foreign);
  const time = Number(response.headers['x-ape-time']);
  const serverTimeMs = Number.isFinite(time) && time > 0 ? time : null;
  if (bytes.length === 0) return success({ status, body: null, serverTimeMs });
  try {
    return success({ status, body: JSON.parse(bytes.toString('utf8')) as unknown, serverTimeMs });
  } catch {
    return failed(malformed(server, 'its answer is not JSON'));
  }
}

/** Statuses that a proxy sends if the proxy does not reach the server. These statuses are no sign of tampering. */
const WITHOUT_SERVER: Readonly<Record<number, string>> = {
  502: 'a proxy in front of it gets no answer from it',
  503: 'a proxy in front of it says that it is not available',
  504: 'a proxy in front of it got no answer from it in time',
};

const codeOf = (error: unknown): string =>
  error instanceof Error
    ? 'code' in error && typeof error.code === 'string'
      ? error.code
      : error.message
    : String(error);

const startAdvice = ({ isElsewhere }: Server): string =>
  isElsewhere ? 'ask its owner to start it' : 'start it (apes up)';

/** The advice for a server that cannot be reached. */
const ADVICE: Readonly<Record<ConnectionRemedy, (server: Server) => string>> = {
  program: startAdvice,
  network: () => REMEDIES.network,
  scheme: () => REMEDIES.scheme,
  certificate: () => 'correct its certificate, or name the authority of the certificate in server.ca_file',
};

/** Makes the failure (69) of a call whose connection failed with this code. */
function unreachable(server: Server, code: string): Failure {
  const fault = connectionFault(code);
  if (fault === null || fault.remedy === 'program') return noAnswer(server, `it does not answer (${code})`);
  return noAnswer(server, `${fault.why} (${code})`, ADVICE[fault.remedy](server));
}

/** Makes the failure (78) of a call that Node refuses to send, for example because the certificate file is unusable. */
const unsendable = (server: Server, error: unknown): Failure =>
  nothingRan(
    seesHealth(
      failure(
        'configuration',
        `the grant server at ${server.url} cannot be asked: the call cannot be sent (${codeOf(error)})`,
        'check server.url and server.ca_file',
      ),
    ),
  );

/**
 * Makes the failure (69) of a call that got no answer.
 * @param why follows `the grant server at URL cannot be asked:`
 */
export const noAnswer = (server: Server, why: string, advice = startAdvice(server)): Failure =>
  nothingRan(seesHealth(failure('unavailable', `the grant server at ${server.url} cannot be asked: ${why}`, advice)));

/**
 * Makes the failure (76) of a call whose answer cannot be trusted.
 * @param why follows `the grant server at URL cannot be trusted:`
 */
export const malformed = (server: Server, why: string): Failure =>
  nothingRan(seesHealth(failure('protocol', `the grant server at ${server.url} cannot be trusted: ${why}`)));
