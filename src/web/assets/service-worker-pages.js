// If the server does not answer, shows pages that this device has kept, and marks these pages as kept. The server joins the parts of the
// service worker into one script. The block below keeps the names of this part separate.
{
  const worker = /** @type {any} */ (self);
  const { basePath, style } = worker.apePlace;

  const KEPT = 'ape-pages';
  const FILES = 'ape-files';
  const MAX_KEPT = 40;
  /** If the server has not answered after this time, the kept page is shown. A page that was not kept waits for the server. */
  const TIMEOUT_MS = 5_000;

  /**
   * The fetch event of a service worker. lib.dom has no type for this event.
   * @typedef {{ request: Request, waitUntil(work: Promise<unknown>): void, respondWith(answer: Promise<Response>): void }} Fetching
   */

  /** @type {(response: Response) => boolean} */
  const isOurs = (response) => response.headers.has('x-ape-page');

  /** Removes all kept pages: the next person must not see these pages. Called at a sign-in, after a 401, and if the person has changed. */
  const forget = () => caches.delete(KEPT);

  /** Returns the id of the person for whom a page was made. @type {(response: Response | undefined) => string | null | undefined} */
  const personOf = (response) => response?.headers.get('x-ape-page');

  /** @type {(request: Request, response: Response) => Promise<void>} */
  async function keep(request, response) {
    let kept = await caches.open(KEPT);
    const [one] = await kept.keys();
    if (one !== undefined && personOf(await kept.match(one)) !== personOf(response)) {
      await forget();
      kept = await caches.open(KEPT);
    }
    await kept.put(request.url, response);
    const all = await kept.keys();
    for (const old of all.slice(0, Math.max(0, all.length - MAX_KEPT))) await kept.delete(old);
  }

  /**
   * Fetches a page. If a person follows a link on another site, the browser sends no cookie (SameSite=Strict), and the server answers 401.
   * The worker then fetches the page again, with the cookie.
   * @type {(request: Request) => Promise<Response>}
   */
  async function fetchPage(request) {
    const response = await fetch(request);
    if (response.status !== 401 || request.referrer.startsWith(`${worker.location.origin}/`)) return response;
    return fetch(request.url, { headers: { accept: 'text/html' }, credentials: 'same-origin' });
  }

  /** @type {(event: Fetching) => Promise<Response>} */
  async function freshPage(event) {
    const response = await fetchPage(event.request);
    if (response.status === 401 && response.headers.has('ape-api')) await forget();
    else if (response.ok && isOurs(response)) event.waitUntil(keep(event.request, response.clone()));
    return response;
  }

  /**
   * Returns the kept page, marked with the time at which the server sent the page. Returns null if the page was not kept.
   * @type {(request: Request) => Promise<Response | null>}
   */
  async function keptPage(request) {
    const response = await (await caches.open(KEPT)).match(request.url);
    if (response === undefined) return null;
    const text = await response.text();
    const keptAt = Number(response.headers.get('x-ape-time'));
    return new Response(text.replace('<html lang="en">', `<html lang="en" data-kept-at="${keptAt}">`), response);
  }

  // Reloads the page only when the server answers: a reload at each interval would interrupt a screen reader.
  const LOOK_FOR_SERVER = `
const look = () => document.hidden || fetch(location.href, { headers: { accept: 'text/html' } })
  .then(({ status }) => status < 500 && location.reload(), () => {});
setInterval(look, 5000);
addEventListener('online', look);`;

  /** @type {() => Promise<Response>} */
  async function nothingKept() {
    const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(LOOK_FOR_SERVER)));
    const scripts = `script-src 'sha256-${btoa(String.fromCharCode(...digest))}'; connect-src 'self'`;
    return new Response(
      `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>No connection · ape-shell</title><link rel="stylesheet" href="${style}"></head><body><main class="narrow"><h1>No connection</h1>
<p>The server cannot be reached, and this page was not kept on this device. Nothing was decided.</p>
<p><a class="button" href="">Try again</a> <a class="button" href="${basePath}/">To the inbox</a></p></main>
<script>${LOOK_FOR_SERVER}</script></body></html>`,
      {
        status: 503,
        headers: {
          'content-type': 'text/html; charset=utf-8',
          'content-security-policy': `default-src 'none'; style-src 'self'; base-uri 'none'; ${scripts}`,
        },
      },
    );
  }

  /** @type {(event: Fetching) => Promise<Response>} */
  async function page(event) {
    const fresh = freshPage(event).catch(() => null);
    /** @type {Promise<null>} */
    const late = new Promise((resolve) => setTimeout(() => resolve(null), TIMEOUT_MS));
    return (
      (await Promise.race([fresh, late])) ?? (await keptPage(event.request)) ?? (await fresh) ?? (await nothingKept())
    );
  }

  /**
   * Returns a file, from the cache if possible. A cached file is never old, because its name changes with its contents.
   * @type {(request: Request) => Promise<Response>}
   */
  async function file(request) {
    const files = await caches.open(FILES);
    const known = await files.match(request.url);
    if (known !== undefined) return known;
    const response = await fetch(request);
    if (response.ok) await files.put(request.url, response.clone());
    return response;
  }

  worker.addEventListener('fetch', (/** @type {Fetching} */ event) => {
    const { request } = event;
    const { origin, pathname } = new URL(request.url);
    if (origin !== worker.location.origin) return;
    if (/^(?:\/v1)?\/sign-in\//.test(pathname.slice(basePath.length))) return event.waitUntil(forget());
    if (request.method !== 'GET') return;
    if (request.mode === 'navigate') event.respondWith(page(event));
    else if (pathname.startsWith(`${basePath}/assets/`)) event.respondWith(file(request));
  });

  worker.addEventListener('install', () => worker.skipWaiting());
  worker.addEventListener('activate', (/** @type {Fetching} */ event) => {
    // Removes the files of an older version.
    event.waitUntil(caches.delete(FILES).then(() => worker.clients.claim()));
  });
}
