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

const FIVE = { seq: 5, atMs: 50 };
const SIX = { seq: 6, atMs: 60 };
const AT_FIVE = { after: FIVE, approversSequence: 2 };

it('the server forgets the request that was used longest ago, if there is one more than the limit', () => {
  const remembered = new RememberedGrants(2);
  remembered.read([a, b], [a, b], AT_FIVE);
  const used = { ...a, version: a.version + 1 };
  remembered.used(used);
  remembered.read([c], [c], AT_FIVE);
  expect([remembered.of([b], FIVE), remembered.of([c, a], FIVE)]).toEqual([null, [c, used]]);
});

it('the server forgets all grants once more events are known, and returns none for another number of events', () => {
  const remembered = new RememberedGrants();
  remembered.read([a], [a], AT_FIVE);
  expect([remembered.of([a], FIVE), remembered.of([a], { seq: 5, atMs: 51 }), remembered.of([a], SIX)]).toEqual([
    [a],
    null,
    null,
  ]);
  remembered.read([b], [b], { ...AT_FIVE, after: SIX });
  expect([remembered.of([a], SIX), remembered.of([a], FIVE), remembered.of([b], SIX)]).toEqual([null, null, [b]]);
});

it('the server forgets all grants once the list of approvers is newer', () => {
  const remembered = new RememberedGrants();
  remembered.read([a], [a], AT_FIVE);
  expect(remembered.approversSequence).toBe(2);
  remembered.read([b], [b], { ...AT_FIVE, approversSequence: 3 });
  expect([remembered.of([a], FIVE), remembered.of([b], FIVE), remembered.approversSequence]).toEqual([null, [b], 3]);
});

it('the server does not remember a request without a grant, or with a long text', () => {
  const long = grantOf('e');
  const longer = { ...long, request: { ...long.request, text: 'x'.repeat(4_097) } };
  const remembered = new RememberedGrants();
  remembered.read([a, b, longer], [a, longer], AT_FIVE);
  expect(remembered.of([a], FIVE)).toEqual([a]);
  for (const each of [b, longer]) expect(remembered.of([each], FIVE)).toBe(null);
  expect(remembered.of([a, b], FIVE)).toBe(null);
});

it('the server forgets a grant if the request is read again without a grant', () => {
  const remembered = new RememberedGrants();
  remembered.read([a], [a], AT_FIVE);
  remembered.read([a], [], AT_FIVE);
  expect(remembered.of([a], FIVE)).toBe(null);
});
