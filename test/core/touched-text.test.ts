/** The number in front of what a line would touch fits the word behind it, on the card and in `apes grants show`. */
import { describe, expect, it } from 'vitest';
import { impact } from '../../src/core/impact/impact.ts';
import { touchedWhat } from '../../src/core/impact/touched-text.ts';
import { impactHtml } from '../../src/web/cards/impact-html.ts';

const DELETED = 'files and directories deleted by rm -rf build';

describe('what a line would touch', () => {
  it.each([
    [DELETED, 'file or directory deleted by rm -rf build'],
    ['empty directories deleted by rmdir a', 'empty directory deleted by rmdir a'],
    ['files that git does not know, deleted by git clean', 'file that git does not know, deleted by git clean'],
    ['processes that get a signal by kill 1', 'process that gets a signal by kill 1'],
    ['stashes deleted by git stash drop', 'stash deleted by git stash drop'],
    ['filesystems of an older host', 'filesystems of an older host'],
  ])('%s: one', (what, one) => {
    expect(touchedWhat(impact(what, { count: 1 }))).toBe(one);
    for (const known of [{ count: 0 }, { count: 2 }, {}, { count: 1, isCut: true }])
      expect(touchedWhat(impact(what, known))).toBe(what);
  });

  it('is said so on the card', () => {
    const shown = (count: number) => impactHtml([impact(DELETED, { count })], 'box')?.text;
    expect(shown(1)).toContain('<strong>1</strong> file or directory deleted by rm -rf build</p>');
    expect(shown(2)).toContain('<strong>2</strong> files and directories deleted by rm -rf build</p>');
  });
});
