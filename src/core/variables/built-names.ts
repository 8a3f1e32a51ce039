/**
 * Finds texts with which bash may use a variable whose name is written nowhere. Bash then does two things: it builds a text (`$a$b`,
 * `$(…)`, `${v%x}`), and it takes a text for a name or an expression (`[[ … -eq … ]]`, `${!v}`, `eval`). In doubt the patterns match.
 */
import { baseName } from '../text/path.ts';

/** All patterns of a sign must match. Each pattern takes linear time: lines can be long. */
type Sign = readonly RegExp[];

/** A shell as a word of its own. A shell reads its arguments or its input as a text. */
const SHELL = /(?<![\w.-])(?:ba|da|k|mk|z|a)?sh(?![\w.-])/;
/** Operators of `[[` and `test` that evaluate an operand. `$` stands for an operator that an expansion gives. */
const LOOKS_UP = /-["'\\]*(?:[vR](?![\w-])|\$)/;
const COMPARES = /-(?:eq|ne|lt|le|gt|ge)(?![\w-])/;
const INDEX = /\$\{[!#]?\w+\[/;
const PATTERN = /[*?[]/;
const FUNCTION = /\(\s{0,9}\)|\bfunction\s/;
const QUOTES = '["\'\\\\]*';

/** The output of a program is the name of a command. */
const RUNS_OUTPUT =
  /(?:^|[;&|(){!\n`]|\b(?:then|do|else|elif|if|while|until|time|command|builtin|exec|env|sudo)(?:[ \t]+-\S*)*|=[^\s=]*[ \t]|>[ \t]*[^\s>]+[ \t])[ \t]*["'\\]*(?:\$\((?!\()|`)/;

/** Bash takes a text for a name or for an expression, or runs the text. */
const TAKES_NAMES: readonly Sign[] = [
  [/\(\(|\$\[|\$\{!(?![A-Za-z_]\w*[*@]\})|@P\}/],
  [/\[\[/, COMPARES],
  [/\[\[|(?<![\w-])(?:test|\[)\s/, LOOKS_UP],
  // An index, unless the index is `@`, `*` or a number.
  [/\$\{[!#]?\w+\[(?!(?:[@*]|\d+)\])/],
  [/(?<!\[\d{1,9})\]\+?=/],
  // `${v:from:length}`, unless both are numbers.
  [/\$\{[!#]?[\w@*]+(?:\[[^\][{}]*\])?:(?![-=?+])(?!\s?-?\d+(?::-?\d+)?\})/],
  [/\bprintf\b/, /-["'\\]*(?:v|\$)/],
  [/\bwait\b/, /-["'\\]*(?:\w*p|\$)/],
  [/\b(?:let|declare|typeset|local|unset|read|getopts|mapfile|readarray)\b/],
  [/\b(?:eval|trap|compgen|complete|alias|fc|su|runuser|script|watch|parallel|flock)\b/],
  [SHELL],
  [RUNS_OUTPUT],
];

/** The names of the commands above. Pieces of these names may be expansions: `ev${x}al`. */
const TAKERS =
  `let declare typeset local unset read getopts mapfile readarray printf wait test [ eval trap compgen complete alias fc su
  runuser script watch parallel flock bash dash ksh mksh zsh ash sh`.split(/\s+/);

/**
 * Bash makes a new text: the line, its arguments and the values of its variables do not contain this text. Bash joins or cuts pieces.
 * Or the text comes from a program, a file or bash itself.
 */
const BUILDS_TEXTS: readonly Sign[] = [
  // An expansion beside a letter, a digit or another expansion.
  [new RegExp(`[\\w}\\])]${QUOTES}\\$${QUOTES}[\\w{@*?#$!(-]`)],
  [new RegExp(`\\$[\\w@*?#$!-]+["'\\\\]+[\\w$]|\\$[@*?#$!-]\\w|\\$\\d\\w|\\}${QUOTES}[\\w\${]`)],
  [/`|<\(|\$"/],
  // `${v%x}` and the like.
  [/\$\{[!#]?[\w@*?#$!-]+(?:\[[^\][{}]*\])?(?:[#%/^,~@]|:(?![-=?+]))/],
  [/\$\{![A-Za-z_]\w*[*@]/],
  [INDEX, /\][#%/^,~@:]/],
  [/\$-|\$\{-|\$\{?0(?!\w)/],
  [/\b(?:read|readarray|mapfile|getopts|select|IFS|BASH_\w+|BASHOPTS|SHELLOPTS|HOSTNAME|HOSTTYPE|OSTYPE|MACHTYPE)\b/],
  [/\bprintf\b/, /-["'\\]*(?:v|\$)/],
  [/\b(?:declare|typeset|local)\b/, /[-+]["'\\]*(?:\w*[luc]|\$)/],
  [SHELL, /[|<]/],
  // Braces that make words.
  [/[\w}]\{[^\s{}]*,|\{[A-Za-z]\.\.[A-Za-z]/],
  // Names of files.
  [/\bin\s|=\(|\bset\b/, /(?<!\[)\[(?!\[)[^\s\]]|[*?]/],
  [FUNCTION, PATTERN],
];

/** Bash may expand a pattern to names of files, and then use these names as texts. */
const TAKES_FILES: readonly Sign[] = [
  [/\bin\s|=\(|\bset\b|(?<!\[)\[\s|\b(?:let|declare|typeset|local|unset|read|getopts|mapfile|readarray|test|wait)\b/],
  [FUNCTION],
  [SHELL],
];

/** Arithmetic on one line, without quotes and expansions. */
const PLAIN_ARITHMETIC = /\(\([^()'"`$#\n]*\)\)/g;
/** An arithmetic expansion without output of programs. A text that only begins like one, such as `$((a) | b)`, does not match. */
const ARITHMETIC = /\$\(\((?:[^()$`]|\$(?!\()|\([^()$`]*\))*\)\)/g;

/** Builtins that do more with the value of a name than arithmetic: they run, export or expand the value. */
const VALUE_TAKERS = 'eval trap alias fc compgen complete export readonly declare typeset local source'.split(' ');
const TAKES_VALUES: readonly Sign[] = [
  [/\$\{!(?![A-Za-z_]\w*[*@]\})|@P\}/],
  [/\b(?:eval|trap|alias|fc|compgen|complete|export|readonly|declare|typeset|local|source)\b|(?<![^\s;&|(){!])\.\s/],
  [RUNS_OUTPUT],
];

/** A `[[ … ]]` without operators of lists: none of its words is a command. */
const CONDITION = /\[\[ [^;&|()`\n]* \]\]/g;

const hasSign = (text: string, signs: readonly Sign[]): boolean =>
  signs.some((sign) => sign.every((pattern) => pattern.test(text)));

const buildsTexts = (text: string): boolean =>
  hasSign(text, BUILDS_TEXTS) ||
  text.replace(ARITHMETIC, '').includes('$(') ||
  /\+=(?!\()/.test(text.replace(PLAIN_ARITHMETIC, ''));

/** Whether a word of the text may become one of the names: each expansion, brace and pattern in the word may be any text. */
export function mayBecomeOne(text: string, names: readonly string[]): boolean {
  for (const word of text.split(/[\s;&|()<>]+/)) {
    if (!/[$`{*?[]/.test(word)) continue;
    const name = baseName(word);
    // Skips a single variable, because its value is one of the texts. Skips `[` and `*` alone, which are usual words.
    if (/^["']*\$?(?:\{?[!#]?(?:\w+(?:\[[@*\d]+\]|[*@])?|[@*?#$!])\}?)?["']*$|^[*[]+$/.test(name)) continue;
    if (names.some((each) => mayBecome(name, each))) return true;
  }
  return false;
}

function mayBecome(word: string, name: string): boolean {
  const pieces = word.split(/\$\{[^}]*\}?|\$\w*|\[[^\]]*\]?|[`{}*?,"'\\@#!:%-]+/);
  if (pieces.some((piece) => piece.length > name.length || /[^\w[]/.test(piece))) return false;
  const [first = '', last = ''] = [pieces[0], pieces.at(-1)];
  return name.startsWith(first) && name.endsWith(last) && areInOrder(pieces, name);
}

function areInOrder(pieces: readonly string[], whole: string): boolean {
  let from = 0;
  for (const piece of pieces) {
    const at = whole.indexOf(piece, from);
    if (at === -1) return false;
    from = at + piece.length;
  }
  return true;
}

/**
 * Whether bash may use a variable whose name is in none of the texts.
 * @param texts     all that bash reads: the line, its arguments, and the values of the variables that these texts name. The list has
 *                  each of these texts in all its forms (`formsOf`), for example without quotes
 * @param values    the values among the texts; bash may take a value for a pattern of file names
 * @param isUnknown whether a value is not known
 */
export function mayBuildNames(texts: readonly string[], values: readonly string[], isUnknown: boolean): boolean {
  const whole = texts.join('\n');
  const mayBeFiles = values.some((value) => PATTERN.test(value)) && hasSign(whole, TAKES_FILES);
  if (!isUnknown && !mayBeFiles && !texts.some(buildsTexts)) return false;
  return takesNames(whole, texts);
}

const takesNames = (whole: string, texts: readonly string[]): boolean =>
  hasSign(whole, TAKES_NAMES) || texts.some((text) => mayBecomeOne(text, TAKERS));

/**
 * Assumes that bash takes the name of a variable from a text. Returns whether bash may run, export or expand the value of this variable,
 * and not only use the value for arithmetic.
 * @param texts as for `mayBuildNames`
 */
export const mayTakeValues = (texts: readonly string[]): boolean =>
  hasSign(texts.join('\n'), TAKES_VALUES) ||
  texts.some((text) => mayBecomeOne(text.replace(CONDITION, ' '), VALUE_TAKERS));

/**
 * Whether bash may use the value of a variable of the shell when it reads the text. `cd` does so with the option `cdable_vars`, and
 * `history` writes to HISTFILE. An assignment depends on the attributes of the variable.
 */
export const mayUseVariables = (text: string): boolean =>
  /[$`[\\=]|\b(?:cd|pushd|history)\b/.test(text) || takesNames(text, [text]) || mayTakeValues([text]);
