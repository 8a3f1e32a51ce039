/**
 * Formats a certificate for people: a table of outcomes, then notes on cells and unexpected requests, then the titles of the cases. The
 * last line has the version of ape-shell, the system and the time.
 */
import type { Cell, CellOutcome, Certificate } from './certificate.ts';

const WORD: Readonly<Record<CellOutcome, string>> = {
  holds: 'ok',
  open: 'OPEN',
  failed: 'FAILED',
  'not seen': 'not seen',
  'n.a.': 'n.a.',
};

const cellWord = (cell: Cell | undefined): string => (cell === undefined ? '-' : WORD[cell.outcome]);

export function certificateTable({ harnesses, cases, apeShell, system, at }: Certificate): string {
  const rows = [
    ['case', ...harnesses.map(({ name }) => name)],
    ['version', ...harnesses.map(({ version }) => version ?? '?')],
    ...cases.map(({ name }) => [name, ...harnesses.map(({ cells }) => cellWord(cells[name]))]),
  ];
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const lines = rows.map((row) =>
    row
      .map((text, column) => text.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  const notes = harnesses.flatMap(({ name, cells, unexpected }) => [
    ...Object.entries(cells).flatMap(([caseName, { outcome, text }]) =>
      text === null ? [] : [`${name} ${caseName}: ${outcome}: ${text}`],
    ),
    ...new Set(unexpected.map((text) => `${name} asked the gate by itself: ${text.slice(0, 160)}`)),
  ]);
  const legend = cases.map(({ name, title }) => `  ${name}: ${title}`);
  return `${[...lines, '', ...notes, ...(notes.length > 0 ? [''] : []), ...legend, '', `ape-shell ${apeShell.version}, ${system}, ${at}`].join('\n')}\n`;
}
