/** The names that the completions offer: sessions of this host, and pending grants. After a failure there are no names and no message. */
import { quoteWord } from '../../core/text/quote.ts';
import { visibleLine } from '../../core/text/visible-text.ts';
import { listGrants } from '../../grants/client.ts';
import { readEntries, sessionDirectory } from '../../session/registry.ts';
import type { CliContext } from '../context.ts';
import { withClient, withInstallation } from '../opened.ts';

/** Pairs of a name and its description. */
type Names = readonly (readonly [string, string])[];

const MAX_NAMES = 50;
const DESCRIPTION_WIDTH = 60;

/** Reads the names from the registry of sessions, without a connection to any session. */
export async function sessionNames(context: CliContext): Promise<Names> {
  const entries = await withInstallation(context, ({ paths }) => readEntries(sessionDirectory(paths)));
  if (!entries.ok) return [];
  return entries.value
    .filter(({ ended }) => ended === null)
    .map(({ id, name, program }) => [name ?? id, short(program.map(quoteWord).join(' '))]);
}

/** Reads the newest `MAX_NAMES` pending grants of this requester; with an owner key, also the newest pending grants of all requesters. */
export async function grantNames(context: CliContext): Promise<Names> {
  const lists = await Promise.all(
    (['requester', 'owner'] as const).map(async (role) => {
      const found = await withClient(context, role, (client) =>
        listGrants(client, { state: 'pending', limit: MAX_NAMES }),
      );
      return found.ok ? found.value : [];
    }),
  );
  return [...new Map(lists.flat().map(({ id, request }) => [id, short(request.text)]))];
}

/** Returns the text as one short line without tabs. */
const short = (text: string): string => {
  const line = visibleLine(text);
  return line.length > DESCRIPTION_WIDTH ? `${line.slice(0, DESCRIPTION_WIDTH - 1)}…` : line;
};
