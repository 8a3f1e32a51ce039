/**
 * Shortens requests for lists. A command can be megabytes long, and a list can have hundreds of commands. A long request is cut and marked,
 * never left out.
 */
import type { Grant } from '../core/grant/grant.ts';
import type { ExecutionRequest } from '../core/grant/request.ts';

/** In bytes of JSON. If a request and its impact preview together are larger than this, a list contains a cut request. */
export const MAX_LISTED_REQUEST_BYTES = 64 * 1024;
const MAX_TEXT = 2_000;
const MAX_WORDS = 8;
const MAX_WORD = 200;

/**
 * A grant in a list.
 * @property cutFrom the number of bytes of the whole request and its impact preview; absent if the request is not cut. If `cutFrom` is
 *                   present, `touches` is null. A caller that decides on the grant or runs it must get the whole grant
 */
export interface ListedGrant extends Grant {
  readonly cutFrom?: number;
}

/**
 * Cuts the texts and lists of a long request. Returns null if the request is short enough to be listed whole. In a cut request,
 * `environment` is empty, `plan` is left out, and `mcp` and `fetches` are whole.
 */
export function cutRequest(
  request: ExecutionRequest,
  touches: Grant['touches'],
): { readonly request: ExecutionRequest; readonly cutFrom: number } | null {
  const bytes = byteLength(request) + (touches === null ? 0 : byteLength(touches));
  return bytes <= MAX_LISTED_REQUEST_BYTES ? null : { request: beginningOf(request), cutFrom: bytes };
}

/** Returns a copy of the grant with a cut request. Returns the same grant if the request is short enough to be listed whole. */
export function listedGrant(grant: Grant): ListedGrant {
  const cut = cutRequest(grant.request, grant.touches);
  return cut === null ? grant : { ...grant, ...cut, touches: null };
}

const byteLength = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

const beginningOf = ({ files, plan: _, ...request }: ExecutionRequest): ExecutionRequest => ({
  ...request,
  text: beginning(request.text, MAX_TEXT),
  argv: request.argv.slice(0, MAX_WORDS).map((word) => beginning(word, MAX_WORD)),
  cwd: beginning(request.cwd, MAX_TEXT),
  environment: [],
  ...(files === undefined
    ? {}
    : {
        files: files.slice(0, MAX_WORDS).map((file) => ({
          ...file,
          path: beginning(file.path, MAX_WORD),
          askedPath: beginning(file.askedPath, MAX_WORD),
        })),
      }),
});

/** If the text is longer than `most` UTF-16 units, cuts the text there, and adds `…`. Half a surrogate pair at the cut is removed. */
const beginning = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most).replace(/[\ud800-\udbff]$/, '')}…`;
