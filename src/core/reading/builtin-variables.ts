/** Builtins that set or take away variables: harmless for names that decide nothing, written out. */
import { because, type Reason } from '../reasons/reason.ts';
import { decidesWhatRuns } from '../variables/bound-variables.ts';
import { isVariableName, maySet } from './assignments.ts';
import type { BuiltinCall, BuiltinMeaning } from './builtins.ts';
import type { Word } from './reading.ts';

/** Options that give no variable an attribute that evaluates (`-i`), redirects (`-n`) or forbids (`-r`). */
const OPTIONS: Readonly<Record<string, RegExp>> = {
  export: /^--$/,
  declare: /^-[xg]+$/,
  typeset: /^-[xg]+$/,
  local: /^--$/,
  unset: /^-v$/,
};
/** `read`: those without a value; and those with one, which may be attached. */
const READ_FLAGS = /^-[rs]+$/;
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
    // Only bash itself, called by that name, takes `NAME=$X` as one word.
    if (word.kind === 'runtime' && !word.isOne && lookup !== 'bash') return because('sets-unknown-variables');
    const text = word.kind === 'literal' ? word.value : word.prefix;
    const [variable, isWhole] = nameIn(text, word);
    if (!isWhole || !isVariableName(variable)) return because('sets-variables-unclearly');
    if (name === 'unset' && text.includes('=')) return because('unsets-no-variable');
    if (name === 'unset' ? decidesWhatRuns(variable) : !maySet(variable, valueIn(word)))
      return because('sets-deciding-variable');
  }
  return null;
}

/** The name in front of `=` or `+=`, and whether all of it is known. */
function nameIn(text: string, word: Word): readonly [string, boolean] {
  const at = text.indexOf('=');
  if (at === -1) return [text, word.kind === 'literal'];
  // Quoted, `"X=$Y"` is one word; bare, the parser must have seen an assignment, or bash would split it.
  const isOne = word.kind === 'literal' || word.isOne || /^[A-Za-z_]\w*\+?=/.test(word.source);
  return [text.slice(0, at).replace(/\+$/, ''), isOne];
}

/** The value behind `=`; null for a name alone, which keeps its present value. */
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
