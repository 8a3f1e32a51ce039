/** Reads refspecs, `[+]SOURCE[:TARGET]`: which refs `git push`, `git fetch` and `git pull` write and delete. */

import type { Word } from '../reading/reading.ts';
import { type Meaning, resourceMeaning } from './meaning.ts';
import type { Resource } from './permission.ts';

const ANY_WRITE: Resource = { kind: 'ref', access: 'write', value: '', isExact: false };
const ANY_DELETE: Resource = { kind: 'ref', access: 'delete', value: '', isExact: false };
const MANY: Meaning = { resources: [ANY_WRITE], risk: 'high', does: 'Updates many refs.' };
const FORCED = { risk: 'high', does: 'Overwrites the ref even if commits get lost.' } as const;

interface Refspec {
  readonly source: string;
  readonly target: string | null;
  readonly isForced: boolean;
}

/** Returns null for a pattern, an exclusion (`^ref`), `@{-1}` and an empty refspec. Only git knows which refs these mean. */
function partsOf(text: string): Refspec | null {
  const isForced = text.startsWith('+');
  const body = isForced ? text.slice(1) : text;
  if (body === '' || /[*^]|@\{/.test(body)) return null;
  // The target follows the last colon: a source may contain a colon too (`HEAD:file`).
  const colon = body.lastIndexOf(':');
  const named = colon < 0 ? body : body.slice(0, colon);
  return { source: named === '@' ? 'HEAD' : named, target: colon < 0 ? null : body.slice(colon + 1), isForced };
}

/**
 * Reads a refspec of `git push`. `:TARGET` deletes the target. `:` updates every branch that exists on both sides. If the refspec has no
 * target, git writes to the ref with the name of the source. The settings may name another ref (`effectsOfRemoteSettings`).
 */
export function readPushRefspec(word: Word): Meaning {
  if (word.kind !== 'literal')
    return { resources: [ANY_WRITE, ANY_DELETE], risk: 'high', does: 'The ref is only known when the command runs.' };
  const parts = partsOf(word.value);
  if (parts === null || parts.target === '') return MANY;
  const { source, target, isForced } = parts;
  const force = isForced ? FORCED : {};
  if (source === '' && target !== null)
    return { ...resourceMeaning('ref', 'delete', target), risk: 'high', does: 'Deletes the ref.' };
  if (target !== null) return { ...movedTo(source, target), ...force };
  const named = source === 'HEAD' ? { does: 'The ref has the name of the current branch.' } : {};
  return { ...resourceMeaning('ref', 'write', source), ...named, ...force };
}

/** Reads a refspec of `git fetch` or `git pull`. An empty source is HEAD of the other repository. An empty target counts as no target. */
export function readFetchRefspec(word: Word): Meaning {
  if (word.kind !== 'literal')
    return { resources: [ANY_WRITE], risk: 'high', does: 'The ref is only known when the command runs.' };
  const parts = partsOf(word.value);
  if (parts === null) return MANY;
  const source = parts.source === '' ? 'HEAD' : parts.source;
  const meaning =
    parts.target === null || parts.target === ''
      ? resourceMeaning('ref', 'write', source)
      : movedTo(source, parts.target);
  return parts.isForced ? { ...meaning, ...FORCED } : meaning;
}

const movedTo = (source: string, target: string): Meaning => ({
  resources: [
    ...resourceMeaning('ref', 'read', source).resources,
    ...resourceMeaning('ref', 'write', target).resources,
  ],
});

/**
 * Returns the refs that a command of git writes or deletes although no operand names them:
 * - for a `git push` whose operands name no ref: writing to any ref. The settings name what `git push origin` sends. This may be all
 *   branches, or all refs (`remote.NAME.mirror`)
 * - for a `git branch -m` with one name: writing and deleting the current branch
 * - for any other command: an empty list
 *
 * @param named the resources of the operands
 */
export function refsNotNamed(operation: string, named: readonly Resource[]): readonly Resource[] {
  const written = named.filter(({ kind, access }) => kind === 'ref' && access !== 'delete');
  if (operation === 'git push') return named.some(({ kind }) => kind === 'ref') ? [] : [ANY_WRITE];
  return operation === 'git branch rename' && written.length < 2 ? CURRENT : [];
}

const CURRENT: readonly Resource[] = (['write', 'delete'] as const).map((access) => ({
  kind: 'ref',
  access,
  value: 'HEAD',
  isExact: true,
}));
