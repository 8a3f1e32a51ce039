/**
 * The texts with which a harness calls our own programs. A hook replaces a command with a gated call. The harness runs a hook line before a
 * tool or after an event. `readGatedCall` and `isHookLineOf` compare the whole text with the text that we write. `looksLikeHookLine`
 * accepts a program in any directory, so no permission may depend on its result.
 */

import { INSTALLATION_VARIABLES } from '../variables/own-variables.ts';

/** Returns the text in single quotes. A word that needs no quotes is quoted too, because bash expands no alias for a quoted word. */
export const singleQuoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/**
 * The words NAME=VALUE in a call of our programs (`bin/installation.h`). The words select the installation, and replace the variables of
 * the harness. `HOME` without a value means the home directory in the user database.
 */
export type InstallationWords = readonly string[];

/** Returns the words for the installation that these variables name. */
export const installationWords = (variable: (name: string) => string | undefined): InstallationWords =>
  INSTALLATION_VARIABLES.flatMap((name) => {
    const value = variable(name);
    // XDG demands that a relative XDG directory is ignored. Another relative directory is kept: the called program refuses it.
    if (value !== undefined && value !== '' && (value.startsWith('/') || !name.startsWith('XDG_')))
      return [`${name}=${value}`];
    return name === 'HOME' ? [name] : [];
  });

/**
 * Returns the words for a hook in the settings for all users of a machine. Without APES_HOME, each user has an installation in the user's
 * own home directory.
 */
export const installationOfEveryUser = (variable: (name: string) => string | undefined): InstallationWords =>
  installationWords((name) => (name === 'APES_HOME' ? variable(name) : undefined));

const OPTION = '--installation=';
export const ownOptions = (words: InstallationWords): readonly string[] => words.map((word) => OPTION + word);
const quotedWords = (words: readonly string[]): string => words.map((word) => ` ${singleQuoted(word)}`).join('');

/**
 * Returns the text as one word that POSIX shells, zsh and fish read alike. Only fish reads the escapes `\\` and `\'` inside single quotes.
 * Therefore each backslash of the text is outside of the quotes.
 */
const anyShellQuoted = (text: string): string => `'${text.replace(/['\\]/g, "'\\$&'")}'`;

/** Returns `'/…/ape-shell' '--installation=…' -c 'COMMAND'`, which runs the command through the gate. `command` must not contain NUL. */
export const gatedCall = (shell: string, words: InstallationWords, command: string): string =>
  [shell, ...ownOptions(words)].map((word) => `${anyShellQuoted(word)} `).join('') + `-c ${anyShellQuoted(command)}`;

export interface GatedCall {
  readonly installation: InstallationWords;
  readonly command: string;
}

/**
 * Reads a text that is exactly what `gatedCall` returns. Returns null for any other text, even if only a blank precedes or follows the
 * call. The reason: bash reads a `\r` or U+00A0 in front of the call as part of the program's path, which would then be relative.
 */
export function readGatedCall(text: string, shell: string): GatedCall | null {
  const program = anyShellQuoted(shell);
  if (!text.startsWith(program)) return null;
  const found = CALL.exec(text.slice(program.length));
  if (found === null) return null;
  const installation = [...(found[1] ?? '').matchAll(WORD)].map(([, word]) =>
    unquoted(word ?? '').slice(OPTION.length),
  );
  const command = unquoted(found[2] ?? '');
  return gatedCall(shell, installation, command) === text ? { installation, command } : null;
}

const ANY_SHELL_QUOTED = /'[^'\\]*(?:'\\['\\]'[^'\\]*)*'/.source;
const WORD = new RegExp(` (${ANY_SHELL_QUOTED})`, 'g');
const CALL = new RegExp(`^((?: ${ANY_SHELL_QUOTED})*) -c (${ANY_SHELL_QUOTED})$`);
const unquoted = (word: string): string => word.slice(1, -1).replace(/'\\(['\\])'/g, '$1');

/** Returns the text without the spaces, tabs and newlines around it. bash skips no other character before and after a command. */
export function withoutBlanks(text: string): string {
  let from = 0;
  let to = text.length;
  while (from < to && isBlank(text.charAt(from))) from++;
  while (from < to && isBlank(text.charAt(to - 1))) to--;
  return text.slice(from, to);
}

const isBlank = (character: string): boolean => character === ' ' || character === '\t' || character === '\n';

/** Matches in front of a directory name that is not empty, not `.` and not `..`. */
const NO_DOTS = /(?!\.{0,2}\/)/.source;
/**
 * The end of the path of Gemini CLI's file for background jobs. `mkdtemp` makes the file's folder below the directory for temporary files.
 * Gemini CLI writes the path with the package shell-quote, with or without quotes.
 */
const OWN_FILE = /\/gemini-shell-[A-Za-z0-9]{6}\/bgpids\.tmp/.source;
const FRAME_START = new RegExp(
  [
    /^shopt -u promptvars nullglob extglob nocaseglob dotglob; _bgpids_file=/.source,
    `(?:'(?:/${NO_DOTS}[^'/\\n]+)*${OWN_FILE}'|(?:/${NO_DOTS}[A-Za-z0-9_.+%-]+)*${OWN_FILE})`,
    /\n\(\n {2}trap 'jobs -p > "\$_bgpids_file"' EXIT\n/.source,
  ].join(''),
);
const FRAME_END = '\n)\n__code=$?\nexit $__code';

/**
 * Returns the command in a frame of Gemini CLI; null if the text has no such frame or the frame is empty. Gemini CLI (seen in 0.61.0) puts
 * a frame around each command, to note the command's background jobs. Each frame contains a new random name, so a grant for the whole text
 * could never be used again.
 *
 * A model can write such a frame too, and can make the frame's file a link to any other file. So a permission for the command does not
 * permit the frame. Our shell runs only the command, without the frame.
 */
export function commandInFrame(text: string): string | null {
  const start = FRAME_START.exec(text)?.[0];
  return start !== undefined && text.endsWith(FRAME_END) && text.length > start.length + FRAME_END.length
    ? text.slice(start.length, -FRAME_END.length)
    : null;
}

/**
 * The guard line prints this text after every exit status of the guard except 0, also after the reason that a guard printed for its denial.
 * The text says `If no other reason is shown`, because the line cannot test `$?`. To fish, `$?` is a syntax error, and some harnesses run
 * the tool after such an error.
 */
const NO_GUARD =
  'ape-shell: DENIED, nothing ran. If no other reason is shown, the gate is missing or was killed, and a human has to look: apes health';

/**
 * Returns the line that a harness runs before a tool. The last part of the line denies the tool if the guard is missing or was
 * killed. For the harness, exit status 2 with a text is a denial.
 * @param guard absolute path of `dist/bin/hook-guard`
 */
export const guardLine = (guard: string, harness: string, words: InstallationWords): string =>
  `${singleQuoted(guard)} ${harness}${quotedWords(words)} || { echo ${singleQuoted(NO_GUARD)} >&2; exit 2; }`;

/**
 * After this time, `deadline` kills the guard, and the guard line denies the tool. Only a guard that hangs takes this long, for example
 * after SIGSTOP.
 */
const MAX_GUARD_SECONDS = 45;

/**
 * Returns the guard line with a time limit, for a harness that runs the tool if its hook takes too long.
 * @param deadline absolute path of `dist/bin/deadline`
 */
export const timedGuardLine = (deadline: string, ...guard: Parameters<typeof guardLine>): string =>
  `${singleQuoted(deadline)} ${MAX_GUARD_SECONDS} ${guardLine(...guard)}`;

/** Returns the line that reports an event of the harness to its session. The line decides nothing and prints nothing. */
export const reportLine = (apes: string, harness: string, words: InstallationWords): string =>
  `${singleQuoted(apes)}${quotedWords(ownOptions(words))} hooks report ${harness} >/dev/null 2>&1 || exit 0`;

const QUOTED = /'[^']*(?:'\\''[^']*)*'/.source;
const TIMED = `(?:${QUOTED.slice(0, -1)}/deadline' \\d+ )?`;
const GUARD_LINE = new RegExp(
  `^${TIMED}${QUOTED.slice(0, -1)}/hook-guard' [a-z-]+(?: ${QUOTED})* \\|\\| \\{ echo ${QUOTED} >&2; exit 2; \\}$`,
);
const REPORT_LINE = new RegExp(
  `^${QUOTED.slice(0, -1)}/apes'(?: ${QUOTED})* hooks report [a-z-]+ >/dev/null 2>&1 \\|\\| exit 0$`,
);

/**
 * Whether the text is exactly a hook line that we install with the programs of `dist`. The line may be for this installation or for all
 * users (`installationOfEveryUser`). Such a line needs no grant. A line that names another installation needs a grant: the line would read
 * and write the files of that installation.
 */
export function isHookLineOf(text: string, dist: string, variable: (name: string) => string | undefined): boolean {
  const harness = /^(?:'[^']*' \d+ )?'[^']*'(?: '[^']*')* (?:hooks report )?([a-z-]+) /.exec(text)?.[1];
  if (harness === undefined) return false;
  return [installationWords(variable), installationOfEveryUser(variable)].some(
    (words) =>
      text === guardLine(`${dist}/bin/hook-guard`, harness, words) ||
      text === timedGuardLine(`${dist}/bin/deadline`, `${dist}/bin/hook-guard`, harness, words) ||
      text === reportLine(`${dist}/bin/apes`, harness, words),
  );
}

/**
 * Whether the line has the form of a hook line of some version or copy of ape-shell. The directory of the program is not checked, so the
 * program can be another file with the same name.
 */
export const looksLikeHookLine = (line: string): boolean => GUARD_LINE.test(line) || REPORT_LINE.test(line);
