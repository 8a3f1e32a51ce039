/**
 * `apes logout`: removes the enrolment, the key and the token of this host. Does not tell the server: the requester is not revoked. If the
 * enrolment cannot be read, removes all tokens of this installation, also the tokens for its other keys. `apes` can get new tokens for
 * these keys.
 */
import { failure } from '../../core/failure.ts';
import { hasIdentityFiles, loadIdentity, removeIdentity } from '../../grants/enrolment.ts';
import { removeTokens } from '../../grants/token.ts';
import { errorCode } from '../../platform/private-files.ts';
import type { CliContext } from '../context.ts';
import { answering, type Ending, failing } from '../ending.ts';
import { endingWith } from '../opened.ts';

export const logoutHere = (context: CliContext): Promise<Ending> =>
  endingWith(context, async ({ paths: { keys, state } }) => {
    const known = loadIdentity(keys, 'requester');
    if (!hasIdentityFiles(keys, 'requester')) return answering({ wasEnrolled: false }, 'this host is not enrolled\n');
    try {
      // The key is removed last: without a key, the next call would remove no token.
      removeTokens(state, known.ok ? known.value.subjectId : null);
      removeIdentity(keys, 'requester');
    } catch (error) {
      return failing(failure('system', `the token or the key cannot be removed from this host (${errorCode(error)})`));
    }
    if (!known.ok) return answering({ wasEnrolled: true }, 'forgotten\n');
    const { name, serverUrl } = known.value;
    return answering({ wasEnrolled: true, name, serverUrl }, `forgotten: ${name} with ${serverUrl}\n`);
  });
