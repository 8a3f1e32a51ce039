/** Makes the page *Devices*: the passkeys, recovery codes and sign-ins of the viewer. */
import type { PasskeyView } from '../../core/wire/passkeys.ts';
import type { SignInView } from '../../core/wire/sign-ins.ts';
import { ageHtml } from '../cards/moments.ts';
import { type Html, html } from '../html.ts';
import { signInsHtml } from '../sign-ins-html.ts';
import { lineHtml } from '../visible-html.ts';
import { type PageFrame, page } from './page-frame.ts';
import { type PasskeyOffer, passkeyOfferHtml } from './passkey-offer.ts';

/**
 * @property offer whether passkeys work at this address
 * @property after what the person has just done: registered a device, or signed in with a recovery code; null: neither
 */
export interface DevicesView {
  readonly passkeys: readonly PasskeyView[];
  readonly recoveryCodesLeft: number;
  readonly offer: PasskeyOffer;
  readonly after: 'registered' | 'recovery' | null;
  /** The `keyId` of each key on the newest list of approvers. The `keyId` of a passkey is its credential id. */
  readonly sealing: readonly string[];
  readonly signIns: readonly SignInView[];
}

export function devicesPage(frame: PageFrame, view: DevicesView): string {
  const { passkeys, recoveryCodesLeft, offer, after, sealing, signIns } = view;
  return page(
    frame,
    html`${after !== null && afterHtml(after)}
      <section class="devices"><h2>Passkeys</h2>
        <p class="hint">A passkey is a key in your phone, your computer or a security key. You sign in and confirm approvals with it.</p>
        ${passkeys.length === 0 && html`<p class="none">No device is registered yet.</p>`}
        <div class="cards">${passkeys.map((passkey) => deviceHtml(passkey, sealingOf(passkey, passkeys, sealing)))}${addDeviceHtml(offer, passkeys)}</div>
      </section>
      <section class="recovery"><h2>Recovery codes</h2>
        <p class="hint">For the day when no device is at hand. Each code signs in once.</p>
        <div class="cards">${recoveryHtml(recoveryCodesLeft)}</div>
      </section>
      ${signInsHtml(signIns)}`,
  );
}

function sealingOf(passkey: PasskeyView, all: readonly PasskeyView[], sealing: readonly string[]) {
  if (!sealing.includes(passkey.credentialId)) return 'no';
  const others = all.filter(
    ({ id, rpId, copiedAtMs }) => id !== passkey.id && rpId === passkey.rpId && copiedAtMs === null,
  );
  return others.some(({ credentialId }) => sealing.includes(credentialId)) ? 'other' : 'alone';
}

const AFTER = {
  registered: 'This device is registered. Make recovery codes as well, if you have none yet.',
  recovery:
    'You signed in with a recovery code, which is used up now. Register this device, so that you need no code the next time.',
} as const;

const afterHtml = (after: keyof typeof AFTER): Html => html`<p class="note" role="status">${AFTER[after]}</p>`;

/**
 * @param sealing whether the passkey is on the list of approvers
 *                - `no`: the passkey is not on the list
 *                - `other`: the passkey and another usable passkey of this person, for the same address, are on the list
 *                - `alone`: the passkey is on the list. No other usable passkey of this person for the same address is on the list
 */
function deviceHtml(passkey: PasskeyView, sealing: 'no' | 'other' | 'alone'): Html {
  const { id, name, createdAtMs, lastUsedAtMs, isBackedUp, isThisDevice, copiedAtMs, rpId } = passkey;
  return html`<article class="card device" data-devices data-device-id="${id}">
      <header><p class="who"><strong>${lineHtml(name)}</strong></p>${isThisDevice && html`<span class="badge approved">This device</span>`}${copiedAtMs !== null && html`<span class="badge denied">Cloned?</span>`}</header>
      <p class="meta">registered ${ageHtml(createdAtMs)} · ${lastUsedAtMs === null ? 'not used yet' : html`last used ${ageHtml(lastUsedAtMs)}`} · for ${lineHtml(rpId)}${isBackedUp && ' · synced by a password manager'}</p>
      ${copiedAtMs !== null && html`<p class="note">The counter of this passkey went back ${ageHtml(copiedAtMs)}. The passkey may be a copy, and is not accepted any more. Remove this passkey, and register the device again.</p>`}
      <details class="rename"><summary>Rename …</summary>
        <label class="field">Name <input type="text" class="new-name" value="${name}" maxlength="64"></label>
        <button type="button" data-passkey="rename" data-id="${id}">Rename</button>
      </details>
      <details class="removal"><summary>Remove …</summary>
        <p class="hint">After the removal, this passkey cannot sign in or confirm. Its sessions end at once.</p>
        ${sealing === 'other' && html`<p class="note">Hosts accept the seals of this passkey until you sign a list of approvers that does not contain it. You will be asked to sign that list now, with another passkey of yours.</p>`}
        ${sealing === 'alone' && html`<p class="note">Hosts accept the seals of this passkey until a new list of approvers is signed that does not contain it. You have no other passkey that may sign such a list. <code>apes owner devices remove ${id}</code> on the server’s machine removes the device and signs the list.</p>`}
        <button type="button" class="deny" data-passkey="remove" data-id="${id}"${sealing === 'other' && html` data-sealing=""`}>Remove ${lineHtml(name)}</button>
      </details>
      <p class="message" role="status"></p>
    </article>`;
}

function addDeviceHtml(offer: PasskeyOffer, passkeys: readonly PasskeyView[]): Html {
  if (offer.kind !== 'here')
    return html`<div class="card add-device">${passkeyOfferHtml(offer, '/devices', 'Sign in there with a new link: apes owner link')}</div>`;
  return html`<div class="card add-device" data-devices>
      <label class="field">Name of this device <input type="text" class="device-name" maxlength="64" autocomplete="off"></label>
      <button type="button" class="approve" data-passkey="register">${passkeys.length === 0 ? 'Register this device' : 'Register another device'}</button>
      <p class="message" role="status"></p>
    </div>`;
}

function recoveryHtml(left: number): Html {
  return html`<article class="card" data-devices>
      <p>${left === 0 ? 'You have no recovery codes.' : `${left} ${left === 1 ? 'code is' : 'codes are'} unused.`}</p>
      <ul class="codes" hidden></ul>
      <details class="new-codes"><summary>${left === 0 ? 'Make ten codes …' : 'Make ten new codes …'}</summary>
        <p class="hint">The new codes are shown once. Your earlier codes stop working.</p>
        <button type="button" data-passkey="codes">Show ten codes now</button>
      </details>
      <p class="message" role="status"></p>
    </article>`;
}
