/** Words of kubectl: which kind of object is shown, and in how much detail. */
import type { Word } from '../reading/reading.ts';
import { type Meaning, NOTHING, one, opaqueMeaning } from './meaning.ts';

/** `pods`, `deploy/web`, `pods,secrets`: what is called a secret shows passwords. */
export function readClusterObject(word: Word): Meaning {
  const text = word.kind === 'literal' ? word.value : word.prefix;
  const object = one('service', 'read', text, word.kind === 'literal');
  return word.kind !== 'literal' || /secret/i.test(text)
    ? { ...object, risk: 'high', does: 'May show secrets.' }
    : object;
}

/** The value of `-o`: a whole object holds its environment too; a template may be a file. */
export function readObjectFormat(word: Word): Meaning {
  if (word.kind !== 'literal') return opaqueMeaning(`has the format ${word.source}, which is only known when it runs`);
  if (/^(?:wide|name)$/.test(word.value)) return NOTHING;
  return /^(?:json|yaml)$|^(?:jsonpath|custom-columns)=/.test(word.value)
    ? { resources: [], risk: 'high', does: 'Shows whole objects: their environment, and what is secret in it.' }
    : opaqueMeaning(`has the format ${word.value}, which may name a file`);
}
