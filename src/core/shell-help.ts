/** The text of `ape-shell --help` and of its man page. */
import { EXIT_STATUS } from './failure.ts';

export const SHELL_SUMMARY = 'a login shell in which no command reaches bash before a grant covers it';

/** The ways to call `ape-shell`. */
export const SHELL_CALLS: readonly (readonly [string, string])[] = [
  ['ape-shell', 'interactive (:help inside)'],
  ['ape-shell -c COMMAND [NAME [ARG…]]', `run COMMAND if a grant covers it, else ask and exit ${EXIT_STATUS.pending}`],
  ['ape-shell FILE [ARG…]', 'the same for a script;  … | ape-shell -s [ARG…] for standard input'],
];

export const SHELL_OPTIONS: readonly (readonly [string, string])[] = [
  ['-l, --login', 'be a login shell'],
  ['-i', 'be interactive'],
  ['--json', 'the waiting request, as one JSON object on standard error'],
  ['-V, --version', 'the version of this program'],
  ['--help', 'this text'],
];

export const SHELL_HELP = `ape-shell: ${SHELL_SUMMARY}.

${rows(SHELL_CALLS)}
Options (with a script or -c, options of bash are passed on to bash):
${rows(SHELL_OPTIONS)}
  apes help                          the control program: grants, health, server, sessions
  man ape-shell                      this text, and the exit statuses
`;

function rows(table: readonly (readonly [string, string])[]): string {
  return table.map(([call, what]) => `  ${call.padEnd(34)} ${what}\n`).join('');
}
