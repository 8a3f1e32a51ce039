/** Reads words of kubectl and helm: objects, output formats, charts. */

import { knownText } from '../reading/known-text.ts';
import type { Word } from '../reading/reading.ts';
import { because } from '../reasons/reason.ts';
import type { CommandContext } from './command-context.ts';
import { pathOfText } from './known-path.ts';
import { type Meaning, NOTHING, opaqueMeaning, resourceMeaning } from './meaning.ts';
import type { Access, Resource } from './permission.ts';

/**
 * What a command does with the objects that it names.
 * @property isPrefix whether a name means all objects whose names begin with this name, as for `kubectl describe`
 */
interface Manner {
  readonly access: Access;
  readonly isPrefix: boolean;
}

export const READ_OBJECTS: Manner = { access: 'read', isPrefix: false };
export const DESCRIBE_OBJECTS: Manner = { access: 'read', isPrefix: true };
export const DELETE_OBJECTS: Manner = { access: 'delete', isPrefix: false };

/**
 * Reads `pods`, `deploy/web svc/web`, `pod a b`, `pods,services a`. Reading has a high risk if the kind or name contains "secret", or if
 * the kind is not known.
 */
export function readClusterObjects(words: readonly Word[], manner: Manner): Meaning {
  const objects = words.some((word) => knownText(word).includes('/'))
    ? words.map((word) => objectOf(word, '', manner))
    : objectsOfKinds(words, manner);
  const isSecret = objects.some(({ value, isExact }) => /secret/i.test(value) || (!isExact && !value.includes('/')));
  return isSecret && manner.access === 'read'
    ? { resources: objects, risk: 'high', does: 'May show secrets.' }
    : { resources: objects };
}

/** Reads the operands of `label TYPE NAME KEY=VALUE KEY-`: the labels begin with the first word like `KEY=VALUE` or `KEY-`. */
export function readLabelledObjects(words: readonly Word[]): Meaning {
  const isKnown = words.every(({ kind }) => kind === 'literal');
  if (!isKnown) return opaqueMeaning(because('label-or-object'));
  const first = words.findIndex((word) => /=|-$/.test(knownText(word)));
  const named = first < 0 ? words : words.slice(0, first);
  return readClusterObjects(named, { access: 'write', isPrefix: false });
}

/**
 * Reads the first operand of `logs POD CONTAINER` or `logs TYPE/NAME`. A word that is known only at run time (`$x`) and has no `/` may be
 * of any type.
 */
export function readLoggedObject([word]: readonly Word[]): Meaning {
  if (word === undefined) return NOTHING;
  if (knownText(word).includes('/')) return { resources: [objectOf(word, '', READ_OBJECTS)] };
  return word.kind === 'literal'
    ? { resources: [objectOf(word, 'pod/', READ_OBJECTS)] }
    : resourceMeaning('service', 'read', '', false);
}

function objectsOfKinds([kinds, ...names]: readonly Word[], manner: Manner): readonly Resource[] {
  if (kinds === undefined) return [];
  if (kinds.kind !== 'literal') return [{ kind: 'service', access: manner.access, value: '', isExact: false }];
  const all = kinds.value.split(',');
  return names.length === 0
    ? all.map((kind) => ({ kind: 'service', access: manner.access, value: kind, isExact: true }))
    : all.flatMap((kind) => names.map((name) => objectOf(name, `${kind}/`, manner)));
}

const objectOf = (word: Word, kind: string, { access, isPrefix }: Manner): Resource => ({
  kind: 'service',
  access,
  value: `${kind}${knownText(word)}`,
  isExact: word.kind === 'literal' && !isPrefix,
});

/**
 * Reads the value of `-o`. Most formats show whole objects and the environment variables of these objects. A format that is not known here
 * is opaque: the format may read a template from a file.
 */
export function readObjectFormat(word: Word): Meaning {
  if (word.kind !== 'literal') return opaqueMeaning(because('object-format-unknown', word.source));
  if (/^(?:wide|name)$/.test(word.value)) return NOTHING;
  return /^(?:json|yaml)$|^(?:jsonpath|custom-columns)=/.test(word.value)
    ? { resources: [], risk: 'high', does: 'Shows whole objects, with their environment and the secrets in it.' }
    : opaqueMeaning(because('object-format-file', word.value));
}

/** Reads a chart: a directory or an archive. A name that does not begin with `.` or `/` may be in a chart repository. */
export function readChart(word: Word, context: CommandContext): Meaning {
  if (word.kind !== 'literal') return opaqueMeaning(because('chart-unknown', word.source));
  if (word.value.includes('://')) return opaqueMeaning(because('chart-from-plugin', word.value));
  const files = filesOf(word.value, context, false);
  return /^[./]/.test(word.value)
    ? files
    : { ...files, resources: [...files.resources, ...resourceMeaning('url', 'contact', '', false).resources] };
}

/**
 * Reads the name of a file of values. `a,b` is opaque: this text names two files. A URL is opaque: helm or a plugin would fetch the URL.
 */
export const readChartValues = (word: Word, context: CommandContext): Meaning => readFileName(word, context, true);

/** Reads the name of a file that describes objects for kubectl, or the name of a directory with such files. */
export const readManifests = (word: Word, context: CommandContext): Meaning => readFileName(word, context, false);

/**
 * `-` means standard input, and names no file.
 * @param isOneFile false: the name may also name a directory, and the command reads the files in this directory
 */
const readFileName = (word: Word, context: CommandContext, isOneFile: boolean): Meaning =>
  word.kind !== 'literal' || /,|:\/\/|[*?[]/.test(word.value)
    ? opaqueMeaning(because('chart-values-unclear', word.source))
    : word.value === '-'
      ? NOTHING
      : filesOf(word.value, context, isOneFile);

const filesOf = (text: string, context: CommandContext, isOneFile: boolean): Meaning => {
  const { value, isExact } = pathOfText(text, context, 'target');
  return resourceMeaning('path', 'read', value, isExact && isOneFile);
};
