/** Words of kubectl and helm: which kind of object is shown, and in how much detail; where a chart is. */

import type { Word } from '../reading/reading.ts';
import { because } from '../reasons/reason.ts';
import type { JudgeContext } from './judge-context.ts';
import { pathOfText } from './known-path.ts';
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
  if (word.kind !== 'literal') return opaqueMeaning(because('object-format-unknown', word.source));
  if (/^(?:wide|name)$/.test(word.value)) return NOTHING;
  return /^(?:json|yaml)$|^(?:jsonpath|custom-columns)=/.test(word.value)
    ? { resources: [], risk: 'high', does: 'Shows whole objects: their environment, and what is secret in it.' }
    : opaqueMeaning(because('object-format-file', word.value));
}

/** A directory or archive, as helm finds it. A name that does not begin with `.` or `/` may be one of a repository, too. */
export function readChart(word: Word, context: JudgeContext): Meaning {
  if (word.kind !== 'literal') return opaqueMeaning(because('chart-unknown', word.source));
  if (word.value.includes('://')) return opaqueMeaning(because('chart-from-plugin', word.value));
  const files = filesOf(word.value, context, false);
  return /^[./]/.test(word.value)
    ? files
    : { ...files, resources: [...files.resources, ...one('url', 'contact', '', false).resources] };
}

/** One file: `a,b` are two, and what has a scheme is fetched, by a plugin where one has that scheme. */
export const readChartValues = (word: Word, context: JudgeContext): Meaning =>
  word.kind !== 'literal' || /,|:\/\//.test(word.value)
    ? opaqueMeaning(because('chart-values-unclear', word.source))
    : word.value === '-'
      ? NOTHING
      : filesOf(word.value, context, true);

const filesOf = (text: string, context: JudgeContext, isOne: boolean): Meaning => {
  const { value, isExact } = pathOfText(text, context, 'target');
  return one('path', 'read', value, isExact && isOne);
};
