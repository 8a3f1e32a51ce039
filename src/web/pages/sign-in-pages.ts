/** Makes the pages on which a person signs in by a link, a passkey or a code. */
import type { WebAssets } from '../assets.ts';
import { type Html, html } from '../html.ts';
import { plainPage } from './page-frame.ts';
import { type PasskeyOffer, passkeyOfferHtml } from './passkey-offer.ts';

/** Loads the script for passkeys and codes. */
const passkeyScript = ({ passkeys }: WebAssets): Html => html`<script type="module" src="${passkeys.path}"></script>`;

/**
 * Makes the page of a sign-in link. Programs that preview links also open this page. So opening the page does not use up the link: only
 * sending the form does.
 */
export const signInPage = (assets: WebAssets, token: string, offer: PasskeyOffer): string =>
  plainPage(
    assets,
    'Sign in',
    html`<p>This link works once. This browser then stays signed in for 30 days after your last visit.</p>
      <form method="post" action="/sign-in/${token}"><button class="approve">Sign in</button></form>
      ${
        offer.kind === 'here'
          ? html`<form method="post" action="/sign-in/${token}?then=devices"><button>Go on, and register this device</button></form>
            <p class="hint">With a passkey on this device you need no link the next time.</p>`
          : passkeyOfferHtml(
              offer,
              `${assets.basePath}/sign-in/${token}`,
              'At that address, this link can also register a passkey.',
            )
      }`,
  );

/** Makes the page for a browser that is not signed in. The page offers to sign in with a passkey or a code, and says how to make a link. */
export const notSignedInPage = (assets: WebAssets, offer: PasskeyOffer): string =>
  plainPage(
    assets,
    'Not signed in',
    html`${
      offer.kind === 'here'
        ? html`<div data-devices><button type="button" class="approve" data-passkey="sign-in">Use a passkey</button>
            <p class="message" role="status"></p><noscript><p class="hint">A passkey needs JavaScript.</p></noscript></div>`
        : passkeyOfferHtml(offer, `${assets.basePath}/`, 'At that address, you can sign in with a passkey.')
    }
      <p data-not-signed-in>On the server’s machine, run</p><pre class="shell">apes owner link</pre><p>and open the printed address in this browser.</p>
      <details data-devices><summary>Use a recovery code, or a break-glass code</summary>
        <form><label class="field">Code <input type="text" class="recovery-code" maxlength="64" autocomplete="off" autocapitalize="off" spellcheck="false" placeholder="xxxx-xxxx-xxxx-xxxx"></label>
        <button type="button" data-passkey="recovery-code">Sign in with this code</button></form>
        <p class="hint">With a break-glass code you decide alone for 15 minutes. The server notifies every approver at once, and the record shows the use of the code.</p>
        <p class="message" role="status"></p>
      </details>`,
    passkeyScript(assets),
  );

/** Makes the page of a sign-in link that was used already, has expired, or never existed. */
export const linkOverPage = (assets: WebAssets): string =>
  plainPage(
    assets,
    'This link is over',
    html`<p>A sign-in link works once, within 15 minutes; an invitation works once, within 24 hours.</p><p>Make a new link on the server’s machine:</p><pre class="shell">apes owner link</pre>
      <p><a class="button" href="/">Sign in another way</a></p>`,
  );
