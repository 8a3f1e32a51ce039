/** Where the server may listen, and which names it answers to. */
import { isIP } from 'node:net';
import { type Failure, failure } from '../core/failure.ts';

/** The public address may have a path of this form. A path of this form needs no escape in a URL or in HTML. */
const BASE_PATH = /^(?:\/[A-Za-z0-9_-]+)*\/?$/;

const LOOPBACK_NAMES = new Set(['localhost', '127.0.0.1', '[::1]', '::1']);

/**
 * Whether this host name or IP address always means this machine.
 * @param host without a port; `::1` may have brackets
 */
export const isLoopback = (host: string): boolean =>
  LOOPBACK_NAMES.has(host.toLowerCase()) || (isIP(host) === 4 && host.startsWith('127.'));

/**
 * Returns null if `bind.publicUrl` is fit and the server may listen on `bind.host`. Tokens and approvals that leave this machine must be
 * encrypted. The server itself has no TLS: a proxy in front of the server terminates TLS, and `publicUrl` is the address of the proxy.
 */
export function checkBind(bind: { readonly host: string; readonly publicUrl?: string | undefined }): Failure | null {
  if (bind.publicUrl !== undefined) {
    const wrong = checkPublicUrl(bind.publicUrl);
    if (wrong !== null) return wrong;
  }
  if (isLoopback(bind.host) || bind.publicUrl?.startsWith('https://')) return null;
  return failure(
    'configuration',
    `listening on ${bind.host} would show approvals to the network without encryption`,
    'listen on 127.0.0.1, or put a TLS proxy in front and give --public-url https://…',
    'bind.unsafe',
  );
}

/**
 * Returns null if the path of the public address does not begin with a path of the server.
 * @param ownPaths the first part of each path of the server, without a slash
 */
export function checkBasePath(publicUrl: string, ownPaths: ReadonlySet<string>): Failure | null {
  const { pathname } = new URL(publicUrl);
  const first = pathname.split('/')[1] ?? '';
  if (first === '' || !ownPaths.has(first)) return null;
  return failure(
    'configuration',
    `the path ${pathname} of the public address is a path of the server itself`,
    'choose another path, like /approvals',
    'bind.url',
  );
}

function checkPublicUrl(publicUrl: string): Failure | null {
  const advice = 'write it like https://approve.example.org';
  const url = URL.canParse(publicUrl) ? new URL(publicUrl) : null;
  if (url === null || !['http:', 'https:'].includes(url.protocol) || url.username + url.password !== '')
    return failure(
      'configuration',
      `the public address ${JSON.stringify(publicUrl)} is not an http address`,
      advice,
      'bind.url',
    );
  if (url.search !== '' || url.hash !== '' || !BASE_PATH.test(url.pathname))
    return failure(
      'configuration',
      `the public address ${JSON.stringify(publicUrl)} has more than a plain path`,
      `${advice}, or https://example.org/approvals behind a proxy that shares the name`,
      'bind.url',
    );
  if (url.protocol === 'http:' && !isLoopback(url.hostname))
    return failure(
      'configuration',
      'the public address must be https, unless it is a loopback address',
      advice,
      'bind.url',
    );
  return null;
}

/**
 * Whether the Host header names this server: the host and port of the public address, or a loopback name with any port. If another site
 * points its own name at our address (DNS rebinding), the Host header has the name of that site.
 * @throws TypeError if `publicUrl` is no URL
 */
export function isOurHost(hostHeader: string | undefined, publicUrl: string): boolean {
  if (hostHeader === undefined) return false;
  if (hostHeader.toLowerCase() === new URL(publicUrl).host) return true;
  return isLoopback(hostHeader.replace(/:\d+$/, ''));
}

/**
 * Whether a request comes from a page of this server. Returns true if the Origin header has one of these values:
 * - the origin of the public address
 * - `http://` and the Host header, if the Host header names this server
 */
export function isOurOrigin(origin: string | undefined, hostHeader: string | undefined, publicUrl: string): boolean {
  if (origin === undefined) return false;
  if (origin === new URL(publicUrl).origin) return true;
  return origin === `http://${hostHeader ?? ''}` && isOurHost(hostHeader, publicUrl);
}
