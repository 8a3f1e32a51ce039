/**
 * `mv s/l l/y .` moves `s/l` first. If `s/l` is a link, `l/y` then lies behind it: a source of a command may be behind a link that an earlier
 * source of the same command has become.
 */
import type { Word } from '../reading/reading.ts';
import type { Spelling } from '../reading/spelling.ts';
import { type CommandContext, NO_EFFECT } from './command-context.ts';
import { ANYWHERE } from './known-path.ts';
import { pathsOfWord } from './path-of-word.ts';
import type { Resource } from './permission.ts';
import type { OptionUse } from './read-arguments.ts';

/** Tools whose sources get their own names in the target directory, and that can put a link there. */
const PUTS_LINKS: ReadonlySet<string> = new Set(['cp', 'ln', 'mv']);

/** The operands of a tool of `PUTS_LINKS` without its target; all operands of another tool. */
export const sourcesOf = (tool: string, uses: readonly OptionUse[], operands: readonly Word[]): readonly Word[] =>
  !PUTS_LINKS.has(tool) || uses.some(({ rule }) => rule.canonical === '--target-directory')
    ? operands
    : operands.slice(0, -1);

/**
 * Returns one access anywhere, as to the other sources, if a source may be behind a link that an earlier source becomes; else an empty list.
 * @param resources the resources of the words of the command
 */
export function behindOwnLinks(
  tool: string,
  uses: readonly OptionUse[],
  operands: readonly Word[],
  resources: readonly Resource[],
  context: CommandContext,
): readonly Resource[] {
  if (!PUTS_LINKS.has(tool)) return [];
  const sources = sourcesOf(tool, uses, operands);
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

/** The places in the directory that the source may get; the whole directory if the name of the source is not known. */
const placesIn = (tree: string, source: Word): readonly string[] =>
  namesOfWord(source)?.map((name) => `${tree === '/' ? '' : tree}/${name}`) ?? [tree];

/**
 * Returns the last names of the paths as the word writes them, whatever links these paths lead through. Null: not known, or the last name
 * is a dot or two dots.
 */
export function namesOfWord(word: Word): readonly string[] | null {
  const texts = word.kind === 'literal' ? [word.value] : (word.spellings?.map(plainText) ?? [null]);
  const names = texts.map((text) => /([^/]+)\/*$/.exec(text ?? '')?.[1] ?? '.');
  return names.some((name) => /^(?:\.{1,2}|~)$/.test(name)) ? null : names;
}

/** The spelling as text, with `~` for the home directory; null if it has a glob. */
const plainText = ({ isHome, pieces }: Spelling): string | null =>
  pieces.every(({ kind }) => kind === 'text')
    ? `${isHome ? '~' : ''}${pieces.map((piece) => (piece.kind === 'text' ? piece.value : '')).join('')}`
    : null;
