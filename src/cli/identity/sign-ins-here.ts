/** `apes owner sign-ins`: lists and ends sign-ins in the database of this installation's server. The server need not run. */
import { failure } from '../../core/failure.ts';
import { visibleLine } from '../../core/text/visible-text.ts';
import { systemClock } from '../../platform/clock.ts';
import type { CliContext } from '../context.ts';
import { answering, type Ending, failing } from '../ending.ts';
import { withOwnDatabase } from '../server/own-server.ts';
import { day } from './devices-here.ts';

/** Loads the code of the server only when a verb needs this code. */
const administration = () => import('../../server/identity/device-administration.ts');
const now = () => ({ nowMs: systemClock.nowMs() });

export async function signInsList(context: CliContext): Promise<Ending> {
  const found = await withOwnDatabase(context, async (store) => (await administration()).listSignIns(store, now()));
  if (!found.ok) return failing(found.failure);
  const lines = found.value.map(
    ({ id, personName, browser, createdAtMs, lastSeenAtMs }) =>
      `${id}  ${visibleLine(personName)}: ${visibleLine(browser ?? 'a browser')}, since ${day(createdAtMs)}, last used ${day(lastSeenAtMs)}\n`,
  );
  return answering({ signIns: found.value }, lines.length === 0 ? 'no browser is signed in\n' : lines.join(''));
}

/** @param id the whole id of a sign-in or of a person. With the id of a person, all sign-ins of this person end. */
export async function signInEnd(context: CliContext, id: string): Promise<Ending> {
  const ended = await withOwnDatabase(context, async (store) => (await administration()).endSignIns(store, id, now()));
  if (!ended.ok) return failing(ended.failure);
  if (ended.value > 0) return answering({ ended: ended.value }, `signed out: ${ended.value}\n`);
  return failing(
    failure(
      'usage',
      `there is no sign-in with the id ${visibleLine(id)}, and no person with this id is signed in`,
      'apes owner sign-ins list shows the ids',
    ),
  );
}
