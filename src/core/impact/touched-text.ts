/** Puts the text of an impact into the singular if one thing is touched. Hosts always send the text in the plural. */
import type { Impact } from './impact.ts';

/** The words with which the text of an impact begins, in the plural and in the singular. */
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

/** Returns `file or directory deleted by rm -rf build` if exactly one thing is touched, else the text of the host. */
export function textOfImpact({ what, count, isCut }: Pick<Impact, 'what' | 'count' | 'isCut'>): string {
  const found = count === 1 && !isCut ? ONE.find(([several]) => what.startsWith(several)) : undefined;
  return found === undefined ? what : `${found[1]}${what.slice(found[0].length)}`;
}
