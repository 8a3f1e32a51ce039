/** What a server remembers of the grants that it has used: the limits, and the grants that it never remembers. */
import { expect, it } from 'vitest';
import type { Grant } from '../../src/core/grant/grant.ts';
import { RememberedGrants } from '../../src/store/remembered-grants.ts';
import type { Subject } from '../../src/store/store.ts';
import { approved } from './store-samples.ts';

const grantOf = (name: string): Grant => {
  const subject = { id: `s_${name}`, name, host: 'box', user: 'agent' } as Subject;
  return approved(subject, { kind: 'always' }, { fingerprint: name.repeat(64) });
};
const [a, b, c] = [grantOf('a'), grantOf('b'), grantOf('c')];

const AT_FIVE = { afterSeq: 5, approversSequence: 2 };

it('forgets the request that was used longest ago, if there is one more than the limit', () => {
  const remembered = new RememberedGrants(2);
  remembered.read([a, b], [a, b], AT_FIVE);
  const used = { ...a, version: a.version + 1 };
  remembered.used(used);
  remembered.read([c], [c], AT_FIVE);
  expect([remembered.of([b], 5), remembered.of([c, a], 5)]).toEqual([null, [c, used]]);
});

it('forgets all grants once more events are known, and returns none for another number of events', () => {
  const remembered = new RememberedGrants();
  remembered.read([a], [a], AT_FIVE);
  expect([remembered.of([a], 5), remembered.of([a], 4), remembered.of([a], 6)]).toEqual([[a], null, null]);
  remembered.read([b], [b], { ...AT_FIVE, afterSeq: 6 });
  expect([remembered.of([a], 6), remembered.of([a], 5), remembered.of([b], 6)]).toEqual([null, null, [b]]);
});

it('forgets all grants once the list of approvers is newer', () => {
  const remembered = new RememberedGrants();
  remembered.read([a], [a], AT_FIVE);
  expect(remembered.approversSequence).toBe(2);
  remembered.read([b], [b], { ...AT_FIVE, approversSequence: 3 });
  expect([remembered.of([a], 5), remembered.of([b], 5), remembered.approversSequence]).toEqual([null, [b], 3]);
});

it('does not remember a request without a grant, or with a long text', () => {
  const long = grantOf('e');
  const longer = { ...long, request: { ...long.request, text: 'x'.repeat(4_097) } };
  const remembered = new RememberedGrants();
  remembered.read([a, b, longer], [a, longer], AT_FIVE);
  expect(remembered.of([a], 5)).toEqual([a]);
  for (const each of [b, longer]) expect(remembered.of([each], 5)).toBe(null);
  expect(remembered.of([a, b], 5)).toBe(null);
});

it('forgets a grant if the request is read again without a grant', () => {
  const remembered = new RememberedGrants();
  remembered.read([a], [a], AT_FIVE);
  remembered.read([a], [], AT_FIVE);
  expect(remembered.of([a], 5)).toBe(null);
});
