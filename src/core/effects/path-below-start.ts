/** Paths with `{}`. find replaces `{}` by its starting point, or by a path at any depth below the starting point. */
import type { Spelling } from '../reading/spelling.ts';
import { isAtOrBelow } from '../text/path.ts';
import { ANYWHERE, type KnownPath, type PathContext, pathOfText } from './known-path.ts';

/** `hasLinksOut` searches for links down to this level below a directory. Real trees have fewer levels. */
export const ANY_DEPTH = 64;

/**
 * Returns the paths that a spelling with `{}` may name. Returns `[ANYWHERE]` if these paths are not known before the line runs.
 * @param end `itself`: a link at the end of a path is not followed
 */
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
  // `{}/..` leads above the start, and so does `{}..` when the start ends with a slash.
  if (behind.split('/').some((name, place) => /^\.{1,2}$/.test(name) && (place > 0 || found.start.endsWith('/'))))
    return [ANYWHERE];
  const start = `${isHome ? context.home : ''}${before}${found.start}`;
  const top = pathOfText(start, context, 'target');
  if (!top.isExact) return [ANYWHERE];
  const isLinkItself = behind === '' && (found.isFile || end === 'itself');
  if (!isLinkItself && context.hasLinksOut?.(top.value, ANY_DEPTH) === true) return [ANYWHERE];
  if (context.earlier?.linked.some((area) => isAtOrBelow(area, top.value)) === true) return [ANYWHERE];
  // When find replaces `{}` by the starting point itself, `{}.bak` is a file beside the starting point.
  // find does not follow a link from which it starts, so `rm {}` deletes this link.
  const beside = [pathOfText(start + behind, context, behind === '' ? end : 'target')];
  return [{ value: top.value, isExact: false }, ...beside.filter(({ value }) => !isAtOrBelow(value, top.value))];
}
