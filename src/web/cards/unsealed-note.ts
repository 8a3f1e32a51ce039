/** Says beside a button that the approval would not be sealed. */
import { type Html, html } from '../html.ts';

/**
 * Whether an approval on this page would be sealed.
 * `unsealed`: there is a list of approvers, without a passkey of the viewer that can sign here; `no-list`: no approval has a seal
 */
export type Sealing = 'by-passkey' | 'unsealed' | 'no-list';

/** Returns null if the approval would be sealed, or if the viewer decides nothing. */
export const unsealedNote = (sealing: Sealing | null): Html | null =>
  sealing === null || sealing === 'by-passkey'
    ? null
    : html`<span class="unsealed" title="Only the server vouches for it">not sealed</span>`;
