/** What the card says about the difference between two environments. */
import { describe, expect, it } from 'vitest';
import { environmentDifference } from '../../src/core/variables/environment-difference.ts';

const path = (value: string) => [{ name: 'PATH', value }];

describe('the difference between two environments', () => {
  it('is empty between equal environments, in any order', () => {
    const both = [
      { name: 'A', value: '1' },
      { name: 'B', value: '2' },
    ];
    expect(environmentDifference(both, both.toReversed())).toEqual([]);
  });

  it('names new, removed and changed variables', () => {
    const before = [
      { name: 'GONE', value: '1' },
      { name: 'SAME', value: '1' },
      { name: 'OTHER', value: '1' },
    ];
    const now = [
      { name: 'SAME', value: '1' },
      { name: 'OTHER', value: '2' },
      { name: 'NEW', value: '' },
    ];
    expect(environmentDifference(now, before)).toEqual([
      { kind: 'changed', now: { name: 'OTHER', value: '2' } },
      { kind: 'new', now: { name: 'NEW', value: '' } },
      { kind: 'gone', name: 'GONE' },
    ]);
  });

  it('compares lists part by part, and says if the new part is searched first', () => {
    expect(environmentDifference(path('/x:/usr/bin'), path('/usr/bin:/bin'))).toEqual([
      { kind: 'list', name: 'PATH', gained: ['/x'], lost: ['/bin'], isFirst: true },
    ]);
    expect(environmentDifference(path('/usr/bin:/x'), path('/usr/bin'))).toMatchObject([{ isFirst: false }]);
  });

  it('shows the whole value if only the order changed, because the order decides what is found', () => {
    expect(environmentDifference(path('/b:/a'), path('/a:/b'))).toMatchObject([{ kind: 'changed' }]);
  });

  it('never compares a digest with a value', () => {
    const digest = [{ name: 'TOKEN', value: 'ab', digest: true as const }];
    expect(environmentDifference(digest, [{ name: 'TOKEN', value: 'ab' }])).toMatchObject([{ kind: 'changed' }]);
  });
});
