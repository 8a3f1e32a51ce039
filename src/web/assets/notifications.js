// The script of the page *Notifications*. The server renders the page; this script sends the changes to the API.
import { callApi, NotKnown, notDoneText } from './own-answer.js';

/** @type {(within: ParentNode, selector: string) => any} */
const find = (within, selector) => within.querySelector(selector);

/** The server refused. The message is for people. */
class Refused extends Error {
  isRefused = true;
}

/** @type {(method: string, path: string, body?: object) => Promise<any>} */
async function call(method, path, body) {
  const answer = await callApi(method, path, body);
  if (answer.status === 401) location.reload();
  if (!answer.ok) throw new Refused(notDoneText(answer));
  return answer.content;
}

/** @type {(card: Element, text: string) => void} */
const say = (card, text) => {
  find(card, '.message').textContent = text;
};

// ---- this device ----

const deviceName = () => {
  const kinds = ['iPhone', 'iPad', 'Android', 'Macintosh', 'Windows', 'Linux'];
  return kinds.find((kind) => navigator.userAgent.includes(kind))?.replace('Macintosh', 'Mac') ?? 'A browser';
};

/** @type {(card: HTMLElement) => Promise<void>} */
async function subscribe(card) {
  if (!('serviceWorker' in navigator) || !('PushManager' in window)) {
    const isApple = /iPhone|iPad/.test(navigator.userAgent);
    throw new Error(
      isApple
        ? 'add this page to the home screen first (Share, then Add to Home Screen), and open it from there'
        : 'this browser has no notifications here: it needs https, or the address localhost',
    );
  }
  if ((await Notification.requestPermission()) !== 'granted')
    throw new Error('this browser does not allow notifications of this page; allow them in its settings');
  const registration = await navigator.serviceWorker.ready; // `pages.js` registers the service worker
  const applicationServerKey = card.dataset.pushKey ?? null;
  const old = await registration.pushManager.getSubscription();
  const subscription = await registration.pushManager
    .subscribe({ userVisibleOnly: true, applicationServerKey })
    .catch(async () => {
      await old?.unsubscribe(); // the old subscription was made for another key
      return registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey });
    });
  const { endpoint, keys } = /** @type {any} */ (subscription.toJSON());
  const { p256dh, auth } = keys;
  await call('POST', '/v1/notifications/channels', { kind: 'push', name: deviceName(), endpoint, p256dh, auth });
  location.reload();
}

// ---- channels ----

/** @type {(card: HTMLElement) => Promise<void>} */
async function test(card) {
  const id = card.dataset.channelId;
  const lastOf = async () =>
    (await call('GET', '/v1/notifications')).channels.find((/** @type {{ id: string }} */ channel) => channel.id === id)
      ?.last ?? null;
  const before = await lastOf();
  await call('POST', `/v1/notifications/channels/${id}/test`);
  say(card, 'Sending…');
  for (let count = 0; count < 60; count += 1) {
    await new Promise((resolve) => setTimeout(resolve, 500));
    const last = await lastOf();
    if (last !== null && last.atMs !== before?.atMs) return say(card, last.isOk ? 'Sent.' : `Not sent: ${last.text}.`);
  }
  say(card, 'No result yet. Look again later.');
}

/** @type {(card: HTMLElement) => Promise<void>} */
async function remove(card) {
  await call('DELETE', `/v1/notifications/channels/${card.dataset.channelId}`);
  card.remove();
}

/** @type {(within: Element, selector: string) => NodeListOf<HTMLInputElement>} */
const fieldsIn = (within, selector) => within.querySelectorAll(selector);

/** @type {(card: Element) => void} */
function showKind(card) {
  const kind = find(card, '.channel-kind').value;
  for (const field of fieldsIn(card, '[data-for]')) field.hidden = !(field.dataset.for ?? '').split(' ').includes(kind);
}

/** @type {(card: HTMLElement) => Promise<void>} */
async function add(card) {
  const kind = find(card, '.channel-kind').value;
  /** @type {Record<string, string>} */
  const channel = { kind };
  for (const input of fieldsIn(card, '[data-field]')) {
    const group = /** @type {HTMLElement | null} */ (input.closest('[data-for]'));
    if (!group?.hidden && input.value.trim() !== '') channel[input.dataset.field ?? ''] = input.value.trim();
  }
  const { secret } = await call('POST', '/v1/notifications/channels', { name: kind, ...channel });
  if (secret === null) return location.reload();
  find(card, '.secret').hidden = false;
  find(card, '.secret code').textContent = secret;
  say(card, 'Added. Copy the secret now: it is not shown again.');
}

// ---- preferences ----

/** @type {(text: string) => number} */
const minuteOf = (text) => {
  const [hours, minutes] = text.split(':').map(Number);
  return hours * 60 + minutes;
};

/** @type {(card: HTMLElement) => Promise<void>} */
async function save(card) {
  const isQuiet = find(card, '.quiet').checked;
  const [from, to] = ['.quiet-from', '.quiet-to'].map((name) => minuteOf(find(card, name).value));
  const next = find(card, '.escalation-to').value;
  await call('POST', '/v1/notifications/preferences', {
    minimumRisk: find(card, '.minimum-risk').value,
    shows: find(card, 'input[name="shows"]:checked').value,
    quiet: isQuiet ? { from, to: to === 0 ? 1440 : to, timeZone: find(card, '.quiet-zone').value } : null,
    onlyWhenEscalated: find(card, '.only-escalated').checked,
    escalation: next === '' ? null : { to: next, afterMinutes: Number(find(card, '.escalation-after').value) },
    decided: find(card, '.decided').checked,
    expired: find(card, '.expired').checked,
  });
  say(card, 'Saved.');
}

/** @type {Record<string, (card: HTMLElement) => Promise<void>>} */
const ACTIONS = { subscribe, test, remove, add, save };

document.addEventListener('click', (event) => {
  const pressed = /** @type {HTMLElement} */ (event.target);
  const button = /** @type {HTMLElement | null} */ (pressed.closest('button[data-notification]'));
  const card = /** @type {HTMLElement | null | undefined} */ (button?.closest('.card'));
  if (!button || !card || card.classList.contains('is-busy')) return;
  card.classList.add('is-busy');
  say(card, '');
  ACTIONS[button.dataset.notification ?? '']?.(card)
    .catch((error) => {
      const isWhole = error instanceof Refused || error instanceof NotKnown;
      say(card, isWhole ? error.message : `Not done: ${error.message}.`); // other errors come from the browser, before anything is sent
    })
    .finally(() => card.classList.remove('is-busy'));
});

document.addEventListener('change', (event) => {
  const card = /** @type {HTMLElement} */ (event.target).closest('.add-channel');
  if (card !== null) showKind(card);
});

const zone = /** @type {HTMLInputElement | null} */ (document.querySelector('.quiet-zone'));
if (zone !== null && zone.value === '') zone.value = Intl.DateTimeFormat().resolvedOptions().timeZone;
