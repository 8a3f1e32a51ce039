/**
 * Returns a refusal unless the owner calls, signed in with a browser. An approver's key, with which `apes` signs in on a command line, does
 * not count.
 */
import type { Caller } from '../identity/authentication.ts';
import { OWNER_ID } from '../identity/owner.ts';
import { type Refusal, refusal } from '../refusal.ts';

export const ownerOnly = ({ subject, session }: Caller): Refusal | null =>
  subject.id === OWNER_ID && session !== null
    ? null
    : refusal('auth.forbidden', 'only the owner may do this, signed in with a browser or on the server’s machine');
