/** The table of sensitive places: what stands in it as an example is in the place of its row. */
import { expect, it } from 'vitest';
import { sensitivityOfName } from '../../src/core/sensitive/sensitive-paths.ts';
import { isInPlace, PLACE_MATCHERS, SECRET_EXAMPLES } from '../../src/core/sensitive/sensitive-places.ts';

it('has an example for each name of a file, and each is in the place of its row', () => {
  const named = PLACE_MATCHERS.filter(({ place }) => place.name !== null);
  expect(named.length).toBeGreaterThan(5);
  for (const matcher of named) {
    const { name, examples } = matcher.place;
    expect([name, examples.length > 0]).toEqual([name, true]);
    for (const example of examples) expect([example, isInPlace(matcher, ['any', example])]).toEqual([example, true]);
  }
});

it('names only examples that reading is a risk of', () => {
  expect(SECRET_EXAMPLES).toContain('.aws');
  for (const example of SECRET_EXAMPLES)
    expect([example, sensitivityOfName(`/any/${example}`, 'read')?.risk]).toEqual([example, 'high']);
});
