/** Registers a passkey for signing in and confirming: makes the request to the browser, and checks and stores the new passkey. */
import { plainEvent } from '../../core/grant/audit-event.ts';
import { failed, type Result, success } from '../../core/result.ts';
import type { PasskeyCreation, Registration } from '../../core/wire/passkeys.ts';
import { sha256Hex } from '../../platform/digest.ts';
import type { Passkey } from '../../store/passkeys.ts';
import type { ApproverSession, Subject } from '../../store/store.ts';
import { MAX_PASSKEYS_PER_PERSON } from '../limits.ts';
import { type Refusal, refusal } from '../refusal.ts';
import { change, read, type ServerParts } from '../server-ports.ts';
import { authenticatorRefusal, noPlaceForPasskeys } from './passkey-assertion.ts';
import { newPasskeyChallenge, passkeyChallengeEndMs } from './passkey-challenge.ts';
import { passkeyPlace } from './passkey-place.ts';
import { credentialsOf, PASSKEY_TIMEOUT_MS, usableAt } from './passkey-request.ts';
import { newId } from './secrets.ts';
import { checkRegistration, PASSKEY_ALGORITHMS, signedChallenge } from './webauthn.ts';

const bindingOf = ({ hash, subjectId }: ApproverSession) => ({ purpose: 'register', subjectId, sessionHash: hash });

/**
 * Makes the request that tells the browser to make a passkey. The request lists the person's usable passkeys, so that no device is
 * registered twice. Fails if the server has no host name (`passkeyPlace`), or if the person has too many passkeys.
 */
export async function passkeyCreation(
  parts: ServerParts,
  subject: Subject,
  session: ApproverSession,
): Promise<Result<PasskeyCreation, Refusal>> {
  const place = passkeyPlace(parts.publicUrl());
  if (place === null) return failed(noPlaceForPasskeys);
  const own = await read(parts, async (rows) => success(await rows.passkeys.passkeysOf(subject.id)));
  if (!own.ok) return own;
  if (own.value.length >= MAX_PASSKEYS_PER_PERSON) return failed(tooMany);
  return success({
    challenge: newPasskeyChallenge(parts, bindingOf(session)),
    rpId: place.rpId,
    userId: Buffer.from(subject.id).toString('base64url'),
    userName: subject.name,
    algorithms: PASSKEY_ALGORITHMS,
    known: credentialsOf(usableAt(place, own.value)),
    timeoutMs: PASSKEY_TIMEOUT_MS,
  });
}

const tooMany = refusal(
  'passkey.too_many',
  `a person has at most ${MAX_PASSKEYS_PER_PERSON} devices; remove one that is not used any more`,
);

/**
 * Checks and stores the new passkey. A challenge registers at most one passkey. If the session has no passkey yet, binds the session to the
 * new passkey. A bound session ends when its passkey is removed.
 */
export async function registerPasskey(
  parts: ServerParts,
  session: ApproverSession,
  name: string,
  registration: Registration,
): Promise<Result<Passkey, Refusal>> {
  const place = passkeyPlace(parts.publicUrl());
  if (place === null) return failed(noPlaceForPasskeys);
  const challenge = signedChallenge(registration.clientDataJSON) ?? '';
  const endsAtMs = passkeyChallengeEndMs(parts, bindingOf(session), challenge);
  if (endsAtMs === null) return failed(authenticatorRefusal('challenge'));
  const checked = await checkRegistration(registration, place, challenge);
  if (!checked.ok) return failed(authenticatorRefusal(checked.failure));
  const id = newId('k', parts.random);
  return change(parts, async (rows) => {
    const nowMs = parts.clock.nowMs();
    if ((await rows.sessionHolder(session.hash, nowMs)) === undefined)
      return failed(refusal('auth.expired', 'the session is over; sign in again'));
    if (!(await rows.spendChallenge(sha256Hex(`passkey\n${challenge}`), endsAtMs)))
      return failed(authenticatorRefusal('challenge'));
    if ((await rows.passkeys.passkeyByCredential(checked.value.credentialId)) !== undefined)
      return failed(refusal('passkey.known', 'this passkey is or was on record; register another one'));
    if ((await rows.passkeys.passkeysOf(session.subjectId)).length >= MAX_PASSKEYS_PER_PERSON) return failed(tooMany);
    const passkey: Passkey = {
      id,
      subjectId: session.subjectId,
      rpId: place.rpId,
      ...checked.value,
      transports: registration.transports,
      name,
      createdAtMs: nowMs,
      lastUsedAtMs: null,
      copiedAtMs: null,
      revokedAtMs: null,
    };
    await rows.passkeys.insertPasskey(passkey);
    await rows.passkeys.bindSession(session.hash, id);
    rows.record(plainEvent('passkey.registered', session.subjectId, nowMs, { passkeyId: id, name, rpId: place.rpId }));
    return success(passkey);
  });
}
