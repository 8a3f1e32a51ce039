/**
 * Checks whether another shell reads a text as bash does. If this is not certain, the line is opaque. The checks of the syntax tree accept
 * a construct only if POSIX defines it and tests showed that dash and bash read it alike. For an unknown login shell, the characters of the
 * text are checked too (`hasSharedCharacters`).
 */

import type {
  AndOr,
  CommandNode,
  ParameterExpansionPart,
  Pipeline,
  PipelineNode,
  Assignment as TreeAssignment,
  Redirection as TreeRedirection,
  WordPart,
} from 'unbash';
import { isBuiltinName, PLAIN_WORD } from './builtins.ts';
import type { SimpleCommand } from './reading.ts';

/**
 * - `sh`: dash, busybox, or another shell that is installed as `sh`, such as ksh
 * - `login`: the unknown login shell of a user of this host, such as bash, zsh, fish or csh
 * - `remote`: the unknown login shell on another host, which may also be cmd.exe or PowerShell
 */
export type ShellDialect = 'bash' | 'sh' | 'login' | 'remote';

/**
 * Words and the few operators that mean the same in every shell; no expansion, no redirection, no escape. zsh and ksh may evaluate a word
 * as arithmetic, even in single quotes. So single quotes must not contain `$`, backquote, `[` or `(`, which begin a substitution or a
 * subscript.
 */
const SAME_EVERYWHERE = /^(?:[A-Za-z0-9_./:@%+,\- \t\n]|(?<=\S)=|'[^'\\!$`[(]*'|"[^"\\$`!]*"|&&|\|\||;|\|)*$/;
/**
 * Text that cmd.exe and PowerShell read as bash does, if `SAME_EVERYWHERE` matches it too.
 * - cmd.exe does not know single quotes, takes `;` for a blank, ignores what follows a line break, and expands `%X%`.
 * - PowerShell takes `a,b` and `"a"b` for two words, and `@x` for the words in a variable. After `--%`, words are read as in cmd.exe.
 */
const SAME_ON_WINDOWS =
  /^(?:[A-Za-z0-9_./:+\- \t]|(?<=\S)[=@]|(?<!-)%(?!.*%)|"(?:[ #&-Z\]^_a-~[]|%(?!.*%))*"(?=[ \t|&]|$)|&&|\|\||\|)*$/;
/** A program name that no shell takes for an operator, a job (`%1`) or arithmetic (`@` in csh). */
const NAME_EVERYWHERE = /^[\w./][\w./+-]*$/;
/** The builtins that every shell has and that only print, or do nothing. */
const BUILTINS_EVERYWHERE: ReadonlySet<string> = new Set(['echo', 'true']);

/** For `login` and `remote`: whether the text has only characters that every such shell reads as bash does. True for the other dialects. */
export const hasSharedCharacters = (text: string, dialect: ShellDialect): boolean =>
  !isUnknownShell(dialect) || (SAME_EVERYWHERE.test(text) && (dialect === 'login' || SAME_ON_WINDOWS.test(text)));

/** Whether the shell is a user's login shell, and it is not known which program this shell is. */
export const isUnknownShell = (dialect: ShellDialect): boolean => dialect === 'login' || dialect === 'remote';

/**
 * A wildcard, or a bracket that every POSIX shell reads as bash does. Other brackets do not match:
 * - `[^a]`: dash and mksh read it as `^` or `a`.
 * - `[[=a=]]` and `[[.a.]]`: dash reads them as no bracket.
 * - a bracket with `]` or `-` at the beginning, or with characters outside ASCII: the shells differ.
 */
const SHARED_GLOB =
  /^(?:[*?]|\[!?(?:[\w.,:+@%=]|[A-Za-z0-9]-[A-Za-z0-9]|\[:(?:alnum|alpha|blank|cntrl|digit|graph|lower|print|punct|space|upper|xdigit):\])+\])$/;
/** A glob that can match one character outside ASCII. In dash, the glob matches one byte, so `??` matches `é`. */
const ONE_OF_MANY = /^(?:\?|\[!|\[.*\[:)/;

/**
 * Whether every POSIX shell expands this part of a word as bash does. dash does not expand braces, `$'…'`, `$"…"` and `$[…]`.
 */
export function isPosixPart(part: WordPart): boolean {
  switch (part.type) {
    case 'Literal':
    case 'SingleQuoted':
    case 'DoubleQuoted':
    case 'SimpleExpansion':
    case 'CommandExpansion':
      return true;
    case 'Glob':
      return SHARED_GLOB.test(part.text);
    case 'ParameterExpansion':
      return isPosixParameter(part);
    case 'ArithmeticExpansion':
      return part.text.startsWith('$((');
    case 'AnsiCQuoted':
    case 'LocaleString':
    case 'ProcessSubstitution':
    case 'ExtendedGlob':
    case 'BraceExpansion':
      return false;
  }
}

/**
 * Whether every POSIX shell expands the parts of a word together as bash does. `isPosixPart` checks each part alone. zsh splits `$=x`, and
 * expands `$^x` and `$~x`. In `"${x:-"a b"}"`, the inner quotes end the outer quotes for ksh. mksh expands the tilde in `"a"b=~`.
 * @param parts    the parts of the word; for a word without expansions and quotes, one `Literal`
 * @param hasTilde whether the word has a tilde that bash and every POSIX shell may expand. The value of such a word is known only at run
 *                 time
 * @param isQuoted whether the parts are in double quotes
 */
export function arePosixParts(
  parts: readonly Pick<WordPart, 'type' | 'text'>[],
  hasTilde: boolean,
  isQuoted = false,
): boolean {
  const globs = parts.filter(({ type }) => type === 'Glob');
  if (globs.filter(({ text }) => ONE_OF_MANY.test(text)).length > 1) return false;
  return parts.every((part, at) => {
    switch (part.type) {
      case 'Literal': {
        // `bare` has an `x` for each escaped character. If another part follows the literal, `bare` ends with an `x` for that part.
        const bare = part.text.replaceAll(/\\./gs, 'x') + (at === parts.length - 1 ? '' : 'x');
        // In `[^a[b]`, the parser begins the bracket at the last `[`, and a shell begins the bracket at the first `[`.
        if (!isQuoted && globs.length > 0 && bare.includes('[')) return false;
        return !/\$[^\s'/.,)|]/.test(bare) && (isQuoted || hasTilde || !/[=:]~/.test(bare));
      }
      case 'DoubleQuoted':
        return arePosixParts((part as WordPart & { readonly type: 'DoubleQuoted' }).parts, hasTilde, true);
      case 'ParameterExpansion': {
        const { operation } = part as ParameterExpansionPart;
        return !isQuoted || operation?.type !== 'Default' || !part.text.includes('"');
      }
      default:
        return true;
    }
  });
}

function isPosixParameter({ prefix, index, operation }: ParameterExpansionPart): boolean {
  const isPlain = prefix !== '!' && index === undefined;
  return isPlain && (operation === undefined || operation.type === 'Default' || operation.type === 'Remove');
}

/** dash takes `a+=b` and `a[0]=b` for the names of programs. */
export const isPosixAssignment = ({ append, index, value }: TreeAssignment): boolean =>
  append !== true && index === undefined && value.type === 'Word';

/**
 * dash reads `&>x` as `&` and `>x`. After `>&` or `<&`, only one digit or a dash means the same in every shell. Before the operator, dash
 * accepts at most one digit: in `01>x`, `01` is a word.
 * @param source the redirection as written
 */
export function isPosixRedirection(redirection: TreeRedirection, source: string): boolean {
  const { type, operator, descriptor } = redirection;
  if (descriptor?.type === 'FileDescriptor' && !/^\d[<>]/.test(source)) return false;
  if (type === 'HereString' || operator === '&>' || operator === '&>>' || descriptor?.type === 'FileDescriptorVariable')
    return false;
  return type === 'HereDoc' || !/^[<>]&$/.test(operator) || /^[\d-]$/.test(redirection.target?.text ?? '');
}

/** dash takes `time` and `[[` for names of programs, and `((` for two subshells. It reads `|&` as a syntax error. */
export function isPosixNode(node: PipelineNode | AndOr | CommandNode | Pipeline): boolean {
  switch (node.type) {
    case 'Pipeline':
      return node.prefixes.every(({ type }) => type === 'Negation') && node.operators.every((each) => each === '|');
    case 'Case':
      return node.items.every(({ terminator }) => terminator === undefined || terminator === ';;');
    case 'Command':
    case 'AndOr':
    case 'Redirected':
    case 'Subshell':
    case 'BraceGroup':
    case 'If':
    case 'While':
      return true;
    // The variable of a `for` loop may decide what another shell runs, such as `path` in zsh.
    case 'For':
    case 'TestCommand':
    case 'ArithmeticCommand':
    case 'ArithmeticFor':
    case 'Select':
    case 'Function':
    case 'Coproc':
      return false;
  }
}

/**
 * Whether every POSIX shell runs the command as bash does.
 * - False if the command has an assignment. The variable may decide what another shell runs (`path` in zsh). For an integer variable, zsh
 *   and ksh evaluate the value as arithmetic.
 * - False if the program's name has unusual characters. zsh reads `&!q` as an operator and `q`.
 */
export const isPosixCommand = ({ assignments, words: [name] }: Pick<SimpleCommand, 'assignments' | 'words'>): boolean =>
  assignments.length === 0 &&
  (name?.kind !== 'literal' || NAME_EVERYWHERE.test(name.value) || isBuiltinName(name.value));

/** Whether every login shell reads the node as bash does: only simple commands, pipelines and lists. */
export const isSharedNode = ({ type }: PipelineNode | AndOr | CommandNode | Pipeline): boolean =>
  type === 'Command' || type === 'Pipeline' || type === 'AndOr';

/** Whether every login shell runs the simple command as bash does: a program, or a builtin that does the same in every shell. */
export function isSharedCommand({ words }: Pick<SimpleCommand, 'words'>): boolean {
  const [name, ...rest] = words;
  if (name?.kind !== 'literal' || !NAME_EVERYWHERE.test(name.value)) return false;
  if (!isBuiltinName(name.value)) return true;
  return (
    BUILTINS_EVERYWHERE.has(name.value) && rest.every((word) => word.kind === 'literal' && PLAIN_WORD.test(word.value))
  );
}
