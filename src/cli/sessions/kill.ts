/** `apes sessions kill ID` */
import { openSession } from '../../session/client/find-session.ts';
import type { SessionEnding } from '../../session/host/live-session.ts';
import { sessionDirectory } from '../../session/registry.ts';
import type { CliContext } from '../context.ts';
import { answering, type Ending, failing } from '../ending.ts';
import { visitor } from './session-screen.ts';
import { endingText } from './session-text.ts';

export async function killSession(context: CliContext, id: string): Promise<Ending> {
  const installation = await context.openInstallation();
  if (!installation.ok) return failing(installation.failure);
  const client = await openSession(sessionDirectory(installation.value.paths), id);
  if (!client.ok) return failing(client.failure);
  const ended = await client.value.ask('kill', { by: visitor() });
  client.value.close();
  if (!ended.ok) return failing(ended.failure);
  const ending = ended.value as SessionEnding;
  const { entry } = client.value;
  return answering({ id: entry.id, name: entry.name, ...ending }, `${entry.name ?? entry.id} ${endingText(ending)}\n`);
}
