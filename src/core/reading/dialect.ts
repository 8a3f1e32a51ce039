/**
 * Whether another shell reads a text in the same way as bash. If this is not certain, the line is opaque. The syntax tree decides, and not
 * the text: only constructs that POSIX defines are accepted, and of these only the forms that dash and bash were seen to read alike.
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
import type { SimpleCommand } from './reading.ts';

/** `remote`: the unknown login shell of a user on another host. */
export type ShellDialect = 'bash' | 'sh' | 'zsh' | 'remote';

/** Words and the few operators that mean the same in every shell; no expansion, no redirection, no escape. */
const SAME_EVERYWHERE = /^(?:[A-Za-z0-9_./:@%+,\- \t\n]|(?<=\S)=|'[^'\\!]*'|"[^"\\$`!]*"|&&|\|\||;|\|)*$/;

/** Whether the characters of the text do not prevent that a shell with this dialect reads the text as bash does. */
export const hasSharedCharacters = (text: string, dialect: ShellDialect): boolean =>
  dialect === 'bash' || dialect === 'sh' || SAME_EVERYWHERE.test(text);

/**
 * Whether every POSIX shell expands this part of a word as bash does. dash leaves braces, `$'…'`, `$"…"` and `$[…]` as they are, except that
 * it splits `$[1 + 1]` at its blanks.
 */
export function isPosixPart(part: WordPart): boolean {
  switch (part.type) {
    case 'Literal':
    case 'SingleQuoted':
    case 'DoubleQuoted':
    case 'SimpleExpansion':
    case 'CommandExpansion':
    case 'Glob':
      return true;
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

function isPosixParameter({ prefix, index, operation }: ParameterExpansionPart): boolean {
  const isPlain = prefix !== '!' && index === undefined;
  return isPlain && (operation === undefined || operation.type === 'Default' || operation.type === 'Remove');
}

/** dash takes `a+=b` and `a[0]=b` for the names of programs. */
export const isPosixAssignment = ({ append, index, value }: TreeAssignment): boolean =>
  append !== true && index === undefined && value.type === 'Word';

/** dash reads `&>x` as `&` and `>x`. After `>&`, only one digit or a dash means the same in every shell. */
export function isPosixRedirection(redirection: TreeRedirection): boolean {
  const { type, operator, descriptor } = redirection;
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
    case 'For':
      return true;
    case 'TestCommand':
    case 'ArithmeticCommand':
    case 'ArithmeticFor':
    case 'Select':
    case 'Function':
    case 'Coproc':
      return false;
  }
}

/** The special builtins of POSIX. In dash, but not in bash, an assignment in front of them stays in force. */
const SPECIAL_BUILTINS: ReadonlySet<string> = new Set(
  ': . break continue eval exec exit export readonly return set shift times trap unset'.split(' '),
);

/** Whether the assignments in front of a command mean the same in every POSIX shell. */
export function hasPosixAssignments({ words, assignments }: Pick<SimpleCommand, 'words' | 'assignments'>): boolean {
  const [name] = words;
  return assignments.length === 0 || name?.kind !== 'literal' || !SPECIAL_BUILTINS.has(name.value);
}
