/** Whether passkeys work on the page that a person looks at, and where they do otherwise. */
import { type Html, html } from '../html.ts';

/**
 * `here`: yes. `elsewhere`: the same server answers at `origin`, where they do. `nowhere`: the server is reached by a number only.
 */
export type PasskeyOffer =
  | { readonly kind: 'here' }
  | { readonly kind: 'elsewhere'; readonly origin: string }
  | { readonly kind: 'nowhere' };

/**
 * Why not here; nothing where they work.
 * @param path the same page there
 * @param then what to do when it is open
 */
export function passkeyOfferHtml(offer: PasskeyOffer, path: string, then: string): Html | null {
  switch (offer.kind) {
    case 'here':
      return null;
    case 'elsewhere':
      return html`<p class="note">Passkeys do not work at this address: they need the name that the server is known by.
        <a href="${offer.origin}${path}">Open ${offer.origin}</a>. ${then}</p>`;
    case 'nowhere':
      return html`<p class="note">Passkeys do not work here: the server is reached by a number, and a passkey needs a name. Give it one with --public-url https://NAME.</p>`;
  }
}
