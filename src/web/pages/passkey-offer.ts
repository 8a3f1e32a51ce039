/** Says on a page that passkeys do not work at the page's address, and where passkeys work. */
import { type Html, html } from '../html.ts';

/**
 * - `here`:      passkeys work on this page
 * - `elsewhere`: passkeys work at `origin`; the same server answers there
 * - `nowhere`:   the server has only an IP address
 */
export type PasskeyOffer =
  | { readonly kind: 'here' }
  | { readonly kind: 'elsewhere'; readonly origin: string }
  | { readonly kind: 'nowhere' };

/**
 * Returns a note that says why passkeys do not work on this page; null if passkeys work.
 * @param path the path of the same page at the other origin
 * @param then a sentence that says what the person can do at the other origin
 */
export function passkeyOfferHtml(offer: PasskeyOffer, path: string, then: string): Html | null {
  switch (offer.kind) {
    case 'here':
      return null;
    case 'elsewhere':
      return html`<p class="note">Passkeys do not work at this address: they need the name that the server is known by.
        <a href="${offer.origin}${path}">Open ${offer.origin}</a>. ${then}</p>`;
    case 'nowhere':
      return html`<p class="note">Passkeys do not work here: the server has only an IP address, and a passkey needs a host name. Give the server a name with --public-url https://NAME.</p>`;
  }
}
