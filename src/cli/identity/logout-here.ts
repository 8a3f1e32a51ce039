/**
 * `apes logout`: removes the enrolment, the key and the token of this host. If the enrolment cannot be read, the token stays. The server is
 * not told, so the requester is not revoked.
 */
import { existsSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { failure } from '../../core/failure.ts';
import { loadIdentity, removeIdentity } from '../../grants/enrolment.ts';
import { errorCode } from '../../platform/private-files.ts';
import type { CliContext } from '../context.ts';
import { answering, type Ending, failing } from '../ending.ts';
import { endingWith } from '../opened.ts';

export const logoutHere = (context: CliContext): Promise<Ending> =>
  endingWith(context, async ({ paths: { keys, state } }) => {
    const known = loadIdentity(keys, 'requester');
    if (!known.ok && known.failure.detail === 'not-enrolled')
      return answering({ wasEnrolled: false }, 'this host is not enrolled\n');
    try {
      removeIdentity(keys, 'requester');
      const token = known.ok ? join(state, `token-${known.value.subjectId}.json`) : null;
      if (token !== null && existsSync(token)) unlinkSync(token);
    } catch (error) {
      return failing(failure('system', `the key cannot be removed from ${keys} (${errorCode(error)})`));
    }
    if (!known.ok) return answering({ wasEnrolled: true }, 'forgotten\n');
    const { name, serverUrl } = known.value;
    return answering({ wasEnrolled: true, name, serverUrl }, `forgotten: ${name} with ${serverUrl}\n`);
  });
