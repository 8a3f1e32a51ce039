// Derives the sign-in secret and the key from a break-glass code that can seal, and signs with the key. This code and its key never leave
// the browser. `passkeys.js` bundles this file.

/** The name under which this tab stores the key. `pages.js` removes the key. */
const KEPT = 'ape-break-glass';
/** How long this tab keeps the key after the sign-in. */
const LASTS_MS = 15 * 60_000;
const SALT = 'ape-break-glass/1';
const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';
/** The bytes that come before the 32 bytes of the seed in PKCS #8 (RFC 8410). */
const PKCS8 = [0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20];
const SECRET_CHARACTERS = 32;
const CHECK_CHARACTERS = 3;
/**
 * The lengths of codes that are sent as typed: recovery codes, and break-glass codes that do not seal. Both kinds of code have groups of
 * four characters.
 */
const SENT_AS_TYPED = [16, SECRET_CHARACTERS];

/** @param {string} text */
const bytesOf = (text) => new TextEncoder().encode(text);

/**
 * HKDF-SHA-256 (RFC 5869), as in `src/platform/break-glass-code.ts`.
 * @type {(secret: string, purpose: string, bytes: number) => Promise<Uint8Array>}
 */
async function derived(secret, purpose, bytes) {
  const key = await crypto.subtle.importKey('raw', bytesOf(secret), 'HKDF', false, ['deriveBits']);
  const how = { name: 'HKDF', hash: 'SHA-256', salt: bytesOf(SALT), info: bytesOf(purpose) };
  return new Uint8Array(await crypto.subtle.deriveBits(how, key, bytes * 8));
}

/** @type {(secret: string, purpose: string, length: number) => Promise<string>} */
const derivedText = async (secret, purpose, length) =>
  Array.from(await derived(secret, purpose, length), (byte) => ALPHABET[byte & 31]).join('');

/** @param {Uint8Array} bytes */
const base64Url = (bytes) =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');

/** @param {readonly number[]} seed */
const signingKey = async (seed) =>
  crypto.subtle.importKey('pkcs8', new Uint8Array([...PKCS8, ...seed]), 'Ed25519', false, ['sign']);

const TYPING_ERROR =
  'This is no code: a code has 16, 32 or 35 of the characters a to z and 2 to 7. Nothing was sent; look for a typing error.';
const NO_GROUPS =
  'This may be a part of a code. Nothing was sent; type the whole code with the - between its groups, as it was shown.';
const NO_DERIVATION =
  'This browser cannot use this code on this page. Nothing was sent; open the server under https, or use another browser.';
const NO_SIGNATURE =
  'This browser cannot seal what you approve with this code (no Ed25519). Hosts that take only sealed approvals would not run what you approve. Nothing was sent. A sign-in uses up the code, so sign in with a newer browser; or press the button again to sign in here without seals.';

/**
 * Reads a code that a person has typed. If nothing may be sent, returns a sentence that says why (`fault`). If the code may be sent,
 * returns
 * - `send`: the text to send
 * - `keep`: a function to call after the sign-in. `keep` stores the seed of the code's key, or null in a browser that cannot seal. For a
 *   code that does not seal, `keep` does nothing
 * - `seed`: the seed of the code's key; absent for a code that does not seal
 * @param {string} typed
 * @param {boolean} isWithoutSeals whether the person wants to sign in although this browser cannot seal
 * @returns {Promise<{ send: string, keep: () => void, seed?: readonly number[] } | { fault: string, isUnableToSeal?: true }>}
 */
export async function readCode(typed, isWithoutSeals) {
  const groups = typed
    .toLowerCase()
    .split(/[\s-]+/)
    .filter((group) => group !== '');
  const code = groups.join('');
  // A mistyped code that seals must not be sent. Typical errors: 0 for o, a missing part, groups without separators.
  const isInFours = groups.every((group) => group.length === 4) || (groups.length === 1 && code.length === 16);
  if (!/^[a-z2-7]*$/.test(code)) return { fault: TYPING_ERROR };
  if (SENT_AS_TYPED.includes(code.length))
    return isInFours ? { send: typed, keep: () => undefined } : { fault: NO_GROUPS };
  if (code.length !== SECRET_CHARACTERS + CHECK_CHARACTERS) return { fault: TYPING_ERROR };
  if (globalThis.crypto?.subtle === undefined) return { fault: NO_DERIVATION };
  const secret = code.slice(0, SECRET_CHARACTERS);
  if ((await derivedText(secret, 'check', CHECK_CHARACTERS)) !== code.slice(SECRET_CHARACTERS))
    return { fault: TYPING_ERROR };
  const seed = [...(await derived(secret, 'seal', 32))];
  const canSign = await signingKey(seed).then(
    () => true,
    () => false,
  );
  if (!canSign && !isWithoutSeals) return { fault: NO_SIGNATURE, isUnableToSeal: true };
  const send = await derivedText(secret, 'sign-in', SECRET_CHARACTERS);
  const kept = canSign ? seed : null;
  return { send, keep: () => keepKey(kept, Date.now() + LASTS_MS), seed };
}

/** @type {(seed: readonly number[] | null, untilMs: number) => void} */
const keepKey = (seed, untilMs) => sessionStorage.setItem(KEPT, JSON.stringify({ seed, untilMs }));

/**
 * Computes the id of a code's key in the same way as `src/platform/approver-key.ts`.
 * @param {readonly number[]} seed
 */
async function keyIdOf(seed) {
  const key = await crypto.subtle.importKey('pkcs8', new Uint8Array([...PKCS8, ...seed]), 'Ed25519', true, ['sign']);
  const { x } = await crypto.subtle.exportKey('jwk', key);
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytesOf(`ape-key/1\n${x}`)));
  return `k_${Array.from(digest.slice(0, 16), (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

/**
 * Stores the key of a code. A person has typed this code again, because this tab did not have the key. Sends nothing. Returns null on
 * success, else a sentence that says why this tab still has no key.
 * @param {string} typed
 * @param {string} keyId the id of the key of the code with which the person signed in
 * @param {number} untilMs when this tab stops keeping the key: Unix ms by the clock of this device
 * @returns {Promise<string | null>}
 */
export async function keepAgain(typed, keyId, untilMs) {
  const read = await readCode(typed, false);
  if ('fault' in read)
    return read.isUnableToSeal ? 'This browser cannot sign with this code (no Ed25519).' : read.fault;
  if (read.seed === undefined || (await keyIdOf(read.seed)) !== keyId)
    return 'You signed in with another code. Nothing was sent.';
  keepKey(read.seed, untilMs);
  return null;
}

/** Writes a value in canonical JSON, as `src/core/grant/canonical-json.ts` does. @type {(value: any) => string} */
function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const names = Object.keys(value).sort();
  return `{${names.map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`).join(',')}}`;
}

/**
 * Seals a decision, and returns the seal.
 * @param {readonly number[]} seed the seed of the code's key, which this tab has stored
 * @param {object} document the document of the decision, from the server
 * @param {string} keyId the id of the code's key
 */
export async function sealWithCode(seed, document, keyId) {
  const text = bytesOf(`ape-sealed/1\n${canonical(document)}`);
  const signature = await crypto.subtle.sign('Ed25519', await signingKey(seed), text);
  return { kind: 'ed25519', keyId, signature: base64Url(new Uint8Array(signature)) };
}
