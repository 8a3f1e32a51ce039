/**
 * Returns null if the owner calls, signed in with a browser; else a refusal. A command line that is signed in with an approver's key does
 * not count.
 */
import type { Caller } from '../identity/authentication.ts';
import { OWNER_ID } from '../identity/owner.ts';
import { type Refusal, refusal } from '../refusal.ts';

export const ownerOnly = ({ subject, session }: Caller): Refusal | null =>
  subject.id === OWNER_ID && session !== null
    ? null
    : refusal('auth.forbidden', 'only the owner may do this, signed in with a browser or on the server’s machine');
