/** Recovery codes. A person gets ten codes. Each code signs the person in once, without a device. Only hashes of codes are stored. */
import { plainEvent } from '../../core/grant/audit-event.ts';
import { failed, type Result, success } from '../../core/result.ts';
import { base32 } from '../../platform/base32.ts';
import { sha256Hex } from '../../platform/digest.ts';
import type { StoreWriter } from '../../store/store.ts';
import { type Refusal, refusal } from '../refusal.ts';
import { change, read, type ServerParts } from '../server-ports.ts';
import { breakGlassIsLive, type NotifyOfBreakGlass, openBreakGlass } from './break-glass.ts';
import { tooManySignIns } from './challenge.ts';
import { newSecret, type Random } from './secrets.ts';
import { beginSession } from './session.ts';

const CODES = 10;
/** 80 random bits, written as 16 characters: a code cannot be guessed over the network. */
const CODE_BYTES = 10;

const hashOf = (code: string): string => sha256Hex(`recovery\n${code.toLowerCase().replace(/[^a-z2-7]/g, '')}`);

/** Makes new codes. The result is shown only once. The person's earlier codes become invalid. */
export async function newRecoveryCodes(
  rows: StoreWriter,
  subjectId: string,
  random: Random,
  nowMs: number,
): Promise<readonly string[]> {
  const codes = Array.from({ length: CODES }, () => base32(random(CODE_BYTES)).replace(/(.{4})(?!$)/g, '$1-'));
  await rows.passkeys.replaceRecoveryCodes(subjectId, codes.map(hashOf), nowMs);
  rows.record(plainEvent('recovery.made', subjectId, nowMs, { codes: CODES }));
  return codes;
}

const unknownCode = refusal('recovery.unknown', 'this code is not known here, or was used already; use another one');

/** @property secret the secret of the new session */
interface SignedIn {
  readonly secret: string;
  readonly isBreakGlass: boolean;
}

/**
 * Spends a recovery code or a break-glass code to sign in. Fails if the code is unknown or was used already. A wrong code causes no write
 * to the database.
 * @param address the caller's address. After too many failed sign-ins from this address, the failure is `tooManySignIns`. Even then, a
 *                right code signs in
 */
export async function signInByCode(
  parts: ServerParts,
  code: string,
  address: string,
  userAgent: string | undefined,
  notify: NotifyOfBreakGlass,
): Promise<Result<SignedIn, Refusal>> {
  const hash = hashOf(code);
  const found = await read(parts, async (rows) =>
    success({
      isLive: await rows.passkeys.recoveryCodeIsLive(hash),
      isBreakGlass: await breakGlassIsLive(rows, code, parts.clock.nowMs()),
    }),
  );
  if (!found.ok) return found;
  const { isLive, isBreakGlass } = found.value;
  const secret = isLive
    ? await spend(parts, hash, userAgent)
    : isBreakGlass
      ? await breakGlass(parts, code, userAgent, notify)
      : failed(unknownCode);
  if (secret.ok) return success({ secret: secret.value, isBreakGlass: !isLive });
  return parts.budgets.failedSignIns.take(address) ? secret : failed(tooManySignIns);
}

const breakGlass = (
  parts: ServerParts,
  code: string,
  userAgent: string | undefined,
  notify: NotifyOfBreakGlass,
): Promise<Result<string, Refusal>> =>
  change(parts, async (rows) => {
    const secret = await openBreakGlass(parts, rows, code, userAgent, notify);
    return secret === null ? failed(unknownCode) : success(secret);
  });

function spend(parts: ServerParts, hash: string, userAgent: string | undefined): Promise<Result<string, Refusal>> {
  const secret = newSecret(parts.random);
  return change(parts, async (rows) => {
    const nowMs = parts.clock.nowMs();
    const subjectId = await rows.passkeys.spendRecoveryCode(hash, nowMs);
    const subject = subjectId === undefined ? undefined : await rows.subject(subjectId);
    if (subject === undefined || subject.revokedAtMs !== null) return failed(unknownCode);
    const whose = { subjectId: subject.id, passkeyId: null };
    await beginSession(parts, rows, secret, { ...whose, by: 'recovery-code', userAgent });
    return success(secret);
  });
}
