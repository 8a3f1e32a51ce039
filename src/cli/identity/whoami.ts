/** `apes whoami`: shows the requester that this host is enrolled as, the code of the requester's key, and the URL of the server. */
import type { Command } from 'commander';
import { failed, success } from '../../core/result.ts';
import type { Whoami } from '../../core/wire/subject.ts';
import { callWithToken, failureOfAnswer } from '../../grants/client.ts';
import { loadIdentity } from '../../grants/enrolment.ts';
import type { CliContext, Register } from '../context.ts';
import { answering, type Ending, failing } from '../ending.ts';
import { withClient } from '../opened.ts';
import { keyCodeOf } from './key-here.ts';

export const registerWhoami: Register = (program: Command, context: CliContext) => {
  program
    .command('whoami')
    .description("this host's requester and grant server")
    .option('--json', 'one JSON object')
    .action(context.settle(() => whoami(context)));
};

async function whoami(context: CliContext): Promise<Ending> {
  const found = await withClient(context, 'requester', async (client, { paths }) => {
    const answer = await callWithToken(client, { method: 'GET', path: '/v1/whoami' });
    if (!answer.ok) return answer;
    const who = answer.value.body as Whoami | null;
    if (answer.value.status !== 200 || typeof who?.subjectId !== 'string')
      return failed(failureOfAnswer(client, answer.value));
    const now = loadIdentity(paths.keys, 'requester'); // The call may have replaced the key.
    const code = now.ok ? keyCodeOf(now.value) : now;
    return code.ok ? success({ ...who, keyCode: code.value, serverUrl: client.server.url }) : code;
  });
  if (!found.ok) return failing(found.failure);
  const { subjectId, role, name, host, user, keyCode, serverUrl } = found.value;
  return answering(
    { subjectId, role, name, host, user, keyCode, serverUrl },
    `${name} (${role} ${subjectId}) at ${serverUrl}, key ${keyCode}\n`,
  );
}
