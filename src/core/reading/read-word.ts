/** Reads a word of the parser's tree: whether the word is literal or only known at run time, and which commands are inside the word. */

import type { ArithmeticExpression, ParameterExpansionPart, Word as TreeWord, WordPart } from 'unbash';
import { because, type Reason } from '../reasons/reason.ts';
import { arePosixParts, isPosixPart } from './dialect.ts';
import type { Opacity, RuntimeReason, Word } from './reading.ts';
import { spellingsOf } from './spelling.ts';

/** Receives what the reader finds in a word: scripts, and reasons why the line is opaque. */
export interface WordSink {
  /** A script inside a word: `$(…)`, backticks, `<(…)`. */
  readonly script: (script: unknown, within: 'substitution' | 'process substitution', source: string) => void;
  readonly opaque: (opacity: Opacity) => void;
  /** Whether the word is in a command or process substitution. */
  readonly isSubstituted: boolean;
  /** Whether a shell other than bash reads the word: see `isPosixPart`. */
  readonly isPosix: boolean;
}

/** A word that is being put together from its parts. */
interface Draft {
  value: string;
  /**
   * The length of `value` before its first unquoted `[`, which may begin a bracket expression of a glob; infinity: there is no unquoted
   * `[`.
   */
  clear: number;
  why: RuntimeReason | null;
  prefix: string;
  isOne: boolean;
}

/**
 * Matches quotes or code in a word that the parser returns as plain text. A matching word makes the line opaque: bash was seen to run code
 * in a matching word.
 */
const SUSPECT = /(?<!\\)(?:\\\\)*[`"'();&|<>]|(?<!\\)(?:\\\\)*\$[({['"]/;

/** `$'…'` that bash reads in the same way in every version and locale: no `\c`, no `\u`, no escape for NUL or a byte above ASCII. */
const PLAIN_ANSI =
  /^\$'(?:[^\\]|\\[abeEfnrtv\\'"?]|\\x(?:0?[1-9a-fA-F](?![0-9a-fA-F])|[1-7][0-9a-fA-F])|\\(?:0?0?[1-7](?![0-7])|0?[1-7][0-7](?![0-7])|1[0-7][0-7]))*'$/;

/** Whether the text has `{`, then `,` or `..`, then `}`. A regular expression for this would take quadratic time. */
function hasBraces(text: string): boolean {
  const inside = text.slice(text.indexOf('{') + 1, Math.max(0, text.lastIndexOf('}')));
  return text.includes('{') && (inside.includes(',') || inside.includes('..'));
}

/**
 * Whether bash may expand braces that the parser has not reported as an expansion. The parser pairs `{` with the next `}`, and reports no
 * braces inside a bracket (`[{a,b}]`). bash expands these braces too. bash takes the first `}` that has a comma or `..` in front of it:
 * bash expands both `{a}b,c}` and `{a}[b,c]}` to two words.
 */
function hasHiddenBraces({ parts = [], text }: TreeWord): boolean {
  const bare = parts.map(bareText).join('');
  if (parts.some(({ type }) => type === 'BraceExpansion') ? /[{}]/.test(bare) : hasBraces(bare)) return true;
  return parts.some(hasNestedQuotes) && hasBraces(withoutParameters(text));
}

/** Returns the unquoted text of a part in which braces may be hidden; `x` for any other part. */
function bareText(part: WordPart): string {
  if (part.type === 'Literal') return withoutEscapes(part.text);
  if (part.type === 'Glob') return withoutParameters(part.text);
  return part.type === 'ArithmeticExpansion' && part.text.startsWith('$[') ? part.text : 'x';
}

const withoutEscapes = (text: string): string => text.replaceAll(/\\./gs, '');
/** Removes escapes and `${`. The `{` of `${` does not begin braces. */
const withoutParameters = (text: string): string => withoutEscapes(text).replaceAll('${', '');

/**
 * Whether double quotes contain further double quotes in `${…}` or backticks. bash's search for braces pairs the first quote with the
 * second quote. bash therefore expands the braces in `"${x:-"{a,b}"}"`.
 */
function hasNestedQuotes(part: WordPart): boolean {
  switch (part.type) {
    case 'DoubleQuoted':
    case 'LocaleString':
      return part.parts.some(({ type, text }) => type !== 'Literal' && !/^\$\(/.test(text) && text.includes('"'));
    case 'ParameterExpansion':
      return part.text.includes('"') && /\$[{[]|`/.test(part.text.slice(part.text.indexOf('"')));
    case 'Glob':
    case 'BraceExpansion':
      return part.parts?.some(hasNestedQuotes) ?? false;
    default:
      return false;
  }
}

/**
 * Where bash may expand a tilde in the word.
 * - `first`: only at the beginning of the word
 * - `later`: also after an unquoted `=` or `:`. bash expands this later tilde in assignments, and in words that look like assignments:
 *   `of="/a":~/b`. The text in front of the `=` or `:` is not checked. A word can therefore count as `later` although bash expands no tilde
 *   in the word.
 */
type Tilde = 'none' | 'first' | 'later';

function tildeOf(parts: readonly Pick<WordPart, 'type' | 'text'>[]): Tilde {
  const bare = parts.map(tildeText).join('');
  if (/[=:]~/.test(bare)) return 'later';
  return bare.startsWith('~') ? 'first' : 'none';
}

/**
 * Whether the word has a tilde at its beginning, or after unquoted text without a slash that ends in `=` or `:`. Every POSIX shell may
 * expand such a tilde, as bash does.
 */
const hasSharedTilde = (source: string): boolean => /^(?:~|[^/'"]*[=:]~)/.test(source);

/** The unquoted text of the part. The letter `x` replaces an escaped character, quotes and an expansion. */
const tildeText = ({ type, text }: Pick<WordPart, 'type' | 'text'>): string =>
  type === 'Literal' || type === 'Glob' || type === 'ExtendedGlob' || type === 'BraceExpansion'
    ? text.replaceAll('\\\n', '').replaceAll(/\\./gs, 'x')
    : 'x';

/** Reads the word. Gives `sink` the scripts inside the word, and each reason why the line is opaque. */
export function readWord(word: TreeWord, sink: WordSink): Word {
  const source = word.text;
  const parts = word.parts ?? [{ type: 'Literal', text: source } as const];
  const tilde = tildeOf(parts);
  if (sink.isPosix && !arePosixParts(parts, hasSharedTilde(source)))
    sink.opaque({ ...because('shell-reads-otherwise'), source });
  if (word.parts === undefined) {
    if (SUSPECT.test(source) || hasBraces(source.replaceAll('\\\n', '')))
      sink.opaque({ ...because('word-unreadable'), source });
    return tilde === 'none'
      ? { kind: 'literal', value: word.value, source }
      : runtimeWord('tilde', '', true, source, tilde);
  }
  if (hasHiddenBraces(word)) sink.opaque({ ...because('braces-unreadable'), source });
  const draft: Draft = { value: '', clear: Number.POSITIVE_INFINITY, why: null, prefix: '', isOne: true };
  if (tilde !== 'none') addUnknown(draft, 'tilde', true);
  for (const part of word.parts) readPart(part, draft, sink, false);
  return draft.why === null
    ? { kind: 'literal', value: draft.value, source }
    : runtimeWord(draft.why, draft.prefix.slice(0, draft.clear), draft.isOne, source, tilde);
}

/**
 * Makes a word that is only known at run time. Asks `spellingsOf` for the spellings only if the reason is a glob, braces, or a tilde at the
 * beginning of the word.
 */
function runtimeWord(why: RuntimeReason, prefix: string, isOne: boolean, source: string, tilde: Tilde): Word {
  const isOfNames = why === 'glob' || why === 'braces' || (why === 'tilde' && tilde === 'first');
  const spellings = isOfNames ? spellingsOf(source) : null;
  const word = { kind: 'runtime', why, prefix, isOne, source } as const;
  return spellings === null ? word : { ...word, spellings };
}

function addText(draft: Draft, text: string): void {
  draft.value += text;
}

/**
 * Sets `clear` to the place of the first unquoted `[`. In `[a[b]`, the parser begins the bracket at the second `[`, but bash begins the
 * bracket at the first `[`.
 */
function addBrackets(draft: Draft, text: string): void {
  const at = text.replaceAll('\\\n', '').replaceAll(/\\./gs, 'x').indexOf('[');
  if (at !== -1) draft.clear = Math.min(draft.clear, draft.value.length + at);
}

/** Reads the parts inside a glob or braces. A part changes the draft only if the part may be split into words. */
function readInside(parts: readonly WordPart[] | undefined, draft: Draft, sink: WordSink): void {
  for (const part of parts ?? []) {
    const inner = { ...draft };
    readPart(part, inner, sink, false);
    if (!inner.isOne && inner.why !== null && !OF_NAMES.has(inner.why)) addUnknown(draft, inner.why, false);
  }
}

/** Parts with these reasons become file names or a list of words. Each resulting word begins with the text in front of the part. */
const OF_NAMES: ReadonlySet<RuntimeReason> = new Set(['glob', 'braces']);

/**
 * Adds a part that is only known at run time. The first unknown part gives the reason and the prefix. All words from a glob or braces begin
 * with the prefix, but the later words from a split do not. A later part that may be split therefore replaces the reason `glob` or
 * `braces`. For `a*$x`, the reason is `variable`.
 */
function addUnknown(draft: Draft, why: RuntimeReason, isOne: boolean): void {
  if (draft.why === null) draft.prefix = draft.value;
  const isSplit = !isOne && !OF_NAMES.has(why);
  if (draft.why === null || (isSplit && OF_NAMES.has(draft.why))) draft.why = why;
  draft.isOne &&= isOne;
}

function readPart(part: WordPart, draft: Draft, sink: WordSink, isQuoted: boolean): void {
  if (sink.isPosix && !isPosixPart(part)) sink.opaque({ ...because('shell-reads-otherwise'), source: part.text });
  switch (part.type) {
    case 'Literal':
      if (!isQuoted && SUSPECT.test(part.text)) sink.opaque({ ...because('word-unreadable'), source: part.text });
      if (!isQuoted) addBrackets(draft, part.text);
      addText(draft, part.value);
      return;
    case 'SingleQuoted':
      addText(draft, part.value);
      return;
    case 'AnsiCQuoted':
      if (!PLAIN_ANSI.test(part.text)) sink.opaque({ ...because('escape-not-plain'), source: part.text });
      addText(draft, part.value);
      return;
    case 'DoubleQuoted':
      for (const inner of part.parts) readPart(inner, draft, sink, true);
      return;
    case 'LocaleString':
      for (const inner of part.parts) readPart(inner, draft, sink, true);
      addUnknown(draft, 'translation', true);
      return;
    case 'SimpleExpansion':
      addUnknown(draft, 'variable', isQuoted && !/^\$@/.test(part.text));
      return;
    case 'ParameterExpansion':
      // bash removes the quotes in `"${x:-$'…'}"` and, since 5.2, in `"$(… ${x:-$'…'})"`. bash then expands the text that was
      // quoted.
      if (part.text.includes("'") && (isQuoted || (sink.isSubstituted && part.text.includes("$'"))))
        sink.opaque({ ...because('quotes-in-expansion'), source: part.text });
      // In a substitution inside a quoted expansion, bash may remove backslashes twice.
      if (isQuoted && part.text.includes('\\') && /[`(]/.test(part.text))
        sink.opaque({ ...because('quotes-in-expansion'), source: part.text });
      readParameter(part, sink);
      addUnknown(draft, 'variable', isQuoted && !part.text.includes('@'));
      return;
    case 'CommandExpansion':
      // `${ …; }` runs a command since bash 5.3.
      if (part.text.startsWith('${')) sink.opaque({ ...because('shell-dependent-substitution'), source: part.text });
      // bash 5.2 first tries to read `$((…` as arithmetic. Inside `"$(…)"`, bash then removes the quotes of `$'…'`.
      if (part.text.startsWith('$((')) sink.opaque({ ...because('begins-like-arithmetic'), source: part.text });
      sink.script(part.script, 'substitution', part.text);
      addUnknown(draft, 'substitution', isQuoted);
      return;
    case 'ProcessSubstitution':
      // bash 5.2 removes a backslash from a process substitution inside two substitutions: `"$(… "$(… <(…))")"`.
      if (sink.isSubstituted && part.text.includes('\\'))
        sink.opaque({ ...because('word-unreadable'), source: part.text });
      sink.script(part.script, 'process substitution', part.text);
      // bash removes a word with an empty process substitution, and the later words move forward by one.
      if ((part.script as { readonly commands?: readonly unknown[] }).commands?.length === 0)
        sink.opaque({ ...because('empty-process-substitution'), source: part.text });
      // Since bash 5.1, the substitution becomes `/dev/fd/N` on every system. So a word that begins with a substitution is no option.
      addText(draft, '/dev/fd/');
      addUnknown(draft, 'process substitution', true);
      return;
    case 'ArithmeticExpansion':
      readArithmetic(part.expression, part.text, sink);
      addUnknown(draft, 'arithmetic', true);
      return;
    case 'Glob':
      readInside(part.parts, draft, sink);
      addUnknown(draft, 'glob', false);
      return;
    case 'ExtendedGlob':
      // Without the option `extglob`, `!(…)` is a subshell whose status is negated.
      sink.opaque({ ...because('shell-dependent-pattern'), source: part.text });
      addUnknown(draft, 'glob', false);
      return;
    case 'BraceExpansion':
      readInside(part.parts, draft, sink);
      addUnknown(draft, 'braces', false);
      return;
    default:
      sink.opaque({ ...unknownNode(part), source: (part as WordPart).text });
      addUnknown(draft, 'variable', false);
  }
}

/** A newer parser may have nodes that this code does not know. The type `never` makes the compiler check that known nodes are handled. */
export const unknownNode = (_: never): Reason => because('unknown-syntax');

/** Reads the words inside the expansion. Gives `sink` each reason why the expansion makes the line opaque. */
function readParameter(part: ParameterExpansionPart, sink: WordSink): void {
  const source = part.text;
  const refuse = (reason: Reason) => sink.opaque({ ...reason, source });
  if (part.prefix === '!') refuse(because('expands-by-name'));
  if (part.index !== undefined && !/^(?:[@*]|\d+)$/.test(part.index.text)) refuse(because('evaluates-index'));
  const { operation } = part;
  switch (operation?.type) {
    case undefined:
      return;
    case 'Default':
      if (/=$/.test(operation.operator)) refuse(because('assigns-in-passing'));
      readWord(operation.operand, sink);
      return;
    case 'Remove':
      readWord(operation.operand, sink);
      return;
    case 'Replace':
      readWord(operation.pattern, sink);
      readWord(operation.replacement, sink);
      return;
    case 'CaseModification':
      if (operation.operand !== undefined) readWord(operation.operand, sink);
      return;
    case 'Slice':
      for (const word of [operation.offset, operation.length])
        if (word !== undefined && !/^ *-?\d+ *$/.test(word.text)) refuse(because('evaluates-offset'));
      return;
    case 'Transform':
    case 'Names':
    case 'Unknown':
      refuse(because('transforms-variable'));
      return;
    default:
      refuse(unknownNode(operation));
  }
}

/**
 * Makes the line opaque if an operand of the arithmetic is not a decimal number, or if the parser returns an unknown node. bash evaluates
 * the value of a variable, and this value may contain code.
 */
export function readArithmetic(expression: ArithmeticExpression | undefined, source: string, sink: WordSink): void {
  const waiting = [expression];
  while (waiting.length > 0) {
    const next = waiting.pop();
    switch (next?.type) {
      case 'ArithmeticBinary':
        waiting.push(next.left, next.right);
        break;
      case 'ArithmeticUnary':
        waiting.push(next.operand);
        break;
      case 'ArithmeticTernary':
        waiting.push(next.test, next.consequent, next.alternate);
        break;
      case 'ArithmeticGroup':
        waiting.push(next.expression);
        break;
      case 'ArithmeticWord':
        if (!/^\d+$/.test(next.value)) {
          sink.opaque({ ...because('computes-with-variables'), source });
          return;
        }
        break;
      default:
        sink.opaque({ ...because('computes-with-unknown'), source });
        return;
    }
  }
}
