/** Numbers on a card and in `apes grants show` agree with the noun after them: for an impact preview and for reasons. */
import { describe, expect, it } from 'vitest';
import type { AssessmentView } from '../../src/core/effects/assessment-view.ts';
import { impact } from '../../src/core/impact/impact.ts';
import { textOfImpact } from '../../src/core/impact/touched-text.ts';
import { impactHtml } from '../../src/web/cards/impact-html.ts';
import { assessmentHtml } from '../../src/web/cards/line-html.ts';

const DELETED = 'files and directories deleted by rm -rf build';

describe('an impact preview', () => {
  it.each([
    [DELETED, 'file or directory deleted by rm -rf build'],
    ['empty directories deleted by rmdir a', 'empty directory deleted by rmdir a'],
    ['files that git does not know, deleted by git clean', 'file that git does not know, deleted by git clean'],
    ['processes that get a signal by kill 1', 'process that gets a signal by kill 1'],
    ['stashes deleted by git stash drop', 'stash deleted by git stash drop'],
    ['filesystems of an older host', 'filesystems of an older host'],
  ])('of one of %s is "%s"', (what, one) => {
    expect(textOfImpact(impact(what, { count: 1 }))).toBe(one);
    for (const known of [{ count: 0 }, { count: 2 }, {}, { count: 1, isCut: true }])
      expect(textOfImpact(impact(what, known))).toBe(what);
  });

  it('has the same words on the card', () => {
    const shown = (count: number) => impactHtml([impact(DELETED, { count })], 'box')?.text;
    expect(shown(1)).toContain('<strong>1</strong> file or directory deleted by rm -rf build</p>');
    expect(shown(2)).toContain('<strong>2</strong> files and directories deleted by rm -rf build</p>');
  });
});

it.each([
  [4, 'and for 1 more reason</p>'],
  [5, 'and for 2 more reasons</p>'],
])('%i reasons why only the exact bytes can be approved are announced as "%s"', (count, sentence) => {
  const opaque = Array.from({ length: count }, (_, at) => ({ reason: `reason ${at}`, source: 'x' }));
  const view = { commands: [], demands: null, opaque, harness: null } as unknown as AssessmentView;
  expect(assessmentHtml(view).text).toContain(sentence);
});
