/** Shows the sign-ins of the person on the page *Devices*. */
import type { SignInView } from '../core/wire/sign-ins.ts';
import { ageHtml } from './cards/moments.ts';
import { type Html, html } from './html.ts';
import { lineHtml } from './visible-html.ts';

export function signInsHtml(signIns: readonly SignInView[]): Html {
  const others = signIns.filter(({ isThis }) => !isThis).length;
  return html`<section class="sign-ins"><h2>Signed in</h2>
      <p class="hint">Each browser stays signed in for 30 days after its last use. You can sign out every other browser.</p>
      <div class="cards">${signIns.map(signInHtml)}${others > 0 && endOthersHtml(others)}</div>
    </section>`;
}

function signInHtml({ id, browser, isThis, createdAtMs, lastSeenAtMs }: SignInView): Html {
  const name = browser ?? 'A browser';
  return html`<article class="card sign-in" data-devices data-sign-in-id="${id}">
      <header><p class="who"><strong>${lineHtml(name)}</strong></p>${isThis && html`<span class="badge approved">This one</span>`}</header>
      <p class="meta">since ${ageHtml(createdAtMs)} · last used ${ageHtml(lastSeenAtMs)} (noted once an hour)</p>
      ${!isThis && html`<button type="button" class="deny" data-passkey="end-sign-in" data-id="${id}">Sign ${lineHtml(name)} out</button>`}
      <p class="message" role="status"></p>
    </article>`;
}

const endOthersHtml = (others: number): Html =>
  html`<article class="card" data-devices>
      <button type="button" class="deny" data-passkey="end-other-sign-ins">Sign out everywhere else (${others})</button>
      <p class="message" role="status"></p>
    </article>`;
