/**
 * Checks that a person signed a given challenge with a passkey. Then one transaction records this use of the passkey and does the work of
 * the caller.
 */
import { plainEvent } from '../../core/grant/audit-event.ts';
import { failed, type Result, success } from '../../core/result.ts';
import type { Assertion } from '../../core/wire/passkeys.ts';
import { sha256Hex } from '../../platform/digest.ts';
import type { Passkey } from '../../store/passkeys.ts';
import type { StoreWriter, Subject } from '../../store/store.ts';
import { type Refusal, refusal } from '../refusal.ts';
import { change, read, type ServerParts } from '../server-ports.ts';
import { isPerson } from './audience.ts';
import { passkeyPlace } from './passkey-place.ts';
import { type AuthenticatorFault, checkAssertion, type SignedAssertion } from './webauthn.ts';

/**
 * @property challenge      the 32 bytes to sign, in base64url
 * @property subjectId      the person to whom the passkey must belong; null: any person
 * @property mustVerifyUser whether the authenticator must have checked who used it (PIN, finger, face)
 * @property spentUntilMs   the end of the challenge (Unix ms); until then the store remembers that the challenge was used
 */
export interface WantedAssertion {
  readonly challenge: string;
  readonly subjectId: string | null;
  readonly mustVerifyUser: boolean;
  readonly spentUntilMs: number;
}

/** @property passkey the passkey as it was before this use */
export interface AcceptedAssertion {
  readonly passkey: Passkey;
  readonly subject: Subject;
  readonly isUserVerified: boolean;
}

export const noPlaceForPasskeys = refusal(
  'passkey.no_name',
  'this server has only an IP address, and a passkey needs a host name; give the server a name (--public-url https://NAME)',
);

const unknownPasskey = refusal(
  'passkey.unknown',
  'this passkey is not on record here, or it was removed; use another passkey, a recovery code, or a link (apes owner link)',
);

const copiedPasskey = refusal(
  'passkey.copied',
  'the counter of this passkey went back, so the passkey may be a copy. This server no longer accepts the passkey. Sign in in another way, remove this passkey, and register the device again',
);

const FAULTS: Readonly<Record<AuthenticatorFault, Refusal>> = {
  origin: refusal(
    'passkey.origin',
    'the passkey was used on a page at another address; open this server at its own address',
  ),
  challenge: refusal('passkey.over', 'this prompt has ended, or was answered already; try again'),
  unverified: refusal(
    'passkey.unverified',
    'the device did not check who used it; unlock it with a PIN, a finger or a face, and try again',
  ),
  forged: refusal(
    'passkey.refused',
    'this is not the signature of a passkey on record; try again, or use another passkey',
  ),
};

export const authenticatorRefusal = (fault: AuthenticatorFault): Refusal => FAULTS[fault];

/**
 * Checks the signature. Then one transaction spends the challenge, stores the counter, and does `work`. If `work` returns a failure, the
 * transaction is committed all the same: the challenge stays spent, and what `work` has written stays. Fails, and does no `work`:
 * - if the server has no host name (`noPlaceForPasskeys`)
 * - if the signature or the challenge is not valid, or the challenge was used before
 * - if the passkey is unknown, removed or blocked
 * - if the passkey belongs to another person, or if its person is revoked
 * - if the authenticator did not check its user, and `mustVerifyUser` is true
 * - if the counter has gone back (`hasGoneBack`); in this case the passkey is blocked
 */
export async function acceptAssertion<T>(
  parts: ServerParts,
  wanted: WantedAssertion,
  assertion: Assertion,
  work: (rows: StoreWriter, accepted: AcceptedAssertion) => Promise<Result<T, Refusal>>,
): Promise<Result<T, Refusal>> {
  const place = passkeyPlace(parts.publicUrl());
  if (place === null) return failed(noPlaceForPasskeys);
  const known = await read(parts, async (rows) =>
    success(await rows.passkeys.passkeyByCredential(assertion.credentialId)),
  );
  if (!known.ok) return known;
  if (known.value === undefined) return refuse(parts, unknownPasskey);
  const signed = await checkAssertion(known.value, assertion, place, wanted.challenge);
  if (!signed.ok) return refuse(parts, FAULTS[signed.failure], known.value);
  if (wanted.mustVerifyUser && !signed.value.isUserVerified) return refuse(parts, FAULTS.unverified, known.value);
  const { id } = known.value;
  return change(parts, async (rows) => {
    const used = await use(parts, rows, id, wanted, assertion, signed.value);
    return used.ok ? work(rows, used.value) : refuse(parts, used.failure, { id });
  });
}

function refuse(parts: ServerParts, refused: Refusal, passkey?: Pick<Passkey, 'id'>): Result<never, Refusal> {
  parts.log.warn({ code: refused.code, passkey: passkey?.id }, 'passkey refused');
  return failed(refused);
}

/** Uses the passkey. Reads the passkey again in the transaction: it may have been used or removed since the check of the signature. */
async function use(
  parts: ServerParts,
  rows: StoreWriter,
  passkeyId: string,
  wanted: WantedAssertion,
  assertion: Assertion,
  signed: SignedAssertion,
): Promise<Result<AcceptedAssertion, Refusal>> {
  const nowMs = parts.clock.nowMs();
  const passkey = await rows.passkeys.passkey(passkeyId);
  const subject = passkey === undefined ? undefined : await rows.subject(passkey.subjectId);
  if (passkey === undefined || subject === undefined || !isTheirs(passkey, subject, wanted, assertion))
    return failed(unknownPasskey);
  if (passkey.copiedAtMs !== null) return failed(copiedPasskey);
  if (!(await rows.spendChallenge(sha256Hex(`passkey\n${wanted.challenge}`), wanted.spentUntilMs)))
    return failed(FAULTS.challenge);
  if (hasGoneBack(passkey, signed)) return putAside(rows, passkey, signed, nowMs);
  const { counter, isBackedUp, isUserVerified } = signed;
  const isCounted = await rows.passkeys.usePasskey({
    id: passkey.id,
    counterBefore: passkey.counter,
    counter,
    isBackedUp,
    atMs: nowMs,
  });
  return isCounted ? success({ passkey, subject, isUserVerified }) : failed(FAULTS.challenge);
}

function isTheirs(passkey: Passkey, subject: Subject, wanted: WantedAssertion, { userHandle }: Assertion): boolean {
  if (passkey.revokedAtMs !== null || subject.revokedAtMs !== null || !isPerson(subject)) return false;
  if (userHandle != null && Buffer.from(userHandle, 'base64url').toString() !== subject.id) return false;
  return wanted.subjectId === null || wanted.subjectId === subject.id;
}

/** Whether the counter did not increase. Returns false for an authenticator without a counter, which always sends 0. */
const hasGoneBack = (passkey: Passkey, { counter }: SignedAssertion): boolean =>
  (counter > 0 || passkey.counter > 0) && counter <= passkey.counter;

async function putAside(
  rows: StoreWriter,
  passkey: Passkey,
  { counter }: SignedAssertion,
  nowMs: number,
): Promise<Result<never, Refusal>> {
  await rows.passkeys.putPasskeyAside(passkey.id, nowMs);
  const facts = { passkeyId: passkey.id, name: passkey.name, counter, counterBefore: passkey.counter };
  rows.record(plainEvent('passkey.copied', passkey.subjectId, nowMs, facts));
  return failed(copiedPasskey);
}
