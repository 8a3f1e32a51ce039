/** Puts the text of an impact into the singular if one thing is touched. Hosts always send the text in the plural. */
import type { Impact } from './impact.ts';

/** The first words of the texts, each in the plural and in the singular. */
const ONE: readonly (readonly [string, string])[] = [
  ['files and directories ', 'file or directory '],
  ['empty directories ', 'empty directory '],
  ['files ', 'file '],
  ['processes that get ', 'process that gets '],
  ['stashes ', 'stash '],
  ['refs ', 'ref '],
  ['rows ', 'row '],
  ['containers ', 'container '],
  ['images ', 'image '],
  ['volumes ', 'volume '],
];

/**
 * Returns the text in the singular if exactly one thing is touched: `file or directory deleted by rm -rf build`. In all other cases, also
 * if `ONE` does not have the first words, returns the text of the host.
 */
export function textOfImpact({ what, count, isCut }: Pick<Impact, 'what' | 'count' | 'isCut'>): string {
  const found = count === 1 && !isCut ? ONE.find(([several]) => what.startsWith(several)) : undefined;
  return found === undefined ? what : `${found[1]}${what.slice(found[0].length)}`;
}
