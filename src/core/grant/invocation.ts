/** Reads the arguments of ape-shell as bash reads its arguments: bash(1), "OPTIONS", "ARGUMENTS", "INVOCATION". */
import { type Failure, failure } from '../failure.ts';
import { failed, type Result, success } from '../result.ts';

/**
 * One call of ape-shell. `bashArguments` are the arguments after argv[0], without our own `--json`.
 * - `command`: `-c`; `text` is the command string
 * - `script`:  `path` is the file operand
 * - `stdin`:   `-s`, or no operand. If standard input is a terminal, the call is for the interactive shell. `-i` does not decide this
 */
export type Invocation =
  | {
      readonly kind: 'command';
      readonly text: string;
      readonly flags: Flags;
      readonly bashArguments: readonly string[];
    }
  | { readonly kind: 'script'; readonly path: string; readonly flags: Flags; readonly bashArguments: readonly string[] }
  | { readonly kind: 'stdin'; readonly flags: Flags; readonly bashArguments: readonly string[] }
  | { readonly kind: 'version'; readonly isJson: boolean }
  | { readonly kind: 'help' };

/**
 * @property isLogin       whether argv[0] begins with a dash, or `-l` or `--login` was given
 * @property isInteractive whether `-i` was given
 * @property isJson        whether our own `--json` was given: the pending block is then one JSON object
 * @property isPlain       false: bash was given an operand, or an option other than -c, -i, -l, -s and --login. The interactive shell takes
 *                         only plain calls
 */
export interface Flags {
  readonly isLogin: boolean;
  readonly isInteractive: boolean;
  readonly isJson: boolean;
  readonly isPlain: boolean;
}

const LONG_FLAGS: ReadonlySet<string> = new Set([
  '--debugger',
  '--dump-po-strings',
  '--dump-strings',
  '--noediting',
  '--noprofile',
  '--norc',
  '--posix',
  '--pretty-print',
  '--restricted',
  '--verbose',
]);
const START_FILE_OPTIONS: ReadonlySet<string> = new Set(['--rcfile', '--init-file']);
const OTHER_LONG: readonly string[] = ['--debug', '--help', '--login', '--version', '--protected', '--wordexp'];
/**
 * bash reads `-rcfile` as `--rcfile`. But if `-rcfile` comes after a short option, bash reads `-r -c -f …`. Such a word has two meanings,
 * so ape-shell refuses it.
 */
const LONG_WITH_ONE_DASH: ReadonlySet<string> = new Set(
  [...LONG_FLAGS, ...START_FILE_OPTIONS, ...OTHER_LONG].map((word) => word.slice(1)),
);
const SHORT_FLAGS = 'abcefhiklmnprstuvxBCDEHPT';

/**
 * Reads argv, argv[0] included. Fails with `usage` in three cases:
 * - bash would refuse the arguments
 * - an option would make bash run a file that is not gated (`--rcfile`)
 * - ape-shell refuses a form that bash takes (`-rcfile`, `+c`, `-o` without a name)
 */
export function readInvocation(argv: readonly string[]): Result<Invocation, Failure> {
  let isLogin = (argv[0] ?? '').startsWith('-');
  let isInteractive = false;
  let isJson = false;
  let isPlain = true;
  let hasCommand = false;
  let readsStdin = false;
  let hasShort = false;
  let at = 1;
  const kept: string[] = [];
  const usage = (message: string) =>
    failed(failure('usage', message, 'usage: ape-shell [-l] [-c COMMAND [NAME [ARG…]] | -s [ARG…] | FILE [ARG…]]'));
  for (; at < argv.length; at++) {
    const word = argv[at] ?? '';
    if (word === '--' || word === '-') {
      kept.push(word);
      at++;
      break;
    }
    if (word === '--version' || word === '-V')
      return success({ kind: 'version', isJson: isJson || argv[at + 1] === '--json' });
    if (word === '--help') return success({ kind: 'help' });
    if (word === '--json') {
      isJson = true;
      continue;
    }
    if (word.startsWith('--')) {
      if (hasShort) return usage(`bash takes ${word} only before the short options`);
      kept.push(word);
      if (word === '--login') {
        isLogin = true;
        continue;
      }
      isPlain = false;
      if (LONG_FLAGS.has(word)) continue;
      return usage(
        START_FILE_OPTIONS.has(word)
          ? `${word} would run a file that no approver was shown; source it in the command`
          : `unknown option ${word}`,
      );
    }
    if (!/^[-+]/.test(word)) break;
    if (LONG_WITH_ONE_DASH.has(word)) return usage(`${word} has two meanings; write -${word}`);
    // bash takes `+c` as `-c`, `+s` as `-s`, and a lone `+` as an option. No sensible caller writes these words.
    if (/^\+(?:$|.*[csl])/.test(word)) return usage(`${word} is not an option here; write -${word.slice(1)}`);
    kept.push(word);
    hasShort = true;
    for (const letter of word.slice(1)) {
      if (letter === 'o' || letter === 'O') {
        isPlain = false;
        const value = argv[at + 1];
        if (value === undefined) return usage(`-${letter} wants a name`);
        at++;
        kept.push(value);
        continue;
      }
      if (!SHORT_FLAGS.includes(letter)) return usage(`unknown option -${letter}`);
      if (word.startsWith('+')) isPlain = false;
      else if (letter === 'c') hasCommand = true;
      else if (letter === 's') readsStdin = true;
      else if (letter === 'l') isLogin = true;
      else if (letter === 'i') isInteractive = true;
      else isPlain = false;
    }
  }
  const operands = argv.slice(at);
  const bashArguments = [...kept, ...operands];
  if (operands.length > 0) isPlain = false;
  const flags: Flags = { isLogin, isInteractive, isJson, isPlain };
  const first = operands[0];
  if (hasCommand) {
    if (first === undefined) return usage('-c wants a command');
    return success({ kind: 'command', text: first, flags, bashArguments });
  }
  if (first === undefined || readsStdin) return success({ kind: 'stdin', flags, bashArguments });
  return success({ kind: 'script', path: first, flags, bashArguments });
}
