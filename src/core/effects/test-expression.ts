/**
 * Reads simple forms of `test` and `[`. All other forms are opaque. `-v` and `-R` are opaque too: both evaluate an array index.
 */

import type { Word } from '../reading/reading.ts';
import { because } from '../reasons/reason.ts';
import type { CommandContext } from './command-context.ts';
import { type Meaning, NOTHING, opaqueMeaning } from './meaning.ts';
import { pathsOfWord } from './path-of-word.ts';
import type { Resource } from './permission.ts';

const OF_FILES = /^-[abcdefghkprstuwxGLNOS]$/;
const OF_TEXTS = /^-[nz]$/;
const BETWEEN = /^(?:=|==|!=|<|>|-eq|-ne|-lt|-le|-gt|-ge|-nt|-ot|-ef)$/;

/** @param words the words after `test`, or the words between `[` and `]` */
export function readTest(words: readonly Word[], context: CommandContext): Meaning {
  const not = words[0]?.kind === 'literal' && words[0].value === '!' && words.length > 1 ? 1 : 0;
  const [first, second, third, ...more] = words.slice(not);
  if (words.some((word) => word.kind === 'runtime' && !word.isOne) || more.length > 0)
    return opaqueMeaning(because('test-ambiguous'));
  if (first === undefined || second === undefined) return NOTHING;
  if (third === undefined) {
    const operator = first.kind === 'literal' ? first.value : '';
    if (OF_TEXTS.test(operator)) return NOTHING;
    return OF_FILES.test(operator) ? { resources: read(second, context) } : opaqueMeaning(because('test-not-known'));
  }
  if (second.kind !== 'literal' || !BETWEEN.test(second.value)) return opaqueMeaning(because('test-not-known'));
  return /^-(?:nt|ot|ef)$/.test(second.value)
    ? { resources: [...read(first, context), ...read(third, context)] }
    : NOTHING;
}

const read = (word: Word, context: CommandContext): readonly Resource[] =>
  pathsOfWord(word, context, 'target').map((path) => ({ kind: 'path', access: 'read', ...path }));
