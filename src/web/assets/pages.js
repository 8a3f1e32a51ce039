// The script of the pages: shows changes live, sends decisions to the API, keeps times up to date. The server renders all cards and rows.
import { at, callApi, isOwn, meta, NOT_KNOWN, NotKnown, notDoneText, send } from './own-answer.js';

const main = /** @type {HTMLElement | null} */ (document.querySelector('main[data-place]'));
const place = main?.dataset.place;
/** The clock of this browser minus the clock of the server, in ms. */
const clockSkewMs = meta('server-time') === undefined ? 0 : Date.now() - Number(meta('server-time'));
const now = () => Date.now() - clockSkewMs;

/** Returns the target of an event. The document can be a target too: it has no `matches` and no `closest`.
 * @type {(event: Event) => HTMLElement} */
const targetOf = ({ target }) => /** @type {HTMLElement} */ (target);

/** Returns a field inside `within`. The type hides null: if the server does not always render the field, the caller checks for null.
 * @type {(within: ParentNode | null, selector: string) => HTMLInputElement} */
const field = (within, selector) => /** @type {HTMLInputElement} */ (within?.querySelector(selector));

/** @type {(within: ParentNode, selector: string) => NodeListOf<HTMLInputElement>} */
const fieldsIn = (within, selector) => within.querySelectorAll(selector);

/** Returns the card around an element. @type {(within: Element) => HTMLElement} */
const cardOf = (within) => /** @type {HTMLElement} */ (within.closest('.card'));

// ---- markup ----

/**
 * The Trusted Types policy of these pages. Only `markupOf` makes markup with the policy, from responses of this server. The server escapes
 * untrusted text.
 * @type {any}
 */
const policy = /** @type {any} */ (globalThis).trustedTypes?.createPolicy('ape-shell', {
  createHTML: (/** @type {string} */ text) => text,
  createScriptURL: (/** @type {string} */ address) => {
    if (address !== at('/service-worker.js')) throw new TypeError('no script of ours');
    return address;
  },
}) ?? {
  createHTML: (/** @type {string} */ text) => text,
  createScriptURL: (/** @type {string} */ address) => address,
};

/** @param {Response} answer */
async function markupOf(answer) {
  const isOurs = new URL(answer.url).origin === location.origin;
  if (!isOurs || !isOwn(answer) || answer.headers.get('content-type')?.startsWith('text/html') !== true)
    throw new TypeError('no page of this server');
  return policy.createHTML(await answer.text());
}

// ---- times ----

/** @type {[string, number][]} */
const units = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
];

/** @type {(ms: number) => string} */
function spanText(ms) {
  const first = units.findIndex(([, size]) => ms >= size);
  if (first === -1) return '0 s';
  const parts = units.slice(first, first + 2).map(([name, size], index) => {
    const count = index === 0 ? Math.floor(ms / size) : Math.floor((ms % units[first][1]) / size);
    return count === 0 && index > 0 ? '' : `${count} ${name}`;
  });
  return parts.join(' ').trim();
}

/** @type {(element: HTMLElement) => string} */
function timeText(element) {
  const { sinceMs, untilMs, atMs } = element.dataset;
  const full = new Date(Number(sinceMs ?? untilMs ?? atMs)).toLocaleString([], {
    dateStyle: 'medium',
    timeStyle: 'short',
  });
  element.title = full;
  if (atMs !== undefined) return full;
  if (untilMs !== undefined) return Number(untilMs) <= now() ? 'now' : `in ${spanText(Number(untilMs) - now())}`;
  const age = now() - Number(sinceMs);
  return age < 5_000 ? 'just now' : `${spanText(age).split(' ').slice(0, 2).join(' ')} ago`;
}

/** @param {ParentNode} within */
function showTimes(within = document) {
  for (const element of within.querySelectorAll('time')) {
    const text = timeText(element);
    if (element.textContent !== text) element.textContent = text;
  }
}

// ---- the number of waiting requests ----

/** @type {(count: number) => void} */
function showPending(count) {
  const badge = /** @type {HTMLElement | null} */ (document.querySelector('.count'));
  if (badge === null) return;
  badge.dataset.count = String(count);
  badge.textContent = count === 0 ? '' : String(count);
  const title = document.title.replace(/^\(\d+\) /, '');
  document.title = count === 0 ? title : `(${count}) ${title}`;
  showBadge(count);
}

/** Shows the number on the icon of the installed app. @type {(count: number) => void} */
function showBadge(count) {
  const app = /** @type {any} */ (navigator);
  (count === 0 ? app.clearAppBadge?.() : app.setAppBadge?.(count))?.catch(() => {});
}

// ---- cards ----

/** When cards last moved on the page. For `GUARD_MS` after a move, taps are ignored: another button may be under the finger. */
let lastMoveMs = Number.NEGATIVE_INFINITY;
const GUARD_MS = 450;

/** @type {(markup: string) => HTMLElement | null} */
function toElement(markup) {
  const template = document.createElement('template');
  template.innerHTML = markup;
  showTimes(template.content);
  return /** @type {HTMLElement | null} */ (template.content.firstElementChild);
}

/**
 * Whether the server cannot answer now, but may answer the same call later. An answer by a proxy counts as no answer.
 * @type {(answer: Response) => boolean}
 */
const isNoAnswer = (answer) => !isOwn(answer) || answer.status >= 500 || answer.status === 429;

/** @type {(answer: Response | null) => boolean} */
const isSignedOut = (answer) => answer?.status === 401 && isOwn(answer);

/**
 * Returns null if the server refuses this part. Throws in three cases: no answer, a temporary fault, an answer that is no page.
 * @type {(kind: string, id: string) => Promise<HTMLElement | null>}
 */
async function fetchPart(kind, id) {
  const whole = place === 'grant' && kind === 'card' ? '?whole=' : '';
  const answer = await fetch(at(`/parts/${kind}/${encodeURIComponent(id)}${whole}`), {
    headers: { accept: 'text/html' },
  });
  if (isNoAnswer(answer)) throw new TypeError('no answer');
  if (answer.status === 401) showSignedOut();
  const count = answer.headers.get('x-ape-pending');
  if (count !== null) showPending(Number(count));
  return answer.ok ? toElement(await markupOf(answer)) : null;
}

/** @type {(id: string) => HTMLElement | null} */
const shown = (id) =>
  main?.querySelector(`[data-grant-id="${CSS.escape(id)}"], [data-enrolment-id="${CSS.escape(id)}"]`) ?? null;

/**
 * Returns the selector of the list for a new card. The inbox has two lists: enrolments of hosts above, requests below.
 * @type {(fresh: HTMLElement) => string}
 */
const placeOf = (fresh) =>
  place === 'inbox' && fresh.dataset.enrolmentId !== undefined ? '[data-enrolments]' : '[data-cards]';

/** When a card was put on the page. @type {WeakMap<Element, number>} */
const putAtMs = new WeakMap();

/** The kind of part (`/parts/KIND/ID`) that shows a grant on this page. */
const grantPart = place === 'history' ? 'row' : place === 'inbox' ? 'brief' : 'card';

/**
 * Replaces the card `old` with `fresh`. If `old` is null, adds `fresh` to its list. While a prompt for a passkey is open, only sets
 * `hasMissedChange`.
 * @param {HTMLElement} fresh
 * @param {HTMLElement | null} old
 */
function put(fresh, old) {
  if (isPrompting) {
    hasMissedChange = true;
    return;
  }
  const hadFocus = old?.contains(document.activeElement) ?? false;
  lastMoveMs = performance.now();
  putAtMs.set(fresh, lastMoveMs);
  const group = /** @type {HTMLElement | null | undefined} */ (old?.closest('.group'));
  if (old === null) {
    fresh.classList.add('is-new');
    if (place === 'history') main?.querySelector('[data-rows]')?.prepend(fresh);
    else main?.querySelector(placeOf(fresh))?.append(fresh);
  } else {
    old.replaceWith(fresh);
    if (hadFocus) fresh.focus({ preventScroll: true });
  }
  if (group) countGroup(group);
}

/** Shows on the buttons of a group how many requests are pending. The buttons decide only these requests.
 * @type {(group: HTMLElement) => void} */
function countGroup(group) {
  const count = [...cardsIn(group, '[data-state="pending"]')].length;
  const which = count === 1 ? 'the one that is left' : `all ${count}`;
  const isOnlyDenied = group.querySelector('.not-yours') !== null;
  for (const button of cardsIn(group, '[data-all="approve"]')) button.hidden = isOnlyDenied;
  for (const button of cardsIn(group, '[data-all]'))
    button.textContent = button.dataset.all === 'deny' ? `Deny ${which}` : `Approve ${which} once`;
  for (const pair of cardsIn(group, '.pair')) pair.hidden = count === 0;
}

/** Whether a prompt for a passkey is open. Meanwhile `put` and `putRequesters` change nothing, because a change would close the prompt. */
let isPrompting = false;
/** Whether a change came while the prompt was open. */
let hasMissedChange = false;

/** @param {object} request the request for a signature, as the server sent it */
async function signWithPasskey(request) {
  const { signRequest } = await import(at(meta('passkeys-script') ?? ''));
  isPrompting = true;
  try {
    return await signRequest(request);
  } finally {
    isPrompting = false;
    if (hasMissedChange) void catchUp();
    hasMissedChange = false;
  }
}

// ---- the key of a break-glass code ----

/**
 * The note for a viewer who signed in with a break-glass code that can seal. Null for all other viewers. A code can seal if its signing key
 * is on the list of approvers.
 */
const noSealNote = /** @type {HTMLElement | null} */ (document.querySelector('[data-break-glass-seals]'));

/** The name under which `break-glass.js` keeps the key in this tab. */
const CODE_KEY = 'ape-break-glass';

function forgetCodeKey() {
  try {
    sessionStorage.removeItem(CODE_KEY);
  } catch {
    // This browser gives the page no storage, so no key is stored.
  }
}

/** Returns the key of the code; null: this tab has no key, or the time of the key is over. If the browser cannot sign with the key, `seed`
 * is null.
 * @returns {{ seed: number[] | null, untilMs: number } | null} */
function codeKey() {
  try {
    const kept = JSON.parse(sessionStorage.getItem(CODE_KEY) ?? 'null');
    if (kept?.untilMs > Date.now()) return kept;
  } catch {
    // This browser gives the page no storage, so no key is stored.
  }
  forgetCodeKey();
  return null;
}

const NO_CODE_KEY =
  'This tab has no key of the code, so what you approve here is not sealed: decide in the tab in which the code was typed, or type the code here again.';
const NO_ED25519 =
  'This browser cannot sign with the key of the code (no Ed25519), so what you approve here is not sealed.';
const NO_ANSWER_OF_KEY = 'The key could not be made here. Nothing was sent; try again.';
const UNSEALABLE = 'Nothing was sent: this host runs only what is sealed.';

/** Shows whether approvals with the code are sealed in this tab, and removes the key when its time is over. */
function showSealingByCode() {
  const kept = codeKey();
  if (noSealNote !== null) {
    /** @type {HTMLElement} */ (noSealNote.querySelector('.why')).textContent =
      kept === null ? NO_CODE_KEY : NO_ED25519;
    field(noSealNote, '.code-again').hidden = kept !== null || now() >= Number(noSealNote.dataset.endsMs);
    noSealNote.hidden = typeof kept?.seed === 'object' && kept.seed !== null;
    const seals = /** @type {HTMLElement | null} */ (document.querySelector('.seals'));
    if (seals !== null) seals.hidden = !noSealNote.hidden; // exactly one of the two notes is shown: they contradict each other
  }
  if (kept !== null) setTimeout(showSealingByCode, kept.untilMs - Date.now() + 1);
}

/** Keeps the key of a code that a person types again, for example in a new tab. @param {HTMLElement} form */
async function useCodeAgain(form) {
  const { breakGlassSeals = '', endsMs } = noSealNote?.dataset ?? {};
  const typed = field(form, '.recovery-code');
  const { value } = typed; // read at once: the person can type on while the script is loaded
  field(form, '.message').textContent = '';
  const { keepAgain } = await import(at(meta('passkeys-script') ?? ''));
  const fault = await keepAgain(value, breakGlassSeals, Number(endsMs) + clockSkewMs);
  field(form, '.message').textContent = fault ?? '';
  if (fault !== null) return;
  typed.value = '';
  showSealingByCode();
}
document.addEventListener('submit', (event) => {
  const form = targetOf(event);
  if (!form.matches('.code-again')) return;
  event.preventDefault();
  void useCodeAgain(form).catch(() => {
    field(form, '.message').textContent = NO_ANSWER_OF_KEY;
  });
});

/**
 * Seals the document with the key of the code. Returns null if no key of the code is on the list of approvers. If this tab cannot sign with
 * the key, throws for a host that takes only sealed approvals (`needed`), and returns null for any other host.
 * @type {(content: { document: object, keys?: { kind: string, keyId: string }[], needed?: true }) => Promise<object | null>} */
async function sealByCode({ document, keys = [], needed }) {
  const keyId = keys.find(({ kind }) => kind === 'ed25519')?.keyId;
  const seed = codeKey()?.seed ?? null;
  if (keyId !== undefined && seed !== null) {
    const { sealWithCode } = await import(at(meta('passkeys-script') ?? ''));
    return { document, seal: await sealWithCode(seed, document, keyId) };
  }
  if (keyId === undefined || needed !== true) return null;
  throw Object.assign(new Error(`${noSealNote?.querySelector('.why')?.textContent ?? NO_CODE_KEY} ${UNSEALABLE}`), {
    isPasskeyTrouble: true,
  });
}

/** @typedef {{ isOld: boolean, message: string | undefined, done: Promise<void> }} Refreshing */

/** The cards that are being fetched, by id. @type {Map<string, Refreshing>} */
const fetching = new Map();

/**
 * Fetches a card. If the card is being fetched already, fetches it once more afterwards. Resolves after the last fetch, even if the server
 * did not answer: `catchUp` then runs soon.
 * @param {string} kind
 * @param {string} id
 * @param {string} [message] the text to show in the card afterwards
 * @returns {Promise<void>}
 */
function refresh(kind, id, message) {
  const begun = fetching.get(id);
  if (begun !== undefined) {
    begun.isOld = true;
    begun.message = message ?? begun.message;
    return begun.done;
  }
  /** @type {Refreshing} */
  const refreshing = { isOld: false, message, done: Promise.resolve() };
  fetching.set(id, refreshing);
  refreshing.done = fetchCard(kind, id, refreshing).finally(() => fetching.delete(id));
  return refreshing.done;
}

/** @type {(kind: string, id: string, refreshing: Refreshing) => Promise<void>} */
async function fetchCard(kind, id, refreshing) {
  const wasShown = shown(id) !== null;
  do {
    refreshing.isOld = false;
    try {
      const fresh = await fetchPart(kind, id);
      const old = shown(id);
      if (wasShown && old === null) return; // another card has replaced it meanwhile
      if (fresh !== null && !isSame(fresh, old)) put(fresh, old);
    } catch {
      catchUpSoon();
    }
    shown(id)?.classList.remove('is-busy');
    if (refreshing.message !== undefined) say(shown(id), refreshing.message);
  } while (refreshing.isOld);
}

/** @type {(fresh: HTMLElement, old: HTMLElement | null) => boolean} */
const isSame = (fresh, old) =>
  fresh.dataset.round === old?.dataset.round &&
  fresh.dataset.version === old?.dataset.version &&
  fresh.dataset.code === old?.dataset.code &&
  fresh.dataset.state === old?.dataset.state;

/** @type {(card: Element | null, text: string) => void} */
function say(card, text) {
  const message = card?.querySelector('.message');
  if (message) message.textContent = text;
}

// ---- live ----

/**
 * The members of a request and of an enrolment that this script reads from events.
 * @typedef {{ id: string, state: string, version: number, term?: { kind: string } | null }} Grant
 * @typedef {{ id: string, state: string, code: string | null }} Enrolment
 */

/** @type {(grant: Grant) => boolean} */
function belongsHere(grant) {
  if (place === 'inbox') return grant.state === 'pending';
  if (place === 'standing') return grant.state === 'approved' && grant.term?.kind !== 'once' && location.search === '';
  return place === 'history' && location.search === ''; // only on the first page, and not in a search
}

/** @type {(grant: Grant) => void} */
function onGrant(grant) {
  const card = shown(grant.id);
  if (card !== null && card.dataset.version === String(grant.version) && card.dataset.state === grant.state) return;
  if (card !== null || belongsHere(grant)) void refresh(grantPart, grant.id);
  else void countAgain(grant.id);
}

/** @type {(enrolment: Enrolment) => void} */
function onEnrolment(enrolment) {
  const card = shown(enrolment.id);
  if (card?.dataset.state === enrolment.state && card.dataset.code === (enrolment.code ?? '')) return;
  if (card !== null || (place === 'inbox' && enrolment.state === 'pending')) void refresh('enrolment', enrolment.id);
  else void countAgain(enrolment.id);
}

let countTimer = 0;
/** @type {(id: string) => void} */
function countAgain(id) {
  clearTimeout(countTimer);
  countTimer = setTimeout(() => void fetchPart('row', id).catch(catchUpSoon), 200);
}

/** @type {(isGood: boolean) => void} */
function showConnection(isGood) {
  const line = /** @type {HTMLElement | null} */ (document.querySelector('.connection'));
  if (line !== null) line.hidden = isGood;
}

/** Shows a link to sign in again. Does not reload the page: a reload would close a prompt of the browser, or lose typed text. */
function showSignedOut() {
  forgetCodeKey();
  const line = /** @type {HTMLElement | null} */ (document.querySelector('.signed-out'));
  if (line === null) return;
  line.hidden = false;
  const link = /** @type {HTMLAnchorElement} */ (line.querySelector('a'));
  link.href = location.href;
}

let wasLost = false;
function listen() {
  // Starts after the last event that the page includes, so that no later change is missed.
  const source = new EventSource(at(`/v1/events?after=${meta('last-event')}`));
  source.addEventListener('grant', (event) => onGrant(JSON.parse(event.data)));
  source.addEventListener('enrolment', (event) => onEnrolment(JSON.parse(event.data)));
  source.addEventListener('requester', () => {
    if (place === 'grant' || main?.querySelector('[data-requesters]') !== null) void catchUp();
  });
  source.addEventListener('cut', () => void catchUp()); // the server cannot send all events that this page missed
  source.addEventListener('open', () => {
    showConnection(true);
    if (wasLost) void catchUp();
    wasLost = false;
  });
  source.addEventListener('error', () => {
    wasLost = true;
    showConnection(false);
    if (source.readyState !== EventSource.CLOSED) return;
    void catchUp(); // the session may have ended
    setTimeout(listen, 2_000);
  });
}

/** @type {(within: ParentNode, selector: string) => Iterable<HTMLElement>} */
const cardsIn = (within, selector) => within.querySelectorAll(selector);
/** @type {(card: HTMLElement) => string} */
const idOf = (card) => card.dataset.grantId ?? card.dataset.enrolmentId ?? '';

/** Replaces the cards of requesters if `fresh` has other requesters or other states. @param {Document} fresh */
function putRequesters(fresh) {
  const [old, next] = [document, fresh].map((page) => page.querySelector('[data-requesters]'));
  const states = (/** @type {Element} */ list) =>
    Array.from(cardsIn(list, '.requester'), ({ dataset, className }) => `${dataset.requesterId} ${className}`).join();
  if (!old || !next || states(old) === states(next)) return;
  if (isPrompting) {
    hasMissedChange = true;
    return;
  }
  showTimes(next);
  old.replaceWith(next);
  lastMoveMs = performance.now();
}

let catchUpTimer = 0;
const CATCH_UP_AGAIN_MS = 2_000;
/** Calls `catchUp` after `CATCH_UP_AGAIN_MS`. After a missing answer this call is needed: no later event brings the same data. */
function catchUpSoon() {
  showConnection(false);
  clearTimeout(catchUpTimer);
  catchUpTimer = setTimeout(() => void catchUp(), CATCH_UP_AGAIN_MS);
}

/**
 * Fetches the whole page again, because the missed changes are not known. A card that was fetched meanwhile may be newer or older than the
 * card in this answer, so `refresh` fetches such a card once more.
 */
async function catchUp() {
  clearTimeout(catchUpTimer);
  const startedMs = performance.now();
  const { href } = location;
  const answer = await fetch(href).catch(() => null);
  if (isSignedOut(answer)) return showSignedOut();
  if (answer?.ok === false && !isNoAnswer(answer)) return;
  const markup = answer?.ok === true ? await markupOf(answer).catch(() => null) : null;
  if (markup === null) return catchUpSoon();
  const fresh = new DOMParser().parseFromString(markup, 'text/html');
  if (location.href !== href) return catchUp(); // meanwhile the page shows the next request
  if (!wasLost) showConnection(true);
  putRequesters(fresh);
  showPending(Number(fresh.querySelector('.count')?.getAttribute('data-count') ?? 0));
  const parts = [...cardsIn(fresh, '[data-grant-id], [data-enrolment-id]')];
  // The history begins with the newest row, and `put` puts each new row first.
  for (const part of place === 'history' ? parts.reverse() : parts) {
    const id = idOf(part);
    const old = shown(id);
    if (old !== null && (fetching.has(id) || (putAtMs.get(old) ?? 0) >= startedMs)) void refresh(kindOf(old), id);
    else if (!isSame(part, old)) {
      showTimes(part);
      put(part, old);
    }
  }
  for (const old of main === null ? [] : cardsIn(main, '[data-state="pending"]')) {
    const id = idOf(old);
    if (fresh.querySelector(`[data-grant-id="${CSS.escape(id)}"], [data-enrolment-id="${CSS.escape(id)}"]`) === null)
      void refresh(kindOf(old), id);
  }
}

/** Returns the kind of part that shows this card. @type {(card: HTMLElement) => string} */
const kindOf = (card) => (card.dataset.grantId === undefined ? 'enrolment' : grantPart);

// ---- decisions ----

/** Returns the element that has the term of the approval. If the tapped button has the term `chosen`, this is the checked radio button.
 * Otherwise it is the tapped button.
 * @type {(button: HTMLElement, card: HTMLElement) => HTMLElement} */
const chosenTerm = (button, card) => (button.dataset.term === 'chosen' ? field(card, 'input.term:checked') : button);

/** Returns null if no date is chosen. @param {HTMLElement} button @param {HTMLElement} card */
function termOf(button, card) {
  const chosen = chosenTerm(button, card);
  const kind = chosen.dataset.term ?? ('value' in chosen ? chosen.value : undefined);
  switch (kind) {
    case 'timed':
      return { kind: 'timed', forMs: Number(chosen.dataset.forMs) };
    case 'until': {
      const untilMs = new Date(field(card, '.until-date').value).getTime();
      return Number.isNaN(untilMs) ? null : { kind: 'timed', untilMs };
    }
    case 'plan': {
      const [how, ms, lastMs] = (field(card, 'input.plan-end:checked')?.value ?? '').split(' ');
      if (how === 'within') return { kind: 'timed', untilMs: Math.min(Math.round(now()) + Number(ms), Number(lastMs)) };
      return { kind: 'timed', [how === 'until' ? 'untilMs' : 'forMs']: Number(ms) };
    }
    default:
      return { kind };
  }
}

/**
 * Returns the scope of a plan: each kept part with its scope and its number of uses. Returns null if the card has no plan.
 * @param {HTMLElement} card
 */
function planScopeOf(card) {
  const plan = /** @type {HTMLElement | null} */ (card.querySelector('.plan'));
  if (plan === null) return null;
  const kept = /** @type {HTMLElement[]} */ ([...plan.querySelectorAll('.plan-part')]).filter(
    (part) => field(part, '.keep-part')?.checked === true,
  );
  return {
    kind: 'plan',
    order: plan.dataset.order === 'yes',
    parts: kept.map((part) => ({
      part: Number(part.dataset.part),
      fingerprint: part.dataset.fingerprint,
      scope: JSON.parse(field(part, '.part-scope:checked').dataset.scope ?? 'null'),
      uses: Number(field(part, '.part-uses').value),
    })),
  };
}

/** Returns the chosen scope; undefined: the approval is for exactly this request. @param {HTMLElement} card */
function scopeOf(card) {
  const chosen = field(card, '.scope input[type="radio"]:checked');
  if (chosen === null || chosen.value === '' || chosen.value === 'exact') return undefined;
  if (chosen.dataset.scope !== undefined) return editedScope(chosen);
  const typed = field(card, '.scope-path').value.replace(/(.)\/+$/, '$1');
  const operations = (field(card, '.scope').dataset.operations ?? '').split(' ');
  return { operations, pathPrefix: chosen.value === 'other' ? typed : chosen.value };
}

/** Returns the offered scope with the changes that the person made in its fields. @param {HTMLElement} radio */
function editedScope(radio) {
  const scope = JSON.parse(radio.dataset.scope ?? '');
  const edit = radio.closest('.proposal')?.querySelector('.scope-edit') ?? null;
  if (edit === null) return scope;
  const moves = new Map();
  for (const changed of fieldsIn(edit, '[data-directory]'))
    if (changed.value !== changed.defaultValue)
      moves.set(changed.dataset.directory ?? '', changed.value.trim().replace(/(.)\/+$/, '$1'));
  moveDirectories(scope, moves);
  const mode = /** @type {HTMLSelectElement} */ (edit.querySelector('.options-mode'));
  const listed = field(edit, '.options-listed');
  const isOther = !mode.selectedOptions[0]?.defaultSelected;
  if (isOther || (mode.value === 'listed' && listed.value !== listed.defaultValue)) {
    const names = listed.value.split(/\s+/).filter((name) => name !== '');
    for (const pattern of scope.patterns) pattern.options = mode.value === 'any' ? 'any' : names;
  }
  const uses = field(edit, '.uses').value;
  if (uses !== '') scope.mostUses = Number(uses);
  if (field(edit, '.hours').checked) scope.conditions.hours = hoursOf(edit);
  return scope;
}

/**
 * Replaces each directory only once, because the new name of one directory can be the old name of another.
 * @typedef {{ patterns: { resources: { values: { match: string, value: string } }[] }[], conditions: { cwdBelow?: string } }} Scope
 * @type {(scope: Scope, moves: ReadonlyMap<string, string>) => void}
 */
function moveDirectories(scope, moves) {
  for (const { resources } of scope.patterns)
    for (const { values } of resources)
      if (values.match === 'below') values.value = moves.get(values.value) ?? values.value;
  const { cwdBelow } = scope.conditions;
  if (cwdBelow !== undefined) scope.conditions.cwdBelow = moves.get(cwdBelow) ?? cwdBelow;
}

/** The end of the day, in minutes. A time field shows the end of the day as 00:00. */
const END_OF_DAY = 24 * 60;

/** @param {Element} edit */
function hoursOf(edit) {
  const minutes = (/** @type {string} */ name) => {
    const [hours, rest] = field(edit, name).value.split(':').map(Number);
    return hours * 60 + rest;
  };
  const days = field(edit, '.weekdays').checked ? [1, 2, 3, 4, 5] : [0, 1, 2, 3, 4, 5, 6];
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  const to = minutes('.hours-to'); // NaN for an empty field: the server refuses it
  return { from: minutes('.hours-from'), to: to === 0 ? END_OF_DAY : to, days, timeZone };
}

/** Disables the term `once` while a scope is chosen, and shows a hint. A scope makes no sense for one use. @param {HTMLElement} card */
function showScope(card) {
  const isWide = scopeOf(card) !== undefined;
  field(card, '.scope .hint').hidden = !isWide;
  const once = field(card, '[data-verb="approve"][data-term="once"]');
  if (once !== null) once.disabled = isWide;
  const picked = field(card, 'input.term[value="once"]');
  if (picked === null) return;
  picked.disabled = isWide;
  if (isWide && picked.checked) field(card, 'input.term[data-for-ms]').checked = true;
  showTerm(card);
}

/** Shows the chosen term beside the numbers to match: a tap on a number approves for this term. @param {HTMLElement} card */
function showTerm(card) {
  const chosen = field(card, 'input.term:checked');
  const label = card.querySelector('.match-term');
  if (chosen === null || label === null) return;
  label.textContent = chosen.value === 'timed' ? `for ${chosen.dataset.label}` : (chosen.dataset.label ?? '');
}

document.addEventListener('input', (event) => {
  if (targetOf(event).matches?.('input.term')) showTerm(cardOf(targetOf(event)));
  if (targetOf(event).matches?.('.until-field .until-date')) {
    const until = field(targetOf(event).closest('.card'), 'input.term[value="until"]');
    until.checked = true;
    showTerm(cardOf(until));
  }
});

document.addEventListener('input', (event) => {
  const scope = targetOf(event).closest?.('.scope');
  if (!scope) return;
  if (targetOf(event).matches('.scope-path')) field(scope, 'input[value="other"]').checked = true;
  const edit = targetOf(event).closest('.scope-edit');
  if (edit !== null) {
    field(edit.closest('.proposal'), 'input[type="radio"]').checked = true;
    field(edit, '.hours-between').hidden = !field(edit, '.hours').checked;
    if (targetOf(event).matches('.options-listed')) field(edit, '.options-mode').value = 'listed';
    previewSoon(edit);
  }
  showScope(cardOf(scope));
});

// ---- the preview of an edited scope ----

let previewTimer = 0;
let lastPreview = 0;
/** @param {Element} edit */
function previewSoon(edit) {
  clearTimeout(previewTimer);
  previewTimer = setTimeout(() => void showPreview(edit), 250);
}

/** @param {Element} edit */
async function showPreview(edit) {
  const number = ++lastPreview;
  const card = cardOf(edit);
  const scope = editedScope(field(edit.closest('.proposal'), 'input[type="radio"]'));
  const answer = await send('POST', `/parts/preview/${card.dataset.grantId}`, { scope }).catch(() => null);
  const markup = answer?.ok ? await markupOf(answer).catch(() => null) : null;
  const refused = answer?.status === 400 ? await answer.json().catch(() => null) : null;
  const why = refused?.error?.message ?? null;
  if (number !== lastPreview) return;
  const shown = field(edit, '.preview');
  if (isSignedOut(answer)) return showSignedOut();
  if (markup !== null) shown.innerHTML = markup;
  else shown.textContent = why === null ? 'What this would cover is not known now.' : `Not possible: ${why}.`;
}

/** @param {HTMLElement} button @param {HTMLElement} card */
function bodyOf(button, card) {
  const version = Number(card.dataset.version);
  if (button.dataset.verb === 'approve') {
    const term = termOf(button, card);
    const scope = planScopeOf(card) ?? scopeOf(card);
    const confined = scope === undefined && field(card, 'input.confined')?.checked === true;
    return term === null
      ? null
      : {
          version,
          term,
          ...(scope === undefined ? {} : { scope }),
          ...(confined ? { confined } : {}),
          ...(button.dataset.match === undefined ? {} : { match: button.dataset.match }),
        };
  }
  const reason = field(card, '.deny-reason')?.value.trim() ?? '';
  return button.dataset.verb === 'deny' && reason !== '' ? { version, reason } : { version };
}

/** The body of an approval contains the code that this card shows. @type {(button: HTMLElement, card: HTMLElement) => object | undefined} */
const enrolmentBodyOf = (button, card) => (button.dataset.verb === 'approve' ? { code: card.dataset.code } : undefined);

/** @type {Record<string, string>} */
const MESSAGES = {
  'grant.stale': 'This request changed since you saw it. Look again, then decide.',
  'match.needed': 'Pick the number that the requester shows.',
  'term.over': 'That moment has passed. Choose a later one.',
  'csrf.failed': 'This page is out of date. Reload it.',
};

/** Whether the viewer has nothing left to approve on this card. True also for null. @type {(card: HTMLElement | null) => boolean} */
const isNotYours = (card) => card?.dataset.state !== 'pending' || card.querySelector('.not-yours') !== null;

/** @param {HTMLElement} button @param {HTMLElement} card */
async function decide(button, card) {
  const isEnrolment = card.dataset.grantId === undefined;
  const id = idOf(card);
  const body = isEnrolment ? enrolmentBodyOf(button, card) : bodyOf(button, card);
  if (body === null) return say(card, 'Choose a date and a time first.');
  if (button.dataset.verb === 'approve' && planScopeOf(card)?.parts.length === 0)
    return say(card, 'Every part is struck out. Keep one, or deny the plan.');
  if (card.classList.contains('is-busy')) return;
  // Sets a class and not `disabled`, because `disabled` would take the focus away from a person who uses the keyboard.
  card.classList.add('is-busy');
  say(card, '');
  const kind = isEnrolment ? 'enrolment' : 'card';
  const wasPending = card.dataset.state === 'pending';
  try {
    const announce = () => say(card, 'Confirm with your passkey …');
    const answer = await sendDecision(
      isEnrolment ? 'enrolments' : 'grants',
      id,
      button.dataset.verb ?? '',
      body,
      announce,
    );
    if (answer.ok) {
      if ('pauses' in button.dataset && (await changeRequester(card.dataset, 'pause')) !== null)
        return await refresh(kind, id, 'Denied. Whether the requester is paused is not known: look under Requesters.');
      await refresh(kind, id);
      // If several people have to approve, the request can stay pending. The page goes on to the next request only if this person has nothing
      // more to approve here.
      const isOver = wasPending && isNotYours(shown(id));
      return isOver && !isEnrolment && place === 'grant' ? await showNext(id) : undefined;
    }
    if (answer.status === 401) return signedOutBy(card);
    const { error } = answer.content;
    // The next attempt asks for a document again, because a passkey may be admitted by then.
    if (error.code === 'seal.needed') isSealing = true;
    if (answer.status === 409) return await refresh(kind, id, MESSAGES[error.code] ?? notDoneText(answer));
    say(card, MESSAGES[error.code] ?? notDoneText(answer));
  } catch (trouble) {
    sayTrouble(card, trouble);
  }
  card.classList.remove('is-busy');
}

/** The person can sign in again in another tab, and then use the buttons of the card. @type {(card: Element) => void} */
function signedOutBy(card) {
  card.classList.remove('is-busy');
  showSignedOut();
}

/** @type {(card: Element, trouble: unknown) => void} */
function sayTrouble(card, trouble) {
  say(card, troubleText(trouble));
  if (trouble instanceof NotKnown) showConnection(false);
}

/** Returns the sentence about a change that ended with an error. @type {(trouble: unknown) => string} */
const troubleText = (trouble) =>
  trouble instanceof Error && 'isPasskeyTrouble' in trouble ? trouble.message : NOT_KNOWN;

/** @typedef {object & { match?: string | undefined }} Decision the body of the call for a decision */

/**
 * Sends one decision.
 * @param {string} kind
 * @param {string} id
 * @param {string} verb
 * @param {Decision | undefined} given
 * @param {() => void} announce called before a prompt for a passkey opens
 */
async function sendDecision(kind, id, verb, given, announce) {
  const isSealable = kind === 'grants' && verb === 'approve' && given !== undefined;
  const body = isSealable ? await withSeal(`/v1/grants/${id}/approval-document`, given, announce) : given;
  return body instanceof Refused ? body.answer : sendConfirmed(`/v1/${kind}/${id}/${verb}`, body, announce);
}

/** @typedef {import('./own-answer.js').OwnAnswer} OwnAnswer */

/** Sends `body`. If the answer demands a signature, signs with a passkey, and sends `body` again with the signature.
 * @type {(path: string, body: object | undefined, announce: () => void) => Promise<OwnAnswer>} */
async function sendConfirmed(path, body, announce) {
  const answer = await callApi('POST', path, body);
  const { passkey } = answer.content?.error ?? {};
  if (answer.status !== 403 || passkey === undefined) return answer;
  announce();
  return callApi('POST', path, { ...body, assertion: await signWithPasskey(passkey) });
}

/** Whether to ask the server for a document to seal: false after the answer `seal.unfit`, true again after the answer `seal.needed`. */
let isSealing = true;

/**
 * Asks the server for the documents to seal. The answer `seal.unfit` (422) means: this person cannot sign. The approval is then sent
 * without a seal. Throws if no usable answer comes, so that nothing is sent. Each page asks at least once, because a passkey may have been
 * admitted after the page was made. So the console of the browser shows the answer `seal.unfit` once for each page.
 * @param {string} path
 * @param {object} body
 */
async function askToSeal(path, body) {
  const answer = await callApi('POST', path, body).catch(() => null);
  if (answer?.status === 401) showSignedOut();
  const content = answer?.content;
  if (!answer || !(content?.error?.code ?? (answer.ok && (content?.document ?? content?.documents))))
    throw Object.assign(new Error(NO_DOCUMENT), { isPasskeyTrouble: true });
  if (content.error?.code === 'seal.unfit') isSealing = false;
  return { answer, content };
}

const NO_DOCUMENT = 'The server gave nothing that your passkey could sign. Nothing was done; try again.';

/** The server refused to give a document to seal, so nothing is sent. */
class Refused {
  /** @param {OwnAnswer} answer */
  constructor(answer) {
    this.answer = answer;
  }
}

/** Adds a seal to an approval or a policy. Returns `body` unchanged if neither a passkey of this person nor the key of their code can sign.
 * Returns `Refused` if the server refuses to give the document. `path` is the address of the document.
 * @type {(path: string, body: Decision, announce: () => void) => Promise<object | Refused>} */
async function withSeal(path, body, announce) {
  if (!isSealing) return body;
  const { match: _match, ...asked } = body;
  const { answer, content } = await askToSeal(path, asked);
  if (!answer.ok && isSealing) return new Refused(answer);
  const { document, passkey } = content;
  if (passkey === undefined) {
    const sealed = await sealByCode(content);
    return sealed === null ? body : { ...body, sealed };
  }
  announce();
  const { credentialId, userHandle: _userHandle, ...signed } = await signWithPasskey(passkey);
  return { ...body, sealed: { document, seal: { kind: 'passkey', keyId: credentialId, ...signed } } };
}

/** Shows the next request instead of the decided request `id`, and a link back to `id`. Also changes the address. Does nothing if there is
 * no next request. @param {string} id */
async function showNext(id) {
  const next = await fetchPart('next', id).catch(() => null);
  const decided = shown(id); // the card may have been replaced meanwhile
  if (next === null || decided === null || shown(idOf(next)) !== null) return;
  const note = /** @type {HTMLElement | null} */ (document.querySelector('.decided'));
  const link = document.createElement('a');
  link.href = location.href;
  link.textContent = ((decided.querySelector('.plan-title') ?? decided.querySelector('.content'))?.textContent ?? '')
    .trim()
    .replace(/\s+/g, ' ')
    .slice(0, 60);
  const outcome = decided.querySelector(decided.dataset.state === 'pending' ? '.not-yours' : '.badge')?.textContent;
  note?.replaceChildren(`${(outcome ?? '').replace(/\.$/, '')}: `, link, ' · next:');
  if (note !== null) note.hidden = false;
  put(next, decided);
  history.pushState(null, '', new URL(`${encodeURIComponent(idOf(next))}`, location.href));
  scrollTo(0, 0);
  next.focus({ preventScroll: true });
}
addEventListener('popstate', () => location.reload());

/**
 * Decides the requests of a group, each in the version that was shown. If possible, approves all requests with one signature.
 * @param {HTMLElement} button
 */
async function decideAll(button) {
  const group = /** @type {HTMLElement} */ (button.closest('.group'));
  if (group.classList.contains('is-busy')) return;
  group.classList.add('is-busy');
  say(group, '');
  const verb = button.dataset.all ?? '';
  const rows = [...cardsIn(group, '[data-state="pending"]')];
  const announce = () => say(group, 'Confirm with your passkey …');
  /** @type {{ undone: number, trouble: string }} */
  let ended = { undone: 0, trouble: '' };
  try {
    const together = verb === 'approve' && rows.length > 1 ? await approveTogether(rows, announce) : null;
    ended = together ?? (await decideEach(rows, verb, announce));
  } catch (error) {
    ended = { undone: rows.length, trouble: troubleText(error) };
  }
  say(group, '');
  for (const row of rows) await refresh('brief', idOf(row));
  group.classList.remove('is-busy');
  if (ended.trouble !== '') say(group, ended.trouble);
  else if (ended.undone > 0) say(group, `${ended.undone} of them were not decided: open each to see why.`);
  else for (const each of cardsIn(group, '.pair')) each.hidden = true;
}

/** @type {(rows: HTMLElement[], verb: string, announce: () => void) => Promise<{ undone: number, trouble: string }>} */
async function decideEach(rows, verb, announce) {
  const term = verb === 'approve' ? { term: { kind: 'once' } } : {};
  let undone = 0;
  for (const row of rows) {
    const body = { version: Number(row.dataset.version), ...term };
    // An error ends the loop. A person who cancels one prompt does not want the next prompt, and a missing server does not answer.
    const answer = await sendDecision('grants', idOf(row), verb, body, announce);
    if (answer.status === 401) showSignedOut();
    if (answer.status >= 500) return { undone, trouble: notDoneText(answer) };
    if (!answer.ok) undone += 1;
  }
  return { undone, trouble: '' };
}

/** Approves the requests of a group with one signature. Returns null if each request has to be decided by itself.
 * @type {(rows: HTMLElement[], announce: () => void) => Promise<{ undone: number, trouble: string } | null>} */
async function approveTogether(rows, announce) {
  if (noSealNote !== null) return null; // the key of a code signs each decision separately
  const shown = rows.map((row) => ({ id: idOf(row), version: Number(row.dataset.version) }));
  const { content: toSeal } = isSealing
    ? await askToSeal('/v1/approvals/document', { grants: shown })
    : { content: {} };
  const { documents, batch: digests, passkey, error } = toSeal;
  if (error?.code === 'batch.one_by_one') return null;
  // After an error other than `seal.unfit`, nothing is decided. For example, `batch.unfit` means that the requests are no group any
  // more: the person must look at each.
  if (error !== undefined && isSealing) return { undone: shown.length, trouble: `Not done: ${error.message}.` };
  let body = { grants: shown };
  if (passkey !== undefined) {
    announce();
    const { credentialId, userHandle: _userHandle, ...signed } = await signWithPasskey(passkey);
    const seal = { kind: 'passkey', keyId: credentialId, ...signed, batch: digests };
    const grants = shown.filter(({ id }) =>
      documents.some((/** @type {{ grantId: string }} */ one) => one.grantId === id),
    );
    body = Object.assign({ grants }, { sealed: { documents, seal } });
  }
  const answer = await sendConfirmed('/v1/approvals', body, announce);
  if (answer.status === 401) showSignedOut();
  const { content } = answer;
  if (content.refused?.some((/** @type {{ code: string }} */ { code }) => code === 'seal.needed')) isSealing = true; // as in `decide`
  if (answer.ok) return { undone: shown.length - content.approved.length, trouble: '' };
  return { undone: shown.length, trouble: notDoneText(answer) };
}

// ---- actions that open ----

/**
 * On a phone, opened actions move from the edge of the screen to the end of the card. Scrolls to the opened actions.
 */
addEventListener(
  'toggle',
  ({ target }) => {
    if (!(target instanceof HTMLDetailsElement) || !target.open) return;
    const actions = target.closest('[data-grant-id] > .actions');
    if (actions !== null && getComputedStyle(actions).position === 'static') actions.scrollIntoView({ block: 'start' });
  },
  true,
);

// ---- requesters ----

/**
 * Changes one requester, or all requesters of a host. Returns null if the server made the change, else a sentence for the person.
 * @type {(whom: { requesterId?: string, host?: string }, verb: string, announce?: () => void) => Promise<string | null>}
 */
async function changeRequester({ requesterId = '', host }, verb, announce = () => undefined) {
  const body = verb === 'pause' || verb === 'rotate' ? {} : undefined;
  try {
    const answer =
      host === undefined
        ? await sendDecision('requesters', requesterId, verb, body, announce)
        : await callApi('POST', `/v1/hosts/${verb}`, { host });
    if (answer.status === 401) showSignedOut();
    return answer.ok ? null : notDoneText(answer);
  } catch (trouble) {
    return troubleText(trouble);
  }
}

/** @param {HTMLElement} button */
async function onRequester(button) {
  const card = cardOf(button);
  if (card.classList.contains('is-busy')) return;
  card.classList.add('is-busy');
  say(card, '');
  const announce = () => say(card, 'Confirm with your passkey …');
  const why = await changeRequester(card.dataset, button.dataset.requester ?? '', announce);
  card.classList.remove('is-busy');
  if (why !== null) return say(card, why);
  if (place === 'inbox') card.remove();
  else location.reload();
}

// ---- what runs on the hosts ----

/** @typedef {{ processes: number, notHeld: { pid: number, name: string, why: string }[] }} Acted */

/** @type {Record<string, string>} */
const DONE = { hold: 'Held: stopped', continue: 'Goes on:', kill: 'Ended:' };

/** @type {(act: string, acted: Acted) => string} */
function actedText(act, { processes, notHeld }) {
  const whole = `${DONE[act]} ${processes} ${processes === 1 ? 'process' : 'processes'}.`;
  const others = notHeld.map(({ pid, name, why }) => `${name} (${pid}): ${why}`).join('; ');
  return others === '' ? whole : `${whole} Not these: ${others}.`;
}

/** @param {HTMLElement} button */
async function actOnRunning(button) {
  const card = cardOf(button);
  if (card.classList.contains('is-busy')) return;
  card.classList.add('is-busy');
  const { requesterId = '', runningId = '' } = card.dataset;
  const act = button.dataset.running ?? '';
  const answer = await callApi('POST', `/v1/running/${requesterId}/${runningId}/${act}`).catch(() => null);
  if (answer?.status === 401) showSignedOut();
  await showRunning(true);
  const now = main === null ? null : runningCard(main, runningId);
  const text = answer === null ? NOT_KNOWN : answer.ok ? actedText(act, answer.content) : notDoneText(answer);
  now?.classList.remove('is-busy');
  if (now !== null) return say(now, text);
  const line = /** @type {HTMLElement} */ (document.querySelector('.decided'));
  line.textContent = text;
  line.hidden = false;
}

/** @type {(within: ParentNode, id: string) => HTMLElement | null} */
const runningCard = (within, id) => within.querySelector(`[data-running-id="${CSS.escape(id)}"]`);

/**
 * Copies the message from each old card to its new card, unless the button of the card has changed.
 * @type {(old: Element, next: Element) => void}
 */
function keepMessages(old, next) {
  const buttonOf = (/** @type {Element} */ card) => card.querySelector('[data-running]')?.getAttribute('data-running');
  for (const card of cardsIn(old, '[data-running-id]')) {
    const text = card.querySelector('.message')?.textContent ?? '';
    const same = text === '' ? null : runningCard(next, card.dataset.runningId ?? '');
    if (same !== null && buttonOf(same) === buttonOf(card)) say(same, text);
  }
}

/** Selectors of what runs on the hosts: the list on the page *Sessions*, and the card on the page of one session. */
const RUNNING_LISTS = ['[data-running-list]', 'main[data-place="session"] > .cards'];
/** The markup of the shown list as the server sent it, before `showTimes` changes the times. */
let lastRunning = document.querySelector(RUNNING_LISTS.join())?.outerHTML;
/** The number of the newest fetch of `showRunning`. */
let begunLook = 0;
/** The number of the fetch whose answer is shown. An answer to an older fetch can come later, and is dropped. */
let shownLook = 0;

/**
 * Shows what runs now. If not `isWanted`, does nothing on a hidden page, and keeps a list that a person is using.
 * @param {boolean} isWanted whether a tap of the person is the reason
 */
async function showRunning(isWanted) {
  if (document.hidden && !isWanted) return;
  const look = ++begunLook;
  const answer = await fetch(location.href, { headers: { accept: 'text/html' } }).catch(() => null);
  if (isSignedOut(answer)) return showSignedOut();
  const markup = answer?.ok ? await markupOf(answer).catch(() => null) : null;
  if (markup === null) return showConnection(false);
  const fresh = new DOMParser().parseFromString(markup, 'text/html');
  showConnection(true);
  if (look < shownLook) return;
  shownLook = look;
  for (const selector of RUNNING_LISTS) {
    const old = document.querySelector(selector);
    const next = fresh.querySelector(selector);
    if (old === null || next === null || next.outerHTML === lastRunning) continue; // an unchanged card must stay, so that a tap on it works
    if (!isWanted && (old.contains(document.activeElement) || old.querySelector('details[open]'))) continue;
    lastRunning = next.outerHTML;
    keepMessages(old, next);
    showTimes(next);
    old.replaceWith(next);
    lastMoveMs = performance.now();
  }
}

let lastScreen = '';

/** @param {HTMLElement} section */
async function showScreen(section) {
  if (document.hidden) return;
  const answer = await fetch(at(`/parts/screen/${section.dataset.screen}`)).catch(() => null);
  if (isSignedOut(answer)) return showSignedOut();
  showConnection(answer !== null && isOwn(answer));
  const markup = answer?.ok ? await markupOf(answer).catch(() => null) : null;
  if (markup === null) return;
  const part = field(section, '.screen-part');
  if (String(markup) === lastScreen) return;
  lastScreen = String(markup);
  const scrolled = part.querySelector('.screen')?.scrollLeft ?? 0;
  part.innerHTML = markup;
  const screen = part.querySelector('.screen');
  if (screen !== null) screen.scrollLeft = scrolled;
}

/** Calls `look` again and again, and waits `everyMs` before each call. @type {(look: () => Promise<void>, everyMs: number) => void} */
function keepLooking(look, everyMs) {
  setTimeout(() => void look().finally(() => keepLooking(look, everyMs)), everyMs);
}

// ---- rules ----

document.addEventListener('input', (event) => {
  const form = targetOf(event).closest?.('.add-rule');
  if (form) {
    const isText = field(form, 'input[name="by"]:checked').value === 'text';
    field(form, '.by-text').hidden = !isText;
    field(form, '.by-operation').hidden = isText;
  }
  const reading = targetOf(event).closest?.('.reading-policy');
  const button = field(reading, '[data-rule="reading"]');
  if (button) button.disabled = field(reading, '.directories input:checked') === null;
});

/**
 * Returns the body of the call that makes a rule. If a field is missing, returns a sentence for the person instead.
 * @param {HTMLElement} button
 * @param {HTMLElement} card
 */
function ruleOf(button, card) {
  if (button.dataset.rule === 'reading') {
    const chosen = [...fieldsIn(card, '.directories input:checked')];
    return {
      effect: 'allow-reading',
      requesterId: card.dataset.requesterId,
      directories: chosen.map(({ value }) => value),
      environmentOf: chosen[0]?.dataset.environmentOf,
    };
  }
  const value = (/** @type {string} */ name) => field(card, name).value.trim();
  const reason = value('.rule-reason');
  if (reason === '') return 'Say why: the requester reads it.';
  const common = { effect: 'deny', requesterId: value('.rule-requester') || null, reason };
  if (field(card, 'input[name="by"]:checked').value === 'text') {
    const text = value('.rule-text');
    return text === '' ? 'Say which text.' : { ...common, text, pattern: null };
  }
  const operation = value('.rule-operation');
  if (operation === '') return 'Say which operation.';
  const below = value('.rule-below').replace(/(.)\/+$/, '$1');
  const access = ['read', 'write', 'delete', 'execute'];
  const resources = below === '' ? [] : [{ kind: 'path', access, values: { match: 'below', value: below } }];
  return { ...common, text: null, pattern: { operations: [operation], resources } };
}

/** @param {HTMLElement} button */
async function changeRules(button) {
  const card = cardOf(button);
  const policyId = /** @type {HTMLElement | null} */ (button.closest('[data-policy-id]'))?.dataset.policyId;
  const body = button.dataset.rule === 'end' ? undefined : ruleOf(button, card);
  if (typeof body === 'string') return say(card, body);
  if (card.classList.contains('is-busy')) return;
  card.classList.add('is-busy');
  say(card, '');
  try {
    const answer = await sendRule(policyId, body, () => say(card, 'Confirm with your passkey …'));
    if (answer.ok) return location.reload();
    if (answer.status === 401) return signedOutBy(card);
    say(card, MESSAGES[answer.content.error.code] ?? notDoneText(answer));
  } catch (trouble) {
    sayTrouble(card, trouble);
  }
  card.classList.remove('is-busy');
}

/**
 * Sends a new rule; without a body, ends the rule `policyId`. Seals the rule only if it lets something run.
 * @type {(policyId: string | undefined, body: any, announce: () => void) => Promise<OwnAnswer>}
 */
async function sendRule(policyId, body, announce) {
  if (body === undefined) return callApi('POST', `/v1/policies/${policyId}/end`);
  const isSealable = body.effect === 'allow-reading';
  const sent = isSealable ? await withSeal('/v1/policies/document', body, announce) : body;
  return sent instanceof Refused ? sent.answer : callApi('POST', '/v1/policies', sent);
}

document.addEventListener('click', (event) => {
  const button = targetOf(event).closest('button');
  if (button === null) return;
  if (button.dataset.rule !== undefined) {
    void changeRules(button);
    return;
  }
  if (button.dataset.requester !== undefined) {
    if (event.detail === 0 || performance.now() - lastMoveMs >= GUARD_MS) void onRequester(button);
    return;
  }
  if (button.dataset.running !== undefined) {
    if (event.detail === 0 || performance.now() - lastMoveMs >= GUARD_MS) void actOnRunning(button);
    return;
  }
  if ('signOut' in button.dataset) {
    void signOut();
    return;
  }
  const card = /** @type {HTMLElement | null} */ (button.closest('.card'));
  if (button.dataset.all === undefined && (card === null || button.dataset.verb === undefined)) return;
  // A key press has detail 0. It always goes to the focused button, even if the button has moved.
  if (event.detail > 0 && performance.now() - lastMoveMs < GUARD_MS) return;
  if (button.dataset.all !== undefined) void decideAll(button);
  else if (card !== null) void decide(button, card);
});

// When a date field opens, allows no moment before now, and proposes the same time tomorrow.
document.addEventListener(
  'toggle',
  (event) => {
    const details = /** @type {HTMLDetailsElement} */ (targetOf(event));
    const input = /** @type {HTMLInputElement | null} */ (details.querySelector?.('.until-date'));
    if (!input || !details.open || input.value !== '') return;
    const local = (/** @type {number} */ ms) =>
      new Date(ms - new Date(ms).getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
    input.min = local(now());
    input.value = local(now() + 86_400_000);
  },
  true,
);

// ---- the app ----

/** Signs out, and removes every page that this device has kept. */
async function signOut() {
  forgetCodeKey();
  // The kept pages are deleted even if the server does not answer. In this case the reload shows the page *No connection*.
  await callApi('DELETE', '/v1/session').catch(() => {});
  if ('caches' in globalThis) for (const name of await caches.keys()) await caches.delete(name);
  /** @type {any} */ (navigator).clearAppBadge?.().catch(() => {});
  location.reload();
}

/** Marks a kept page, which is shown without a connection. Disables the buttons, and calls `lookForServer`. @param {number} keptAtMs */
function markAsKept(keptAtMs) {
  const when = new Date(keptAtMs).toLocaleString([], { dateStyle: 'medium', timeStyle: 'short' });
  const line = /** @type {HTMLElement} */ (document.querySelector('.connection'));
  line.textContent = `No connection. This is what was known on ${when}; nothing can be decided now.`;
  const again = document.createElement('button');
  again.type = 'button';
  again.textContent = 'Try again';
  again.addEventListener('click', () => location.reload());
  line.append(' ', again);
  line.hidden = false;
  for (const button of main?.querySelectorAll('button') ?? []) button.disabled = true;
  addEventListener('online', () => location.reload());
  lookForServer(FIRST_LOOK_MS);
}

const FIRST_LOOK_MS = 500;
const LAST_LOOK_MS = 5_000;

/**
 * Reloads the page when the server answers. Tries less and less often, and only while a person sees the page.
 * @type {(afterMs: number) => void}
 */
function lookForServer(afterMs) {
  setTimeout(async () => {
    if (!document.hidden) {
      const signal = AbortSignal.timeout(LAST_LOOK_MS);
      const answer = await fetch(location.href, { headers: { accept: 'text/html' }, signal }).catch(() => null);
      if (answer !== null && answer.status < 500) return location.reload();
    }
    lookForServer(Math.min(afterMs * 2, LAST_LOOK_MS));
  }, afterMs);
}

/** The key in `localStorage` for the page that a person opened while signed out. After the sign-in, the person returns to that page. */
const RETURN = 'ape-return';
const RETURN_WITHIN_MS = 15 * 60_000;
const RETURN_TO = /^\/(?:grants|enrolments)\/[\w-]+$/;

function rememberPlace() {
  const path = location.pathname.slice(at('').length);
  try {
    if (RETURN_TO.test(path)) localStorage.setItem(RETURN, JSON.stringify({ path, atMs: Date.now() }));
  } catch {
    // No storage: the person finds the request in the inbox.
  }
}

/** Returns the path of the stored page; null: no page is stored, or the page was opened too long ago. @returns {string | null} */
function rememberedPlace() {
  try {
    const { path, atMs } = JSON.parse(localStorage.getItem(RETURN) ?? '{}');
    return RETURN_TO.test(path) && Math.abs(Date.now() - atMs) < RETURN_WITHIN_MS ? path : null;
  } catch {
    return null; // No storage.
  }
}

function returnToPlace() {
  const path = rememberedPlace();
  if (path === null) return;
  localStorage.removeItem(RETURN);
  location.replace(at(path));
}

/** Some sign-ins lead to the page *Devices*. Shows a link to the stored page there. Opens the stored page if a device was registered. */
function offerReturn() {
  const path = rememberedPlace();
  if (path === null) return;
  if (new URLSearchParams(location.search).get('after') === 'registered') return returnToPlace();
  const link = document.createElement('a');
  link.className = 'button';
  link.href = at(path);
  link.textContent = path.startsWith('/grants/') ? 'Not now: go on to the request' : 'Not now: go on to the new host';
  link.addEventListener('click', () => localStorage.removeItem(RETURN));
  const line = /** @type {HTMLElement} */ (document.querySelector('.decided'));
  line.replaceChildren(link);
  line.hidden = false;
}

if (document.querySelector('[data-not-signed-in]') !== null) {
  rememberPlace();
  forgetCodeKey();
}
showSealingByCode();
showTimes();
if (main !== null) {
  const { keptAt } = document.documentElement.dataset;
  setInterval(showTimes, 1_000);
  if (keptAt === undefined) {
    if (place === 'inbox') returnToPlace();
    if (place === 'devices') offerReturn();
    showPending(Number(/** @type {HTMLElement} */ (document.querySelector('.count')).dataset.count));
    listen();
    if (place === 'sessions' || place === 'session') keepLooking(() => showRunning(false), 5_000);
    const watched = /** @type {HTMLElement | null} */ (main.querySelector('[data-screen]'));
    if (watched !== null) keepLooking(() => showScreen(watched), 1_000);
    void navigator.serviceWorker?.register(policy.createScriptURL(at('/service-worker.js'))).catch(() => {});
  } else markAsKept(Number(keptAt));
}
