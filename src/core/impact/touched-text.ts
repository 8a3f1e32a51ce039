/** Says what a line would touch, with the number that it is about. A host counts in the plural. */
import type { Impact } from './impact.ts';

/** The words with which a preview begins, and the same for one. */
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

/** `file or directory deleted by rm -rf build`, if it is exactly one; else in the words of the host. */
export function touchedWhat({ what, count, isCut }: Pick<Impact, 'what' | 'count' | 'isCut'>): string {
  const found = count === 1 && !isCut ? ONE.find(([several]) => what.startsWith(several)) : undefined;
  return found === undefined ? what : `${found[1]}${what.slice(found[0].length)}`;
}
