// Uses passkeys on a page: signs challenges, registers this device, and signs in. Handles clicks on the buttons with `data-passkey`. Pages
// with such buttons load this script. On other pages, `pages.js` loads this script if an approval needs a passkey or a break-glass key.
import { browserSupportsWebAuthn, startAuthentication, startRegistration } from '@simplewebauthn/browser';
import { readCode } from './break-glass.js';
import { at, callApi, meta, NOT_KNOWN, notDoneText } from './own-answer.js';

export { keepAgain, sealWithCode } from './break-glass.js';

/** An error with a text for people: what happened, and what to do now. */
class PasskeyTrouble extends Error {
  isPasskeyTrouble = true;
}

/** Sentences for people. The keys are names of the browser's errors; the library passes these names on unchanged. @type {Record<string, string>} */
const SENTENCES = {
  NotAllowedError: 'You cancelled, or the prompt timed out. Nothing was done; try again when you are ready.',
  AbortError: 'The prompt was closed. Nothing was done; try again when you are ready.',
  SecurityError:
    'This page is not at the address that your passkeys are for. Nothing was done; open the page at that address.',
  ConstraintError:
    'This device cannot check who uses it. Nothing was done; set up a PIN, a finger or a face, or use another device.',
};

/** The sentences for errors while a passkey signs. Some errors mean something else while a passkey is made (`CREATING`). */
const SIGNING = {
  ...SENTENCES,
  // Chromium on Android gives this error on a device without a screen lock.
  NotSupportedError:
    'This device cannot sign with a passkey. Nothing was done; set up a screen lock, or use another device.',
};
const CREATING = {
  ...SENTENCES,
  InvalidStateError: 'This device is registered here already. Nothing was done.',
  NotSupportedError:
    'This device cannot make a passkey of a kind that the server takes. Nothing was done; use another device.',
};

/** @type {(error: unknown, sentences: Record<string, string>) => PasskeyTrouble} */
const trouble = (error, sentences) =>
  error instanceof PasskeyTrouble
    ? error
    : new PasskeyTrouble(
        sentences[error instanceof Error ? error.name : ''] ??
          'The authenticator gave no answer. Nothing was done; try again, or use another device.',
      );

function demandPasskeys() {
  if (!browserSupportsWebAuthn())
    throw new PasskeyTrouble(
      'This browser cannot use passkeys on this page. Nothing was done; use another browser, or sign in with a link.',
    );
}

/**
 * @typedef {readonly { id: string, transports: readonly string[] }[]} Credentials
 * @typedef {{ challenge: string, rpId: string | undefined, credentials: Credentials, timeoutMs: number }} SigningRequest
 * @typedef {object} Creation
 * @property {string} challenge
 * @property {string} rpId
 * @property {string} userId
 * @property {string} userName
 * @property {readonly number[]} algorithms
 * @property {Credentials} known
 * @property {number} timeoutMs
 */

/** @param {Credentials} credentials */
const descriptors = (credentials) =>
  credentials.map(({ id, transports }) => ({
    type: /** @type {const} */ ('public-key'),
    id,
    transports: [...transports],
  }));

/**
 * Lets a passkey sign a challenge of the server. Throws a `PasskeyTrouble` if no passkey signs.
 * @param {SigningRequest} asked
 * @returns the assertion, in the form that the server takes
 */
export async function signRequest({ challenge, rpId, credentials, timeoutMs }) {
  demandPasskeys();
  try {
    const { rawId, response } = await startAuthentication({
      optionsJSON: {
        challenge,
        ...(rpId === undefined ? {} : { rpId }),
        allowCredentials: descriptors(credentials),
        userVerification: 'required',
        timeout: timeoutMs,
      },
    });
    const { authenticatorData, clientDataJSON, signature, userHandle } = response;
    return { credentialId: rawId, authenticatorData, clientDataJSON, signature, userHandle: userHandle || null };
  } catch (error) {
    throw trouble(error, SIGNING);
  }
}

/** @param {Creation} asked */
async function createCredential({ challenge, rpId, userId, userName, algorithms, known, timeoutMs }) {
  demandPasskeys();
  try {
    const { rawId, response } = await startRegistration({
      optionsJSON: {
        challenge,
        rp: { id: rpId, name: 'ape-shell' },
        user: { id: userId, name: userName, displayName: userName },
        pubKeyCredParams: algorithms.map((alg) => ({ type: 'public-key', alg })),
        excludeCredentials: descriptors(known),
        authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
        attestation: 'none',
        timeout: timeoutMs,
      },
    });
    const { clientDataJSON, attestationObject, transports = [] } = response;
    return { credentialId: rawId, clientDataJSON, attestationObject, transports: transports.slice(0, 10) };
  } catch (error) {
    throw trouble(error, CREATING);
  }
}

// ---- calls ----

/**
 * Sends `body`. If the answer asks for a passkey, signs with a passkey and sends `body` again with the assertion. Returns the content of
 * the answer; null: the answer has no content. Throws a `PasskeyTrouble` if the server refuses, or if no passkey signs. Throws `NotKnown`
 * if the server does not answer.
 * @type {(path: string, body?: object) => Promise<any>} */
export async function sendConfirmed(path, body = {}) {
  let answer = await callApi('POST', path, body);
  const { passkey } = answer.content?.error ?? {};
  if (answer.status === 403 && passkey !== undefined)
    answer = await callApi('POST', path, { ...body, assertion: await signRequest(passkey) });
  if (!answer.ok) throw new PasskeyTrouble(notDoneText(answer));
  return answer.content;
}

// ---- buttons: `data-passkey` names the action ----

/** @type {(button: HTMLElement, text: string) => void} */
function say(button, text) {
  const message = button.closest('[data-devices]')?.querySelector('.message');
  if (message) message.textContent = text;
}

/** @type {(button: HTMLElement, selector: string) => HTMLInputElement | null} */
const fieldIn = (button, selector) =>
  /** @type {HTMLInputElement | null} */ (button.closest('[data-devices]')?.querySelector(selector));

/** Returns the proposed name for this device. The person can change the name. */
function usualName() {
  const agent = navigator.userAgent;
  // The order matters: Android also says Linux, and Edge also says Chrome and Safari.
  const found = (/** @type {string[]} */ names) => names.find((name) => agent.includes(name));
  const system = found(['iPhone', 'iPad', 'Android', 'Macintosh', 'Windows', 'CrOS', 'Linux']) ?? 'device';
  const browser = found(['Edg', 'Firefox', 'Chrome', 'Safari']) ?? 'browser';
  return `${browser === 'Edg' ? 'Edge' : browser} on ${system === 'Macintosh' ? 'Mac' : system}`;
}

/** @param {HTMLElement} button */
async function registerDevice(button) {
  const name = fieldIn(button, '.device-name')?.value.trim() || usualName();
  const creation = await sendConfirmed('/v1/passkeys/creation');
  const registration = await createCredential(creation);
  await sendConfirmed('/v1/passkeys', { name, registration });
  location.assign(at('/devices?after=registered'));
}

/** @param {HTMLElement} button */
async function showCodes(button) {
  const { codes } = await sendConfirmed('/v1/recovery-codes');
  const list = /** @type {HTMLElement} */ (button.closest('[data-devices]')?.querySelector('.codes'));
  list.replaceChildren(
    ...codes.map((/** @type {string} */ code) => {
      const item = document.createElement('li');
      const text = document.createElement('code');
      text.textContent = code;
      item.append(text);
      return item;
    }),
  );
  list.hidden = false;
  say(button, 'Keep these ten codes where only you can read them. The codes are not shown again.');
}

/** @param {HTMLElement} button */
async function invitePerson(button) {
  const name = fieldIn(button, '.person-name')?.value.trim() ?? '';
  if (name === '') return say(button, 'Give the person a name first.');
  const role = fieldIn(button, '.person-role')?.value ?? 'approver';
  const { signInUrl } = await sendConfirmed('/v1/people', { name, role });
  const shown = /** @type {HTMLElement} */ (button.closest('[data-devices]')?.querySelector('.invitation'));
  shown.textContent = signInUrl;
  shown.hidden = false;
  return say(button, `Send this link to ${name}. It works once, for 24 hours, and is not shown again.`);
}

/** @param {HTMLElement} button */
async function makeBreakGlass(button) {
  const name = fieldIn(button, '.code-name')?.value.trim() ?? '';
  if (name === '') return say(button, 'Give the code a name first.');
  const { code } = await sendConfirmed('/v1/break-glass', { name });
  const shown = /** @type {HTMLElement} */ (button.closest('[data-devices]')?.querySelector('.new-code'));
  shown.textContent = code;
  shown.hidden = false;
  return say(button, 'Write the code down and keep it in a closed envelope. The code is not shown again.');
}

/**
 * Lets a passkey sign the next list of approvers, and publishes the list. `wish` is the change to the list. `how` is the end of the
 * message that asks the person to sign.
 * @type {(button: HTMLElement, wish: object, how: string) => Promise<void>} */
async function signList(button, wish, how) {
  say(button, `Sign the next list of approvers${how} …`);
  const { document: list, passkey } = await sendConfirmed('/v1/approver-lists/next', wish);
  const { credentialId, userHandle: _userHandle, ...signed } = await signRequest(passkey);
  const seal = { kind: 'passkey', keyId: credentialId, ...signed };
  await sendConfirmed('/v1/approver-lists', { document: list, seal });
  say(button, '');
}

const OFF_THE_LIST =
  'The device is off the list of approvers, but it is not known whether this server has also removed the device. Reload the page, and look at the devices before you try again.';

const again = () => location.assign(location.pathname);

// ---- `send`: makes one object from the fields of a card ----

const openedMs = performance.now();
const serverNow = () => Math.round(Number(meta('server-time')) + performance.now() - openedMs);

/**
 * The functions that read a field, by the field's `data-kind`. The value of a field without `data-kind` is the text of the field.
 * @type {Record<string, (field: HTMLInputElement) => unknown>}
 */
const KINDS = {
  number: ({ value }) => Number(value),
  /** Names, separated by commas; null: no name. */
  names: ({ value }) => {
    const names = value.split(',').flatMap((name) => name.trim() || []);
    return names.length === 0 ? null : names;
  },
  /** The values of the checked boxes. If no box is checked: null if `data-none` is `null`, else an empty list. */
  checks: (field) => {
    const boxes = /** @type {NodeListOf<HTMLInputElement>} */ (field.querySelectorAll('input:checked'));
    const chosen = Array.from(boxes, ({ value }) => value);
    return chosen.length === 0 && field.dataset.none === 'null' ? null : chosen;
  },
  /** The time that is this number of hours from now, in Unix ms. Uses the server's clock, because the clock of this device may be wrong. */
  hours: ({ value }) => serverNow() + Number(value) * 3_600_000,
  zone: ({ value }) => value.trim() || Intl.DateTimeFormat().resolvedOptions().timeZone,
};

/**
 * Makes an object from the fields. `data-field` is the path of a member, such as `limits.upTo`.
 * @type {(card: Element) => Record<string, unknown>}
 */
function bodyOf(card) {
  /** @type {Record<string, any>} */
  const body = {};
  for (const field of /** @type {NodeListOf<HTMLInputElement>} */ (card.querySelectorAll('[data-field]'))) {
    const names = (field.dataset.field ?? '').split('.');
    const last = /** @type {string} */ (names.pop());
    let holder = body;
    for (const name of names) holder = holder[name] ??= {};
    holder[last] = KINDS[field.dataset.kind ?? '']?.(field) ?? (field.dataset.kind ? null : field.value);
  }
  return body;
}

/**
 * Returns the body of a call. Sets the `limits` of a person to null if no limit is chosen, or if the person is an auditor.
 * @type {(body: any) => object}
 */
function withoutEmptyLimits({ limits, ...body }) {
  if (limits === undefined) return body;
  const { requesters = null, hosts = null, upTo } = limits;
  const isNone = body.role === 'auditor' || (upTo === '' && requesters === null && hosts === null);
  return { ...body, limits: isNone ? null : { requesters, hosts, upTo: upTo || 'critical' } };
}

/** @type {Record<string, (button: HTMLElement) => Promise<unknown> | unknown>} */
const ACTIONS = {
  register: registerDevice,
  codes: showCodes,
  invite: invitePerson,
  'break-glass': makeBreakGlass,
  async 'sign-in'() {
    const asked = await sendConfirmed('/v1/sign-in/passkey/request');
    const { location: place } = await sendConfirmed('/v1/sign-in/passkey', { assertion: await signRequest(asked) });
    location.assign(at(place));
  },
  async 'recovery-code'(button) {
    const read = await readCode(fieldIn(button, '.recovery-code')?.value ?? '', 'withoutSeals' in button.dataset);
    if ('fault' in read) {
      if (read.isUnableToSeal) button.dataset.withoutSeals = '';
      return say(button, read.fault);
    }
    const { location: place } = await sendConfirmed('/v1/sign-in/recovery-code', { code: read.send });
    read.keep();
    location.assign(at(place));
  },
  async remove(button) {
    const { id } = button.dataset;
    const isOnList = 'sealing' in button.dataset;
    if (isOnList) await signList(button, { without: id }, ' with another passkey');
    delete button.dataset.sealing;
    try {
      await sendConfirmed(`/v1/passkeys/${id}/remove`);
    } catch (error) {
      throw isOnList ? new PasskeyTrouble(OFF_THE_LIST) : error;
    }
    again();
  },
  async 'sign-list'(button) {
    await signList(button, JSON.parse(button.dataset.body ?? ''), '');
    again();
  },
  async rename(button) {
    const name = fieldIn(button, '.new-name')?.value.trim() ?? '';
    if (name === '') return say(button, 'Give the device a name first.');
    await sendConfirmed(`/v1/passkeys/${button.dataset.id}/rename`, { name });
    return again();
  },
  async 'end-sign-in'(button) {
    await sendConfirmed(`/v1/sign-ins/${button.dataset.id}/end`);
    again();
  },
  async 'end-other-sign-ins'() {
    await sendConfirmed('/v1/sign-ins/end-others');
    again();
  },
  async 'revoke-person'(button) {
    await sendConfirmed(`/v1/people/${button.dataset.id}/revoke`);
    again();
  },
  async send(button) {
    const { path = '', body } = button.dataset;
    const card = /** @type {Element} */ (button.closest('[data-devices]'));
    await sendConfirmed(path, body === undefined ? withoutEmptyLimits(bodyOf(card)) : JSON.parse(body));
    again();
  },
};

let isBusy = false;

/** @type {(button: HTMLElement, action: (button: HTMLElement) => unknown) => Promise<void>} */
async function act(button, action) {
  if (isBusy) return;
  isBusy = true;
  say(button, '');
  try {
    await action(button);
  } catch (error) {
    say(button, error instanceof PasskeyTrouble ? error.message : NOT_KNOWN);
  }
  isBusy = false;
}

document.addEventListener('click', (event) => {
  const button = /** @type {HTMLElement | null} */ (
    /** @type {HTMLElement} */ (event.target).closest?.('[data-passkey]')
  );
  const action = ACTIONS[button?.dataset.passkey ?? ''];
  if (button !== null && action !== undefined) void act(button, action);
});

document.addEventListener('submit', (event) => {
  const form = /** @type {HTMLElement} */ (event.target);
  const button = /** @type {HTMLElement | null} */ (form.querySelector('[data-passkey]'));
  if (button === null) return;
  event.preventDefault();
  button.click();
});

for (const field of /** @type {NodeListOf<HTMLInputElement>} */ (document.querySelectorAll('.device-name')))
  if (field.value === '') field.value = usualName();
