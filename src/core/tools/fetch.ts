/** What a web fetch tool of an agent harness wants to read, and how far an approval of that reaches. */
import type { ScopeFault } from '../files/file-scope.ts';
import type { ExecutionRequest } from '../grant/request.ts';
import { visibleLine } from '../text/visible-text.ts';
import type { FetchSchema } from '../wire/fetch.ts';
import type { Shape } from '../wire/schema-parts.ts';
import type { FetchScopeSchema } from '../wire/scope.ts';

/** @property origin scheme, host and port that `url` leads to, canonical: `https://example.com` */
export type Fetch = Shape<typeof FetchSchema>;

/** @property origins each covers every address of it, and no other host */
export type FetchScope = Shape<typeof FetchScopeSchema>;

/** One call reads at most so many addresses. */
export const MAX_FETCHES = 20;

/** Addresses a line; what cannot be seen is written out. */
export const fetchRequestText = (fetches: readonly Fetch[]): string =>
  fetches.map(({ method, url }) => `${method} ${visibleLine(url)}\n`).join('');

export const canonicalFetch = ({ method, url, origin }: Fetch): readonly unknown[] => [method, url, origin];

/**
 * Null when it is what it must be; otherwise what is wrong.
 * @param originOf parses a URL and returns its origin; null: not a URL of the web
 */
export function fetchesFault(
  { kind, text, argv, environment, fetches }: ExecutionRequest,
  originOf: (url: string) => string | null,
): string | null {
  if (fetches === undefined) return kind === 'fetch' ? 'a request of kind fetch names its addresses' : null;
  if (kind !== 'fetch') return `a request of kind ${kind} has no addresses`;
  if (argv.length > 0 || environment.length > 0) return 'a request of kind fetch has no argv and no environment';
  if (fetches.some(({ url, origin }) => originOf(url) !== origin)) return 'an address does not lead to its origin';
  return text === fetchRequestText(fetches) ? null : 'the text is not what the addresses say';
}

/** `example.com`, `[::1]`: without scheme, port. */
export const hostOfOrigin = (origin: string): string => origin.replace(/^[a-z]+:\/\//, '').replace(/:\d+$/, '');

/** Why a host is no place on the public web, in words that follow "it"; null where it may be one. */
export function privateHost(host: string): string | null {
  if (/^(?:\d{1,3}\.){3}\d{1,3}$/.test(host) || host.startsWith('['))
    return 'is a number: what stands behind it can change';
  const name = host.replace(/\.$/, '');
  if (!name.includes('.')) return 'is this host, or a host of your own network';
  return /\.(?:localhost|local|internal|lan|home|corp|intranet|home\.arpa|test|onion)$/.test(name)
    ? 'is a host of your own network'
    : null;
}

/** Whether every address is one of the origins, none of them private. */
export function fetchScopeCovers({ origins }: FetchScope, { kind, fetches = [] }: ExecutionRequest): boolean {
  if (kind !== 'fetch' || fetches.length === 0) return false;
  return fetches.every(({ origin }) => origins.includes(origin) && privateHost(hostOfOrigin(origin)) === null);
}

export const fetchScopeReaches = (scope: FetchScope, asked: ExecutionRequest, wanted: ExecutionRequest): boolean =>
  asked.host === wanted.host && asked.user === wanted.user && fetchScopeCovers(scope, wanted);

/** Null when this scope may be given to this request for more than one use. */
export function fetchScopeFault(scope: FetchScope, request: ExecutionRequest, isOnce: boolean): ScopeFault | null {
  const { fetches } = request;
  if (fetches === undefined) return { kind: 'unfit', message: 'a host is for web fetches only; approve this exactly' };
  if (isOnce) return { kind: 'unfit', message: 'a host makes no sense for one use; choose a time, or always' };
  for (const origin of scope.origins) {
    const why = privateHost(hostOfOrigin(origin));
    if (why !== null) return { kind: 'forbidden', message: `${origin} can only be approved exactly: it ${why}` };
  }
  const missed = fetches.find(({ origin }) => !scope.origins.includes(origin));
  return missed === undefined
    ? null
    : {
        kind: 'not-covering',
        message: `${missed.url}, which this request is about, is not of ${scope.origins.join(', ')}`,
      };
}

/** The scope worth offering; null where only these addresses may be approved. */
export function fetchScopeFor({ fetches = [] }: ExecutionRequest): FetchScope | null {
  const origins = [...new Set(fetches.map(({ origin }) => origin))];
  const isPublic = origins.length > 0 && origins.every((origin) => privateHost(hostOfOrigin(origin)) === null);
  return isPublic ? { kind: 'fetch', origins } : null;
}

/** For people. Not escaped. */
export const fetchScopeText = ({ origins }: FetchScope): string => `fetch any page from ${origins.join(', ')}`;
