/** What calls of one moment get when one piece of work serves them. */
import { expect, it } from 'vitest';
import { Together } from '../../src/server/together.ts';

const openable = () => {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
};

it('the first call is served at once, those that come meanwhile together, each with its own answer', async () => {
  const gate = openable();
  const served: (readonly number[])[] = [];
  const together = new Together(async (all: readonly number[]) => {
    served.push(all);
    if (served.length === 1) await gate.opened;
    return all.map((one) => one * 10);
  });
  const answers = Array.from({ length: 100 }, (_, index) => together.do(index));
  gate.open();
  expect(await Promise.all(answers)).toEqual(Array.from({ length: 100 }, (_, index) => index * 10));
  expect(served.map(({ length }) => length)).toEqual([1, 64, 35]);
});

it('what the work throws goes to all that it served, and the next are served', async () => {
  const gate = openable();
  let turns = 0;
  const together = new Together(async (all: readonly string[]) => {
    turns += 1;
    if (turns === 1) await gate.opened;
    if (turns === 2) throw new Error('the disk is full');
    return all;
  });
  const outcomes = ['first', 'second', 'third'].map((one) => together.do(one).catch((error: Error) => error.message));
  gate.open();
  expect(await Promise.all(outcomes)).toEqual(['first', 'the disk is full', 'the disk is full']);
  expect(await together.do('fourth')).toBe('fourth');
});
