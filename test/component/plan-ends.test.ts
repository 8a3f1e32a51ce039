/** Which ends an approver can choose on the card of a plan: the end that was asked for, and earlier ones. */
import { expect, it } from 'vitest';
import { ALL_RIGHTS } from '../../src/core/people/viewer-rights.ts';
import type { GrantView } from '../../src/core/wire/grant-view.ts';
import type { Plan } from '../../src/core/wire/plan.ts';
import { actionsHtml } from '../../src/web/cards/card-actions.ts';

const MINUTE_MS = 60_000;
const NOW_MS = Date.parse('2026-06-10T12:00:00Z');

/** Returns the values of the choices, the first of which is chosen. */
function endsOffered(end: Plan['end'], nowMs = NOW_MS): readonly string[] {
  const plan: Plan = { order: false, end, parts: [] };
  const grant = { id: 'g_x', state: 'pending', request: { kind: 'plan', plan } } as unknown as GrantView;
  const html = actionsHtml(grant, { proposals: [], match: null, rights: ALL_RIGHTS, nowMs }, 'label');
  return [...(html?.text ?? '').matchAll(/class="plan-end" name="plan-end" value="([^"]*)"/g)].map(
    ([, value = '']) => value,
  );
}

it('are earlier than a time that was asked for', () => {
  expect(endsOffered({ forMs: 120 * MINUTE_MS })).toEqual(['for 7200000', 'for 900000', 'for 3600000']);
  expect(endsOffered({ forMs: 15 * MINUTE_MS })).toEqual(['for 900000']);
});

it('are earlier than a moment that was asked for, also if the approver decides later than the card was made', () => {
  const untilMs = NOW_MS + 120 * MINUTE_MS;
  expect(endsOffered({ untilMs })).toEqual([
    `until ${untilMs}`,
    `within 900000 ${untilMs}`,
    `within 3600000 ${untilMs}`,
  ]);
  expect(endsOffered({ untilMs }, NOW_MS + 70 * MINUTE_MS)).toEqual([`until ${untilMs}`, `within 900000 ${untilMs}`]);
  expect(endsOffered({ untilMs }, NOW_MS + 119 * MINUTE_MS)).toEqual([`until ${untilMs}`]);
});
