/** Sessions as text for a terminal. Control characters in texts of programs are made visible. */

import type { ScreenView, SessionView } from '../../core/message/session-view.ts';
import { formatDuration } from '../../core/text/duration.ts';
import { quoteWord } from '../../core/text/quote.ts';
import { visibleLine } from '../../core/text/visible-text.ts';
import type { ListedSession } from '../../session/client/find-session.ts';
import type { SessionEntry } from '../../session/registry.ts';
import type { Colour, Paint } from '../colour.ts';

const PROGRAM_WIDTH = 40;
const TITLE_WIDTH = 30;
const STATE_COLUMN = 3;

/** Returns a heading and one line for each session, or `no sessions`. */
export function sessionTable(sessions: readonly ListedSession[], nowMs: number, paint: Paint): string {
  if (sessions.length === 0) return 'no sessions\n';
  const rows = sessions.map((each) => rowOf(each, nowMs));
  const table = [['SESSION', 'NAME', 'KIND', 'STATE', 'SIZE', 'IDLE', 'PROGRAM', 'TITLE'], ...rows];
  const widths = table[0]?.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0))) ?? [];
  return table
    .map((row) => row.map((text, column) => text.padEnd(column === row.length - 1 ? 0 : (widths[column] ?? 0))))
    .map((row, at) =>
      row.map((text, column) => (column === STATE_COLUMN ? paint(colourOf(sessions[at - 1]), text) : text)),
    )
    .map((row) => row.join('  ').trimEnd())
    .map((line) => `${line}\n`)
    .join('');
}

/**
 * Yellow: the session waits for a human. Dim: the session has ended. Red: the session does not answer. Green: any other session.
 * @param session undefined: the heading, which has no colour
 */
function colourOf(session: ListedSession | undefined): Colour | null {
  if (session === undefined) return null;
  const { entry, view } = session;
  if (entry.ended !== null) return 'dim';
  if (view === null) return 'red';
  return view.pendingGrant !== null || view.state === 'waiting_input' || view.state === 'blocked' ? 'yellow' : 'green';
}

function rowOf({ entry, view, heldSinceMs }: ListedSession, nowMs: number): readonly string[] {
  const program = clip(programText(view?.program ?? entry.program), PROGRAM_WIDTH);
  return [
    entry.id,
    entry.name ?? '-',
    entry.kind,
    stateText(entry, view, heldSinceMs),
    view === null ? '-' : `${view.columns}x${view.rows}`,
    view === null ? agoText(entry, nowMs) : formatDuration(view.idleMs),
    program,
    clip(visibleLine(view?.title ?? ''), TITLE_WIDTH),
  ];
}

const agoText = (entry: SessionEntry, nowMs: number): string =>
  entry.ended === null ? '-' : `${formatDuration(nowMs - entry.ended.atMs)} ago`;

function stateText(entry: SessionEntry, view: SessionView | null, heldSinceMs: number | null): string {
  if (entry.ended !== null) return endingText(entry.ended);
  if (heldSinceMs !== null) return 'held';
  if (view === null) return 'does not answer';
  if (view.pendingGrant !== null) return `waits for ${view.pendingGrant}`;
  return view.state ?? 'running';
}

export const endingText = ({ status, signal }: { readonly status: number; readonly signal: number }): string =>
  signal === 0 ? `ended with ${status}` : `ended by signal ${signal}`;

/**
 * Returns a line for each known field of the session, and the screen between two horizontal lines.
 * @param screen null: no screen is shown
 */
export function sessionDetails(
  { entry, view, heldSinceMs }: ListedSession,
  screen: ScreenView | null,
  nowMs: number,
): string {
  const fields: readonly (readonly [string, string | null])[] = [
    ['session', entry.id],
    ['name', entry.name],
    ['kind', entry.kind],
    ['state', stateText(entry, view, heldSinceMs)],
    ['program', programText(view?.program ?? entry.program)],
    ['directory', visibleLine(view?.cwd ?? entry.cwd)],
    ['title', view === null || view.title === '' ? null : visibleLine(view.title)],
    ['harness', view?.harness ?? null],
    ['started', `${formatDuration(nowMs - entry.startedAtMs)} ago`],
    ['idle', view === null ? null : formatDuration(view.idleMs)],
    ['watched by', view === null ? null : String(view.watchers)],
    ['pending', view?.pendingGrant ?? null],
    ['host pid', entry.ended === null ? String(entry.pid) : null],
    ['screen', screen === null ? null : screenText(screen)],
  ];
  const shown = fields.filter(([, value]) => value !== null);
  return `${shown.map(([name, value]) => `${name.padEnd(11)} ${value}\n`).join('')}${screen === null ? '' : framed(screen)}`;
}

function screenText(screen: ScreenView): string {
  const { columns, rows, cursor } = screen;
  const place = `cursor at row ${cursor.row + 1}, column ${cursor.column + 1}${cursor.isVisible ? '' : ' (hidden)'}`;
  return `${columns}x${rows}, ${place}${screen.isAlternate ? ', alternate buffer' : ''}${screen.isPasteBracketed ? ', bracketed paste' : ''}`;
}

function framed(screen: ScreenView): string {
  const rule = '─'.repeat(screen.columns);
  const filled = screen.lines.findLastIndex((line) => line !== '') + 1;
  const lines = screen.lines.slice(0, Math.max(filled, screen.cursor.row + 1));
  return [rule, ...lines.map((line) => visibleLine(line)), rule, ''].join('\n');
}

const programText = (argv: readonly string[]): string => visibleLine(argv.map(quoteWord).join(' '));
const clip = (text: string, width: number): string => (text.length > width ? `${text.slice(0, width - 1)}…` : text);
