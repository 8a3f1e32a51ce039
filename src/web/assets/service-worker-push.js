// Shows notifications, and acts when the person taps a notification. The server joins the parts of the service worker into one script.
// The block keeps the names of this part invisible to the other parts.
{
  const worker = /** @type {any} */ (self);
  const { basePath } = worker.apePlace;

  /**
   * `Carried`: the data of a notification. `Message`: a message that the server pushes.
   * @typedef {{ canDeny?: boolean, grantId: string, version: number, navigate?: string, waiting?: number }} Carried
   * @typedef {{ title?: string, body?: string, tag?: string, navigate?: string, data?: Partial<Carried> }} Message
   * @typedef {Waiting & { action: string, notification: { data?: Carried, close(): void } }} Clicked
   * @typedef {{ waitUntil(work: Promise<unknown>): void }} Waiting
   */

  /**
   * Reads a declarative message; returns `{}` if it cannot be read. Some browsers show declarative messages even without a service worker.
   * @type {(event: { data: { json(): { notification?: Message } } }) => Message}
   */
  const read = (event) => {
    try {
      return event.data.json().notification ?? {};
    } catch {
      return {};
    }
  };

  worker.addEventListener('push', (/** @type {Waiting & { data: { json(): { notification?: Message } } }} */ event) => {
    const { title = 'ape-shell', body, tag, navigate, data = {} } = read(event);
    // There is no button Approve: before an approval, the person has to see the request, and may have to use a passkey.
    const actions = data.canDeny
      ? [
          { action: 'deny', title: 'Deny' },
          { action: 'review', title: 'Review' },
        ]
      : [];
    const shown = worker.registration.showNotification(title, {
      body,
      tag,
      renotify: tag !== undefined,
      data: { ...data, navigate },
      actions,
    });
    event.waitUntil(Promise.all([shown, showWaiting(data.waiting)]));
  });

  /**
   * If the app is installed, shows on its icon how many requests wait.
   * @type {(waiting: number | undefined) => Promise<void>}
   */
  async function showWaiting(waiting) {
    if (typeof waiting !== 'number') return;
    try {
      await (waiting === 0 ? worker.navigator.clearAppBadge?.() : worker.navigator.setAppBadge?.(waiting));
    } catch {
      // The app is not installed.
    }
  }

  /**
   * Returns the address of the page that the notification opens, always at the origin of this service worker. `navigate` can have another
   * origin, such as 127.0.0.1 for localhost. The person is signed in only at the origin of this service worker.
   * @type {(carried: Partial<Carried>) => string}
   */
  function addressOf({ navigate }) {
    const { pathname } = new URL(navigate ?? `${basePath}/`, worker.location.origin);
    return worker.location.origin + pathname;
  }

  /** @type {(data: Partial<Carried>) => Promise<unknown>} */
  async function open(data) {
    const address = addressOf(data);
    /** @type {{ url: string, focus(): Promise<unknown> }[]} */
    const windows = await worker.clients.matchAll({ type: 'window', includeUncontrolled: true });
    const there = windows.find(({ url }) => url === address);
    if (there !== undefined) return there.focus();
    return worker.clients.openWindow(address);
  }

  /**
   * The longest wait for the server after a tap on Deny. A failed denial opens the request in a window. The browser lets a service worker
   * open a window only for a short time after the tap (Chromium: 10 s), so the wait must be shorter.
   */
  const DENY_TIMEOUT_MS = 4_000;

  /** @type {(path: string, token: string, body: object, signal?: AbortSignal) => Promise<Response>} */
  const send = (path, token, body, signal) =>
    fetch(basePath + path, {
      ...(signal === undefined ? {} : { signal }),
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-csrf-token': token },
      body: JSON.stringify(body),
    });

  /** @type {(signal?: AbortSignal) => Promise<string>} */
  async function pageToken(signal) {
    const answer = await fetch(`${basePath}/v1/notifications/page-token`, {
      cache: 'no-store',
      ...(signal === undefined ? {} : { signal }),
    });
    if (!answer.ok) throw new Error('signed out');
    return (await answer.json()).csrfToken;
  }

  /**
   * Denies the request in the version that the notification showed. If the denial fails, opens the request.
   * @type {(data: Carried) => Promise<void>}
   */
  async function deny(data) {
    try {
      const { grantId, version } = data;
      const signal = AbortSignal.timeout(DENY_TIMEOUT_MS);
      const path = `/v1/grants/${encodeURIComponent(grantId)}/deny`;
      const answer = await send(path, await pageToken(signal), { version }, signal);
      if (answer.ok && answer.headers.has('ape-api')) return; // a proxy on the way can answer with a page of its own
    } catch {
      // No connection, no answer in time, or signed out.
    }
    await open(data);
  }

  worker.addEventListener('notificationclick', (/** @type {Clicked} */ event) => {
    const { action, notification } = event;
    notification.close();
    const isDenial = action === 'deny' && notification.data?.canDeny === true;
    event.waitUntil(isDenial ? deny(/** @type {Carried} */ (notification.data)) : open(notification.data ?? {}));
  });

  /**
   * Sends a new subscription to the server when the browser has ended the old subscription. If no new subscription reaches the server, the
   * page *Notifications* shows the ended channel.
   */
  worker.addEventListener(
    'pushsubscriptionchange',
    (/** @type {Waiting & { newSubscription?: PushSubscription }} */ event) => {
      event.waitUntil(
        (async () => {
          const { pushKey } = await (await fetch(`${basePath}/v1/notifications`, { cache: 'no-store' })).json();
          const fresh =
            event.newSubscription ??
            (await worker.registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: pushKey }));
          const { endpoint, keys } = fresh.toJSON();
          const channel = { kind: 'push', name: 'This app', endpoint, p256dh: keys.p256dh, auth: keys.auth };
          await send('/v1/notifications/channels', await pageToken(), channel);
        })(),
      );
    },
  );
}
