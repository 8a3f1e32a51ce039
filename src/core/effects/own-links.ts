/**
 * Finds sources of a command that may lie behind a link that the same command puts in place. Example: `mv s/l l/y .` first moves `s/l` to
 * `./l`. If `s/l` is a link, the path `l/y` then leads through the link.
 */
import type { Word } from '../reading/reading.ts';
import type { Spelling } from '../reading/spelling.ts';
import { pathBelow } from '../text/path.ts';
import { NO_EFFECT } from './command-context.ts';
import { ANYWHERE } from './known-path.ts';
import { pathsOfWord } from './path-of-word.ts';
import type { Resource } from './permission.ts';
import type { UnderstoodCall } from './understood-call.ts';

/** Tools that can put a link into the target directory. The link then has the base name of a source. */
const PUTS_LINKS: ReadonlySet<string> = new Set(['cp', 'ln', 'mv']);

/** Returns the operands without the target directory or file. For a tool that is not in `PUTS_LINKS`, returns all operands. */
export const sourcesOf = ({ tool, uses, operands }: UnderstoodCall): readonly Word[] =>
  !PUTS_LINKS.has(tool) || uses.some(({ rule }) => rule.canonical === '--target-directory')
    ? operands
    : operands.slice(0, -1);

/**
 * If a source may lie behind a link that the command itself puts in place, returns one resource that means any path. Otherwise returns an
 * empty list. The access is `delete` if the command deletes a path, else `read`.
 */
export function behindOwnLinks(call: UnderstoodCall): readonly Resource[] {
  const { tool, resources, context } = call;
  if (!PUTS_LINKS.has(tool)) return [];
  const sources = sourcesOf(call);
  const paths = resources.filter(({ kind }) => kind === 'path');
  const trees = paths.filter(({ access, isExact }) => access === 'write' && !isExact).map(({ value }) => value);
  const { earlier = NO_EFFECT } = context;
  const isBehind = sources.slice(1).some((source, at) => {
    const linked = sources.slice(0, at + 1).flatMap((each) => trees.flatMap((tree) => placesIn(tree, each)));
    const then = { ...context, earlier: { ...earlier, linked: [...earlier.linked, ...linked] } };
    return (
      pathsOfWord(source, then, 'target').some(isAnywhere) && !pathsOfWord(source, context, 'target').some(isAnywhere)
    );
  });
  const access = paths.find((path) => path.access === 'delete')?.access ?? 'read';
  return isBehind ? [{ kind: 'path', access, ...ANYWHERE }] : [];
}

const isAnywhere = ({ value, isExact }: { readonly value: string; readonly isExact: boolean }): boolean =>
  value === ANYWHERE.value && isExact === ANYWHERE.isExact;

/** Returns the paths in the directory `tree` at which the source may be put; `tree` itself if the source's name is not known. */
const placesIn = (tree: string, source: Word): readonly string[] =>
  namesOfWord(source)?.map((name) => pathBelow(tree, name)) ?? [tree];

/**
 * Returns the base name (basename(1)) of each path that the word can mean. Does not follow links. Returns null if a path is not known, is
 * `/`, or has the base name `.`, `..` or `~`.
 */
export function namesOfWord(word: Word): readonly string[] | null {
  const texts = word.kind === 'literal' ? [word.value] : (word.spellings?.map(plainText) ?? [null]);
  const names = texts.map((text) => /([^/]+)\/*$/.exec(text ?? '')?.[1] ?? '.');
  return names.some((name) => /^(?:\.{1,2}|~)$/.test(name)) ? null : names;
}

/** Returns the spelling as text, with `~` for the home directory; null if some piece is not plain text, such as a glob. */
const plainText = ({ isHome, pieces }: Spelling): string | null =>
  pieces.every(({ kind }) => kind === 'text')
    ? `${isHome ? '~' : ''}${pieces.map((piece) => (piece.kind === 'text' ? piece.value : '')).join('')}`
    : null;
