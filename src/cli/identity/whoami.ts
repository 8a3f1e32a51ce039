/** `apes whoami`: as whom this host asks, and which server. */
import type { Command } from 'commander';
import type { Whoami } from '../../core/wire/subject.ts';
import { callWithToken, failureOfAnswer } from '../../grants/client.ts';
import type { CliContext, Register } from '../context.ts';
import { answering, type Ending, failing } from '../ending.ts';

export const registerWhoami: Register = (program: Command, context: CliContext) => {
  program
    .command('whoami')
    .description('as whom this host asks, and which server')
    .option('--json', 'one JSON object')
    .action(context.settle(() => whoami(context)));
};

async function whoami(context: CliContext): Promise<Ending> {
  const installation = await context.openInstallation();
  if (!installation.ok) return failing(installation.failure);
  const client = context.openClient(installation.value, 'requester');
  if (!client.ok) return failing(client.failure);
  const answer = await callWithToken(client.value, { method: 'GET', path: '/v1/whoami' });
  if (!answer.ok) return failing(answer.failure);
  const who = answer.value.body as Whoami | null;
  if (answer.value.status !== 200 || typeof who?.subjectId !== 'string')
    return failing(failureOfAnswer(client.value, answer.value));
  const serverUrl = client.value.server.url;
  const { subjectId, role, name, host, user } = who;
  return answering(
    { subjectId, role, name, host, user, serverUrl },
    `${name} (${role} ${subjectId}) at ${serverUrl}\n`,
  );
}
