/** Demands a passkey for changes that a stolen cookie alone must not allow. */

import { plainEvent } from '../../core/grant/audit-event.ts';
import { canonicalJson } from '../../core/grant/canonical-json.ts';
import { failed, type Result, success } from '../../core/result.ts';
import type { Assertion } from '../../core/wire/passkeys.ts';
import { sha256Hex } from '../../platform/digest.ts';
import type { Passkey } from '../../store/passkeys.ts';
import { type Refusal, refusal } from '../refusal.ts';
import { read, type ServerParts } from '../server-ports.ts';
import type { Caller } from './authentication.ts';
import { acceptAssertion, noPlaceForPasskeys } from './passkey-assertion.ts';
import { type ChallengeBinding, passkeyChallengeEndMs } from './passkey-challenge.ts';
import { passkeyRequest } from './passkey-request.ts';
import { signedChallenge } from './webauthn.ts';

/**
 * How long a session is fresh after sign-in. In a fresh session, only approvals need a passkey. So a person who has lost a device can
 * register a new one.
 */
const FRESH_SESSION_MS = 10 * 60_000;

/**
 * @property verb  what the person wants to do, for example `approve` or `remove`
 * @property about everything that the person agrees to, as a value that `canonicalJson` accepts. The signature is valid only for this value
 * @property isNeededWhenFresh true: the passkey is needed even in a fresh session; absent: only in a session that is not fresh
 */
export interface Confirmation {
  readonly verb: string;
  readonly about: unknown;
  readonly isNeededWhenFresh?: true;
}

/**
 * Returns null if the caller has confirmed the change. Also returns null if no confirmation is needed:
 * - the person has no passkey
 * - the caller signed in with an approver's key (`apes` on a command line)
 * - the session is fresh, and `isNeededWhenFresh` is absent.
 *
 * The refusal `passkey.needed` contains the challenge to sign. The server records an accepted assertion. The assertion cannot be used
 * again, even if the server later refuses the change itself.
 */
export async function confirmByPasskey(
  parts: ServerParts,
  caller: Caller,
  confirmation: Confirmation,
  assertion: Assertion | undefined,
): Promise<Refusal | null> {
  const { session, subject } = caller;
  if (session === null) return null; // the caller has an approver's key, which has to sign in again every 15 minutes
  const own = await read(parts, async (rows) => success(await rows.passkeys.passkeysOf(subject.id)));
  if (!own.ok) return own.failure;
  if (own.value.length === 0) return null;
  const isFresh = parts.clock.nowMs() - session.createdAtMs < FRESH_SESSION_MS;
  if (isFresh && confirmation.isNeededWhenFresh !== true) return null;
  const purpose = purposeOf(confirmation);
  if (purpose === null) return refusal('request.malformed', 'this change cannot be written as a text to sign');
  const binding = { purpose, subjectId: subject.id, sessionHash: session.hash };
  if (assertion === undefined) return needed(parts, binding, own.value);
  const confirmed = await accept(parts, binding, confirmation, assertion);
  return confirmed.ok ? null : confirmed.failure;
}

/** Returns the text to sign. Returns null if `about` has no canonical JSON: one signature could then fit several changes. */
export function purposeOf({ verb, about }: Pick<Confirmation, 'verb' | 'about'>): string | null {
  const text = canonicalJson(about);
  return text === null ? null : `${verb}\n${sha256Hex(text)}`;
}

function needed(parts: ServerParts, binding: ChallengeBinding, passkeys: readonly Passkey[]): Refusal {
  const request = passkeyRequest(parts, binding, passkeys);
  if (request === null) return noPlaceForPasskeys;
  if (request.credentials.length === 0)
    return refusal(
      'passkey.none_here',
      'none of your devices can confirm this here; sign in with a new link (apes owner link) or a recovery code, and register this device',
    );
  return { ...refusal('passkey.needed', 'confirm this with your passkey'), passkey: request };
}

async function accept(
  parts: ServerParts,
  binding: ChallengeBinding,
  { verb }: Confirmation,
  assertion: Assertion,
): Promise<Result<null, Refusal>> {
  const challenge = signedChallenge(assertion.clientDataJSON) ?? '';
  const spentUntilMs = passkeyChallengeEndMs(parts, binding, challenge);
  if (spentUntilMs === null)
    return failed(refusal('passkey.over', 'this prompt has ended, or was for something else; try again'));
  const wanted = { challenge, subjectId: binding.subjectId, mustVerifyUser: true, spentUntilMs };
  return acceptAssertion(parts, wanted, assertion, async (rows, { passkey, subject }) => {
    const facts = { verb, passkeyId: passkey.id, name: passkey.name };
    rows.record(plainEvent('passkey.confirmed', subject.id, parts.clock.nowMs(), facts));
    return success(null);
  });
}
