/** What find puts in the place of `{}`: the start, or a name at any depth below it, with any name in it but `..`. */
import { isAtOrBelow } from '../files/file-operation.ts';
import type { Spelling } from '../reading/spelling.ts';
import { ANYWHERE, type KnownPath, type PathContext, pathOfText } from './known-path.ts';

/** Deeper than any tree that is looked at. */
export const ANY_DEPTH = 64;

export function pathsBelowStart(
  { isHome, pieces }: Spelling,
  context: PathContext,
  end: 'target' | 'itself',
): readonly KnownPath[] {
  const at = pieces.findIndex(({ kind }) => kind === 'below');
  const found = pieces[at];
  const [before, behind] = [pieces.slice(0, at), pieces.slice(at + 1)].map((some) =>
    some.every(({ kind }) => kind === 'text')
      ? some.map((each) => (each.kind === 'text' ? each.value : '')).join('')
      : null,
  );
  if (found?.kind !== 'below' || before === null || before === undefined || behind === null || behind === undefined)
    return [ANYWHERE];
  if (isHome && context.home === null) return [ANYWHERE];
  // `{}/..` is above, and so is `{}.` where a slash stands in front of it.
  if (behind.split('/').some((name, place) => /^\.{1,2}$/.test(name) && (place > 0 || found.start.endsWith('/'))))
    return [ANYWHERE];
  const start = `${isHome ? context.home : ''}${before}${found.start}`;
  const top = pathOfText(start, context, 'target');
  if (!top.isExact) return [ANYWHERE];
  const isLinkItself = behind === '' && (found.isFile || end === 'itself');
  if (!isLinkItself && context.hasLinksOut?.(top.value, ANY_DEPTH) === true) return [ANYWHERE];
  if (context.earlier?.linked.some((area) => isAtOrBelow(area, top.value)) === true) return [ANYWHERE];
  // `{}.bak` of the start itself lies beside it.
  const beside = behind === '' ? [] : [pathOfText(start + behind, context, 'target')];
  return [{ value: top.value, isExact: false }, ...beside.filter(({ value }) => !isAtOrBelow(value, top.value))];
}
