/** Makes the note beside a button: it says that the approval would not be sealed. */
import { type Html, html } from '../html.ts';

/**
 * Whether an approval on this page would be sealed.
 * - `by-passkey`: yes, with a passkey of the viewer
 * - `by-code`:    yes, with the key of the viewer's break-glass code
 * - `unsealed`:   no, because the list of approvers has no key with which the viewer can sign here
 * - `no-list`:    no, because there is no list of approvers
 */
export type Sealing = 'by-passkey' | 'by-code' | 'unsealed' | 'no-list';

export const isSealed = (sealing: Sealing | null): boolean => sealing === 'by-passkey' || sealing === 'by-code';

/** Returns null if the approval would be sealed, or if the viewer decides nothing. */
export const unsealedNote = (sealing: Sealing | null): Html | null =>
  sealing === null || isSealed(sealing)
    ? null
    : html`<span class="unsealed" title="Only the server vouches for the approval">not sealed</span>`;
