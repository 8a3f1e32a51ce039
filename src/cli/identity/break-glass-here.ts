/** `apes owner break-glass`: makes and ends break-glass codes in the database of this installation's server. */
import { formatTimeLeft } from '../../core/text/duration.ts';
import { visibleLine } from '../../core/text/visible-text.ts';
import { systemClock } from '../../platform/clock.ts';
import type { CliContext } from '../context.ts';
import { answering, type Ending, failing } from '../ending.ts';
import { day, inDatabase } from './devices-here.ts';

const administration = () => import('../../server/identity/people-administration.ts');
const now = () => ({ nowMs: systemClock.nowMs() });

export async function breakGlassList(context: CliContext): Promise<Ending> {
  const at = now();
  const found = await inDatabase(context, async (store) => (await administration()).readBreakGlass(store, at));
  if (!found.ok) return failing(found.failure);
  const { codes, open } = found.value;
  const lines = [
    ...open.map(
      ({ id, name, untilMs }) =>
        `${id}  ${visibleLine(name)}, decides alone for ${formatTimeLeft(untilMs - at.nowMs)}\n`,
    ),
    ...codes.map(({ id, name, createdAtMs }) => `${id}  ${visibleLine(name)}, made ${day(createdAtMs)}\n`),
  ];
  return answering({ codes, open }, lines.length === 0 ? 'no break-glass codes\n' : lines.join(''));
}

export async function breakGlassMake(context: CliContext, name: string): Promise<Ending> {
  const made = await inDatabase(context, async (store) =>
    (await administration()).makeBreakGlassCode(store, name, now()),
  );
  if (!made.ok) return failing(made.failure);
  const { id, code } = made.value;
  return answering(
    { id, code },
    `${code}\nWrite it down and seal it in an envelope: it works once, and is not shown again. Take it back: apes owner break-glass end ${id}\n`,
  );
}

export async function breakGlassEnd(context: CliContext, id: string): Promise<Ending> {
  const ended = await inDatabase(context, async (store) => (await administration()).endBreakGlassOf(store, id, now()));
  return ended.ok ? answering({ id }, 'ended\n') : failing(ended.failure);
}
