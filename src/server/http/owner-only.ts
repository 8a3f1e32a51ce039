/**
 * Returns null if the caller is the owner in a browser session. Refuses every other caller, even the owner who uses an approver's key on a
 * command line.
 */
import type { Caller } from '../identity/authentication.ts';
import { OWNER_ID } from '../identity/owner.ts';
import { type Refusal, refusal } from '../refusal.ts';

export const ownerOnly = ({ subject, session }: Caller): Refusal | null =>
  subject.id === OWNER_ID && session !== null
    ? null
    : refusal('auth.forbidden', 'only the owner may do this: in a browser after a sign-in, or on the server’s machine');
