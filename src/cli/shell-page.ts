/** The manual page `ape-shell(1)`, made from the texts of `ape-shell --help`. */
import { EXIT_MEANINGS, EXIT_STATUS, type FailureCode } from '../core/failure.ts';
import { SHELL_CALLS, SHELL_OPTIONS, SHELL_SUMMARY } from '../core/shell-help.ts';
import { type Edition, heading, type ManPage, roffText } from './man-page.ts';

const DESCRIPTION = `ape-shell is called like bash, and runs bash for a command that a grant covers. For any other command it files a
request, says so, and ends with status ${EXIT_STATUS.pending}. A human decides in a browser or with apes grants approve.
The interactive shell waits for the decision.`;

const OWN_STATUSES: readonly (readonly [string, string])[] = [
  ...(Object.keys(EXIT_STATUS) as FailureCode[]).map(
    (code) => [String(EXIT_STATUS[code]), EXIT_MEANINGS[code]] as const,
  ),
  ['others', "the command's own"],
];

export function shellPage(edition: Edition): ManPage {
  const text = [
    heading('ape-shell', edition, SHELL_SUMMARY),
    '.SH SYNOPSIS',
    ...SHELL_CALLS.flatMap(([call], at) => [...(at === 0 ? [] : ['.br']), bold(call)]),
    '.SH DESCRIPTION',
    roffText(DESCRIPTION),
    ...listed(SHELL_CALLS),
    '.SH OPTIONS',
    roffText('Options of bash for -c and for scripts are passed on to bash.'),
    ...listed(SHELL_OPTIONS),
    '.SH EXIT STATUS',
    ...listed(OWN_STATUSES),
    '.SH SEE ALSO',
    '.BR apes (1) ,',
    '.BR apes\\-grants (1) ,',
    '.BR apes\\-shell (1) ,',
    '.BR bash (1)',
  ];
  return { name: 'ape-shell', text: `${text.join('\n')}\n` };
}

const bold = (text: string): string => `\\fB${roffText(text)}\\fR`;
const listed = (rows: readonly (readonly [string, string])[]): readonly string[] =>
  rows.flatMap(([term, meaning]) => ['.TP', bold(term), roffText(meaning)]);
