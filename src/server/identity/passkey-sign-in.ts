/** Signs a person in with a passkey alone. The passkey says who the person is. */
import { failed, type Result, success } from '../../core/result.ts';
import type { Assertion, PasskeyRequest } from '../../core/wire/passkeys.ts';
import { type Refusal, refusal } from '../refusal.ts';
import type { ServerParts } from '../server-ports.ts';
import { tooManySignIns } from './challenge.ts';
import { acceptAssertion, noPlaceForPasskeys } from './passkey-assertion.ts';
import { passkeyChallengeEndMs } from './passkey-challenge.ts';
import { passkeyRequest } from './passkey-request.ts';
import { newSecret } from './secrets.ts';
import { beginSession } from './session.ts';
import { signedChallenge } from './webauthn.ts';

const BINDING = { purpose: 'sign-in', subjectId: '', sessionHash: '' };

/** Makes the passkey request for the browser. Fails if the address of this server has no host name. */
export function signInRequest(parts: ServerParts): Result<PasskeyRequest, Refusal> {
  const request = passkeyRequest(parts, BINDING, []);
  return request === null ? failed(noPlaceForPasskeys) : success(request);
}

/**
 * Returns the secret of a new session. The session ends when the passkey is removed.
 * @param address the client's address; after too many failed sign-ins from this address, each failure is `tooManySignIns`
 */
export async function signInByPasskey(
  parts: ServerParts,
  assertion: Assertion,
  address: string,
  userAgent: string | undefined,
): Promise<Result<string, Refusal>> {
  const challenge = signedChallenge(assertion.clientDataJSON) ?? '';
  const spentUntilMs = passkeyChallengeEndMs(parts, BINDING, challenge);
  const secret = newSecret(parts.random);
  const signedIn =
    spentUntilMs === null
      ? failed(refusal('passkey.over', 'this prompt has ended; try again'))
      : await acceptAssertion(
          parts,
          { challenge, subjectId: null, mustVerifyUser: true, spentUntilMs },
          assertion,
          async (rows, { passkey, subject }) => {
            const whose = { subjectId: subject.id, passkeyId: passkey.id };
            await beginSession(parts, rows, secret, { ...whose, by: 'passkey', userAgent });
            return success(secret);
          },
        );
  if (signedIn.ok || parts.budgets.failedSignIns.take(address)) return signedIn;
  return failed(tooManySignIns);
}
