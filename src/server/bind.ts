/** Where the server may listen, and which names it answers to. */
import { isIP } from 'node:net';
import { type Failure, failure } from '../core/failure.ts';

/** Below which a proxy shows the server: plain words, so that nothing in an address or a page reads them otherwise. */
const BASE_PATH = /^(?:\/[A-Za-z0-9_-]+)*\/?$/;

const OWN_PATHS: ReadonlySet<string> = new Set(['v1', 'grants', 'enrolments', 'parts', 'assets', 'sign-in']);

const LOOPBACK_NAMES = new Set(['localhost', '127.0.0.1', '[::1]', '::1']);

export const isLoopback = (host: string): boolean =>
  LOOPBACK_NAMES.has(host.toLowerCase()) || (isIP(host) === 4 && host.startsWith('127.'));

/**
 * Null when it may listen there. Beyond this machine, tokens and approvals must not travel in the clear:
 * a proxy in front ends TLS, and `publicUrl` says under which name.
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

function checkPublicUrl(publicUrl: string): Failure | null {
  const advice = 'write it like https://approve.example.org';
  const url = URL.canParse(publicUrl) ? new URL(publicUrl) : null;
  if (url === null || !['http:', 'https:'].includes(url.protocol) || url.username !== '')
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
  if (OWN_PATHS.has(url.pathname.split('/')[1] ?? ''))
    return failure(
      'configuration',
      `the path ${url.pathname} of the public address is a path of the server itself`,
      'choose another one, like /approvals',
      'bind.url',
    );
  if (url.protocol === 'http:' && !isLoopback(url.hostname))
    return failure('configuration', 'the public address must be https beyond this machine', advice, 'bind.url');
  return null;
}

/** A page of another origin may point its own name at our address (DNS rebinding); its Host header gives it away. */
export function isOurHost(hostHeader: string | undefined, publicUrl: string): boolean {
  if (hostHeader === undefined) return false;
  if (hostHeader.toLowerCase() === new URL(publicUrl).host) return true;
  return isLoopback(hostHeader.replace(/:\d+$/, ''));
}

/** A change from a page must come from a page of ours: the public one, or the one of the very host that was asked. */
export function isOurOrigin(origin: string | undefined, hostHeader: string | undefined, publicUrl: string): boolean {
  if (origin === undefined) return false;
  if (origin === new URL(publicUrl).origin) return true;
  return origin === `http://${hostHeader ?? ''}` && isOurHost(hostHeader, publicUrl);
}
