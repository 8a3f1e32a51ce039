/** `apes sessions show ID`: everything about one session, and its screen. */
import { failure } from '../../core/failure.ts';
import type { ScreenView, SessionView } from '../../core/message/session-view.ts';
import { failed } from '../../core/result.ts';
import { systemClock } from '../../platform/clock.ts';
import { connectSession } from '../../session/client/client.ts';
import { findSession } from '../../session/client/find-session.ts';
import { heldSince } from '../../session/hold/kept-holds.ts';
import { sessionDirectory } from '../../session/registry.ts';
import type { CliContext } from '../context.ts';
import { answering, type Ending, failing } from '../ending.ts';
import { endingWith } from '../opened.ts';
import { sessionJson } from './list.ts';
import { sessionDetails } from './session-text.ts';

/** @param id an id or name, or the beginning of an id or name */
export const showSession = (context: CliContext, id: string): Promise<Ending> =>
  endingWith(context, async ({ paths }) => {
    const entry = await findSession(sessionDirectory(paths), id);
    if (!entry.ok) return failing(entry.failure);
    const client =
      entry.value.ended === null ? await connectSession(entry.value) : failed(failure('unavailable', 'it ended'));
    const screen = client.ok ? await client.value.ask('screen') : null;
    const view = client.ok ? await client.value.ask('describe') : null;
    if (client.ok) client.value.close();
    const listed = {
      entry: entry.value,
      view: view?.ok === true ? (view.value as SessionView) : null,
      heldSinceMs: heldSince(paths.run, entry.value.id),
    };
    const shown = screen?.ok === true ? (screen.value as ScreenView) : null;
    return answering({ ...sessionJson(listed), screen: shown }, sessionDetails(listed, shown, systemClock.nowMs()));
  });
