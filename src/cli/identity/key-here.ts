/** `apes key rotate`: replaces the key of this host and shows the code of the new key. */
import { type Failure, failure } from '../../core/failure.ts';
import { failed, type Result, success } from '../../core/result.ts';
import { type Identity, loadIdentity } from '../../grants/enrolment.ts';
import { rotateHostKey } from '../../grants/rotate.ts';
import { keyCode } from '../../platform/key-code.ts';
import { publicKeyOf } from '../../platform/key-pair.ts';
import type { CliContext } from '../context.ts';
import { answering, type Ending, failing } from '../ending.ts';
import { withClient } from '../opened.ts';

export async function rotateHere(context: CliContext): Promise<Ending> {
  const rotated = await withClient(context, 'requester', async ({ server, identity }, { paths }) => {
    const done = await rotateHostKey({ server, identity, keyDirectory: paths.keys });
    if (!done.ok) return done;
    const now = loadIdentity(paths.keys, 'requester');
    if (!now.ok) return now;
    // If the key is still the same, `rotateHostKey` returned `by-another`: another process was replacing the key. That process has failed
    // or has not finished.
    if (now.value.privateKey === identity.privateKey) return failed(notReplaced);
    const code = keyCodeOf(now.value);
    return code.ok ? success({ subjectId: identity.subjectId, serverUrl: server.url, keyCode: code.value }) : code;
  });
  if (!rotated.ok) return failing(rotated.failure);
  const { keyCode: code } = rotated.value;
  return answering(rotated.value, `this host has a new key, code ${code}; the page Requesters shows the same code\n`);
}

const notReplaced = failure(
  'unavailable',
  'another process of this host began to replace the key, and did not complete it',
  'call apes key rotate again',
);

/**
 * Returns the code of the key. Approvers see the same code, so people can compare the two codes. Fails (exit status 78) if the private
 * key cannot be read.
 */
export function keyCodeOf({ serverPublicKey, subjectId, privateKey }: Identity): Result<string, Failure> {
  const publicKey = publicKeyOf(privateKey);
  return publicKey === null
    ? failed(failure('configuration', 'the private key of this host cannot be read', 'enrol again: apes up'))
    : success(keyCode(serverPublicKey, subjectId, publicKey));
}
