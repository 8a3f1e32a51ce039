/** The addresses that a web fetch tool of a harness wants to fetch, and the scopes for such requests. */
import { type Fault, fault } from '../fault.ts';
import type { ExecutionRequest } from '../grant/request.ts';
import { forbidden, notCovering, type ScopeFault, unfit } from '../scope/unfit.ts';
import { visibleLine } from '../text/visible-text.ts';
import type { FetchSchema } from '../wire/fetch.ts';
import type { Shape } from '../wire/schema-parts.ts';
import type { FetchScopeSchema } from '../wire/scope.ts';

/** @property origin scheme, host and port of `url`, canonical: `https://example.com` */
export type Fetch = Shape<typeof FetchSchema>;

/** @property origins the scope covers all addresses of these origins */
export type FetchScope = Shape<typeof FetchScopeSchema>;

/** The most addresses in one call. */
export const MAX_FETCHES = 20;

/** Returns a text with one address in each line; invisible characters are escaped. */
export const fetchRequestText = (fetches: readonly Fetch[]): string =>
  fetches.map(({ method, url }) => `${method} ${visibleLine(url)}\n`).join('');

/** Returns the members of an address that are part of the fingerprint, for `canonicalRequest`. */
export const canonicalFetch = ({ method, url, origin }: Fetch): readonly unknown[] => [method, url, origin];

/**
 * Returns what is wrong with the addresses of a request; null: nothing is wrong. A request of kind `fetch` must have addresses, and every
 * other request must have none.
 * @param originOf parses a URL and returns its origin; null: not an http or https URL
 */
export function fetchesFault(
  { kind, text, argv, environment, fetches }: ExecutionRequest,
  originOf: (url: string) => string | null,
): Fault | null {
  if (fetches === undefined) return kind === 'fetch' ? fault('a request of kind fetch must name its addresses') : null;
  if (kind !== 'fetch') return fault(`a request of kind ${kind} must not have addresses`);
  if (argv.length > 0 || environment.length > 0)
    return fault('a request of kind fetch must not have an argv or an environment');
  if (fetches.some(({ url, origin }) => originOf(url) !== origin))
    return fault('the members url and origin of an address do not agree');
  return text === fetchRequestText(fetches) ? null : fault('the text does not match the addresses');
}

/** Returns the host without scheme and port: `example.com`, `[::1]`. */
export const hostOfOrigin = (origin: string): string => origin.replace(/^[a-z]+:\/\//, '').replace(/:\d+$/, '');

/**
 * Returns why no scope may cover this host: the host is possibly not on the public web. Null: a scope may cover the host.
 * The returned text continues a sentence after the word "it".
 */
export function privateHost(host: string): string | null {
  if (/^(?:\d{1,3}\.){3}\d{1,3}$/.test(host) || host.startsWith('['))
    return 'is an IP address, and the host behind it can change';
  const name = host.replace(/\.$/, '');
  if (!name.includes('.')) return 'is localhost, or a host of your own network';
  return /\.(?:localhost|local|internal|lan|home|corp|intranet|home\.arpa|test|onion)$/.test(name)
    ? 'is a host of your own network'
    : null;
}

/** Whether the scope covers every address of the request: the origin of each address is listed and not private. */
export function isInFetchScope({ origins }: FetchScope, { kind, fetches = [] }: ExecutionRequest): boolean {
  if (kind !== 'fetch' || fetches.length === 0) return false;
  return fetches.every(({ origin }) => origins.includes(origin) && privateHost(hostOfOrigin(origin)) === null);
}

/**
 * Whether an approval with this scope covers the request `wanted`.
 * @param asked the request that was approved
 */
export const fetchScopeCovers = (scope: FetchScope, asked: ExecutionRequest, wanted: ExecutionRequest): boolean =>
  asked.host === wanted.host && asked.user === wanted.user && isInFetchScope(scope, wanted);

/**
 * Returns why this request must not be approved with this scope; null: the scope is allowed.
 * @param isOnce whether the approval is for one use
 */
export function fetchScopeFault(scope: FetchScope, request: ExecutionRequest, isOnce: boolean): ScopeFault | null {
  const { fetches } = request;
  if (fetches === undefined) return unfit('a scope for hosts is for web fetches only; approve this exactly');
  if (isOnce) return unfit('a scope for hosts makes no sense for one use; choose a time, or always');
  for (const origin of scope.origins) {
    const why = privateHost(hostOfOrigin(origin));
    if (why !== null) return forbidden(`${origin} can only be approved exactly: it ${why}`);
  }
  const missed = fetches.find(({ origin }) => !scope.origins.includes(origin));
  return missed === undefined
    ? null
    : notCovering(`${missed.url}, which this request is about, is no page of ${scope.origins.join(' or ')}`);
}

/** Returns the scope to offer. Null: only the exact addresses can be approved, or the request has no addresses. */
export function fetchScopeFor({ fetches = [] }: ExecutionRequest): FetchScope | null {
  const origins = [...new Set(fetches.map(({ origin }) => origin))];
  const isPublic = origins.length > 0 && origins.every((origin) => privateHost(hostOfOrigin(origin)) === null);
  return isPublic ? { kind: 'fetch', origins } : null;
}

/** Describes the scope for people. The text is not escaped. */
export const fetchScopeText = ({ origins }: FetchScope): string => `fetch any page from ${origins.join(', ')}`;
