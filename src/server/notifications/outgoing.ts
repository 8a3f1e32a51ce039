/**
 * Makes one call to another server. Limits the time and the length of the answer. Follows no redirects. Calls a private address only if
 * `allowedHosts` contains this address.
 */
import { type ClientRequest, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP } from 'node:net';
import { unreachableText } from '../../core/connection-fault.ts';
import { bareHost, destinationFault, isAllowed, PRIVATE_ADDRESS, parseUrl, publicLookup } from './address-guard.ts';

export interface Outgoing {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/**
 * - `answered`:    the other server answered, with any status
 * - `refused`:     this address may not be called, and nothing was sent
 * - `unreachable`: no answer came; the other server possibly got the call
 *
 * @property retryAfterMs the pause that the other server asked for, at most an hour; null: no pause, or a pause that ends at a date
 */
export type OutgoingAnswer =
  | { readonly kind: 'answered'; readonly status: number; readonly retryAfterMs: number | null }
  | { readonly kind: 'refused'; readonly why: string }
  | { readonly kind: 'unreachable'; readonly why: string };

/**
 * @property allowedHosts the private addresses that may be called, each as `host:port`
 * @property signal       if this signal is aborted, the answer is `unreachable`
 */
export interface OutgoingLimits {
  readonly allowedHosts: readonly string[];
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** `post` reads at most this number of bytes of an answer's body. Nothing uses the body. */
const MAX_ANSWER_BYTES = 64 * 1024;
const MAX_RETRY_AFTER_MS = 3_600_000;

/** Sends a POST. Returns an answer even if the address is refused or the server cannot be reached. */
export async function post({ url: text, headers, body }: Outgoing, limits: OutgoingLimits): Promise<OutgoingAnswer> {
  const fault = destinationFault(text, limits.allowedHosts);
  const url = parseUrl(text);
  if (fault !== null || url === null) return { kind: 'refused', why: fault?.message ?? 'this is not a valid URL' };
  const timeout = AbortSignal.timeout(limits.timeoutMs);
  const call = url.protocol === 'https:' ? requestHttps : requestHttp;
  const isFree = isAllowed(url, limits.allowedHosts);
  return new Promise((resolve) => {
    const request = call(url, {
      method: 'POST',
      agent: false,
      headers: { ...headers, 'content-length': String(body.length), 'user-agent': 'ape-shell' },
      signal: AbortSignal.any([timeout, limits.signal]),
      ...(isFree || isIP(bareHost(url)) !== 0 ? {} : { lookup: publicLookup }),
    });
    request.on('error', (error: NodeJS.ErrnoException) => resolve(faultOf(error, timeout, limits.timeoutMs)));
    takeAnswer(request, resolve);
    request.end(body);
  });
}

function takeAnswer(request: ClientRequest, resolve: (answer: OutgoingAnswer) => void): void {
  request.on('response', (response) => {
    let bytes = 0;
    resolve({
      kind: 'answered',
      status: response.statusCode ?? 0,
      retryAfterMs: retryAfterOf(response.headers['retry-after']),
    });
    response.on('error', () => undefined);
    response.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > MAX_ANSWER_BYTES) response.destroy();
    });
  });
}

/** Reads only a `Retry-After` in seconds. A date would be wrong if the clocks of the two servers differ. */
function retryAfterOf(header: string | undefined): number | null {
  if (header === undefined || !/^\d{1,9}$/.test(header)) return null;
  return Math.min(Number(header) * 1_000, MAX_RETRY_AFTER_MS);
}

/** Shows only the code of the error. The message of the error can contain the address, and the address can contain secrets. */
function faultOf({ code = 'error' }: NodeJS.ErrnoException, timeout: AbortSignal, timeoutMs: number): OutgoingAnswer {
  if (code === PRIVATE_ADDRESS) return { kind: 'refused', why: 'its name leads to a private address' };
  if (timeout.aborted) return { kind: 'unreachable', why: `no answer within ${timeoutMs / 1_000} s` };
  return { kind: 'unreachable', why: unreachableText(code) };
}
