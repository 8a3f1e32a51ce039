/**
 * Reads builtins that set or unset variables. A call is opaque if a name is not literal, or if the call changes a variable that decides
 * what runs. As an exception, a call may set a variable of the locale (`LC_ALL`) to a safe locale (`isSafeLocale`). `readonly` is always
 * opaque.
 */
import { because, type Reason } from '../reasons/reason.ts';
import { decidesWhatRuns } from '../variables/bound-variables.ts';
import { isVariableName, maySet } from './assignments.ts';
import type { BuiltinCall, BuiltinMeaning } from './builtins.ts';
import { knownText } from './known-text.ts';
import type { Word } from './reading.ts';

/**
 * The options that are understood. Every other option makes the line opaque: `-i` evaluates values, `-n` makes name references, and `-r`
 * makes variables read-only.
 */
const OPTIONS: Readonly<Record<string, RegExp>> = {
  export: /^--$/,
  declare: /^-[xg]+$/,
  typeset: /^-[xg]+$/,
  local: /^--$/,
  unset: /^-v$/,
};
/** Options of `read` without a value. */
const READ_FLAGS = /^-[rs]+$/;
/** Options of `read` whose value is the next word. */
const READ_VALUED = /^-[rs]*[pdtnN]$/;

export function meaningOfVariables(call: BuiltinCall): BuiltinMeaning {
  const reason =
    call.name === 'readonly'
      ? because('makes-read-only')
      : call.name === 'read'
        ? faultOfRead(call.arguments)
        : faultOf(call);
  return reason === null ? { kind: 'harmless' } : { kind: 'opaque', ...reason };
}

function faultOf({ name, arguments: words, lookup }: BuiltinCall): Reason | null {
  const operands = words.filter((word) => !(word.kind === 'literal' && OPTIONS[name]?.test(word.value)));
  if (operands.length === 0) return because('prints-variables');
  for (const word of operands) {
    // After builtins such as `export`, bash does not split an unquoted `NAME=$X`. Another shell may split the value.
    if (word.kind === 'runtime' && !word.isOne && lookup !== 'bash') return because('sets-unknown-variables');
    const text = knownText(word);
    const [variable, isWhole] = nameIn(text, word);
    if (!isWhole || !isVariableName(variable)) return because('sets-variables-unclearly');
    if (name !== 'unset' && mayBeList(name, word, text)) return because('evaluates-list');
    if (name === 'unset' && text.includes('=')) return because('unsets-no-variable');
    if (name === 'unset' ? decidesWhatRuns(variable) : !maySet(variable, valueIn(word)))
      return because('sets-deciding-variable');
  }
  return null;
}

/**
 * Whether bash may read the value as a compound assignment, `NAME=(…)`. If NAME is an array, `declare 'NAME=(…)'` expands the value once
 * more, and a `${X:=…}` in the value sets X. Earlier lines decide which variables are arrays. `export` does not expand the value again. For
 * `export`, the result is false if the first character of the value is only known at run time.
 */
function mayBeList(name: string, word: Word, text: string): boolean {
  const at = text.indexOf('=');
  if (at === -1) return false;
  if (/^[A-Za-z_]\w*\+?=\(/.test(word.source)) return true;
  const value = text.slice(at + 1);
  return value.startsWith('(') || (value === '' && word.kind === 'runtime' && name !== 'export');
}

/**
 * Returns a name and a flag. The name is the text before `=` or `+=`, or the whole text if the text has no `=`. The flag is false if the
 * word may name a different or a further variable at run time.
 */
function nameIn(text: string, word: Word): readonly [string, boolean] {
  const at = text.indexOf('=');
  if (at === -1) return [text, word.kind === 'literal'];
  // A quoted `"X=$Y"` is one word. An unquoted `X=$Y` is one word only if bash reads it as an assignment. Otherwise bash splits the value.
  const isOne = word.kind === 'literal' || word.isOne || /^[A-Za-z_]\w*\+?=/.test(word.source);
  return [text.slice(0, at).replace(/\+$/, ''), isOne];
}

/** The value after `=`. Null: the word has no `=`, or is only known at run time. */
function valueIn(word: Word): Word | null {
  if (word.kind !== 'literal') return null;
  const at = word.value.indexOf('=');
  return at === -1 ? null : { ...word, value: word.value.slice(at + 1) };
}

/** `read [-rs] [-p TEXT] [-t SECONDS] [-n COUNT] [-d CHARACTER] NAME…` */
function faultOfRead(words: readonly Word[]): Reason | null {
  let at = 0;
  for (; at < words.length; at++) {
    const word = words[at];
    if (word?.kind !== 'literal') return because('sets-unknown-variables');
    if (READ_FLAGS.test(word.value) || /^-[tnN][\d.]+$/.test(word.value)) continue;
    if (READ_VALUED.test(word.value)) {
      const value = words[++at];
      if (value === undefined || (value.kind === 'runtime' && !value.isOne)) return because('option-unclear');
      continue;
    }
    if (word.value.startsWith('-')) return because('option-unclear');
    break;
  }
  for (const word of words.slice(at)) {
    if (word.kind !== 'literal' || !isVariableName(word.value)) return because('sets-unknown-variables');
    if (decidesWhatRuns(word.value)) return because('sets-deciding-variable');
  }
  return null;
}
