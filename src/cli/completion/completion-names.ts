/** The names that the completions offer: sessions of this host, and pending grants. */
import { quoteWord } from '../../core/text/quote.ts';
import { visibleLine } from '../../core/text/visible-text.ts';
import { listGrants } from '../../grants/client.ts';
import { readEntries, sessionDirectory } from '../../session/registry.ts';
import type { CliContext } from '../context.ts';

type Names = readonly (readonly [string, string])[];

const MAX_NAMES = 50;
const DESCRIPTION_WIDTH = 60;

/** Reads the names from the registry of sessions, without a connection to any session. */
export async function sessionNames(context: CliContext): Promise<Names> {
  const installation = await context.openInstallation();
  const entries = installation.ok ? readEntries(sessionDirectory(installation.value.paths)) : installation;
  if (!entries.ok) return [];
  return entries.value
    .filter(({ ended }) => ended === null)
    .map(({ id, name, program }) => [name ?? id, short(program.map(quoteWord).join(' '))]);
}

/** Reads the newest `MAX_NAMES` pending grants of this requester; with an owner key, also those of all requesters. */
export async function grantNames(context: CliContext): Promise<Names> {
  const installation = await context.openInstallation();
  if (!installation.ok) return [];
  const lists = await Promise.all(
    (['requester', 'owner'] as const).map(async (role) => {
      const client = context.openClient(installation.value, role);
      const found = client.ok ? await listGrants(client.value, { state: 'pending', limit: MAX_NAMES }) : client;
      return found.ok ? found.value : [];
    }),
  );
  return [...new Map(lists.flat().map(({ id, request }) => [id, short(request.text)]))];
}

/** Makes one short line without a tab from a text. */
const short = (text: string): string => {
  const line = visibleLine(text);
  return line.length > DESCRIPTION_WIDTH ? `${line.slice(0, DESCRIPTION_WIDTH - 1)}…` : line;
};
