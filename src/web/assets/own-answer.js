// Calls the API for all pages, and accepts only answers of this server. A proxy can answer instead of the server, with any status. The
// build puts this file into each script that calls the API.

/** Returns the content of a `meta` element of the page. @type {(name: string) => string | undefined} */
export const meta = (name) => document.querySelector(`meta[name="${name}"]`)?.getAttribute('content') ?? undefined;
/** Prefixes a path of this server with the base path under which a proxy serves it. @type {(path: string) => string} */
export const at = (path) => (meta('base-path') ?? '') + path;

/** Whether this server sent the answer: only this server sends the header `ape-api`. @type {(answer: Response) => boolean} */
export const isOwn = (answer) => answer.headers.has('ape-api');

export const NOT_KNOWN =
  'No answer of the server came, so it is not known whether this was done. Reload the page, and look before you repeat it.';

/** No complete answer of this server came back. Perhaps the server got the call. The message is for people. */
export class NotKnown extends Error {
  isNotKnown = true;
  constructor() {
    super(NOT_KNOWN);
  }
}

/** Sends JSON to this server as the person who is signed in. @type {(method: string, path: string, body?: object) => Promise<Response>} */
export const send = (method, path, body) =>
  fetch(at(path), {
    method,
    redirect: 'error', // the API never redirects, but a proxy redirects to its page for signing in
    headers: {
      'x-csrf-token': meta('csrf-token') ?? '',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });

/**
 * The server's own answer. `content` is the parsed JSON; null: the body is empty.
 * @typedef {{ status: number, ok: boolean, content: any }} OwnAnswer
 */

/**
 * Calls the API. Throws `NotKnown` if no whole answer of this server comes back.
 * @type {(method: string, path: string, body?: object) => Promise<OwnAnswer>}
 */
export async function callApi(method, path, body) {
  const answer = await send(method, path, body).catch(() => null);
  if (answer === null || !isOwn(answer)) throw new NotKnown();
  const { status, ok } = answer;
  const content = await contentOf(answer).catch(() => undefined);
  if (content === undefined || (!ok && typeof content?.error?.message !== 'string')) throw new NotKnown();
  return { status, ok, content };
}

/** @type {(answer: Response) => Promise<any>} */
async function contentOf(answer) {
  const text = await answer.text();
  return text === '' ? null : JSON.parse(text);
}

/**
 * Returns the sentence for a refusal. After an error of the server itself (5xx), the change may have been made.
 * @type {(answer: OwnAnswer) => string}
 */
export const notDoneText = ({ status, content }) =>
  status >= 500
    ? `Not done, or not known: ${content.error.message}. Reload the page, and look before you repeat it.`
    : `Not done: ${content.error.message}.`;
