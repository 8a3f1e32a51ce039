/** Calls that come at the same moment are answered by one shared piece of work. */
import { setImmediate as nextTick } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { Coalescer } from '../../src/server/coalescer.ts';

const each = { keyOf: (asked: unknown) => String(asked) };

const openable = () => {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
};

it('calls of one moment are served together, calls that come during the work are served together next, and each gets its own answer', async () => {
  const gate = openable();
  const served: (readonly number[])[] = [];
  const together = new Coalescer(async (all: readonly number[]) => {
    served.push(all);
    if (served.length === 1) await gate.opened;
    return all.map((one) => one * 10);
  }, each);
  const answers = [0, 1, 2].map((one) => together.do(one));
  await nextTick();
  answers.push(...[3, 4, 5, 6, 7].map((one) => together.do(one)));
  gate.open();
  expect(await Promise.all(answers)).toEqual(Array.from({ length: 8 }, (_, index) => index * 10));
  expect(served).toEqual([
    [0, 1, 2],
    [3, 4, 5, 6, 7],
  ]);
});

it('an error of the work goes to all calls that it served, and later calls are served again', async () => {
  const gate = openable();
  let turns = 0;
  const together = new Coalescer(async (all: readonly string[]) => {
    turns += 1;
    if (turns === 1) await gate.opened;
    if (turns === 2) throw new Error('the disk is full');
    return all;
  }, each);
  const outcomeOf = (one: string) => together.do(one).catch((error: Error) => error.message);
  const outcomes = [outcomeOf('first')];
  await nextTick();
  outcomes.push(outcomeOf('second'), outcomeOf('third'));
  gate.open();
  expect(await Promise.all(outcomes)).toEqual(['first', 'the disk is full', 'the disk is full']);
  expect(await together.do('fourth')).toBe('fourth');
});

describe('while one piece of work is under way', () => {
  /** Each piece of work ends when its own gate is opened. */
  function held() {
    const served: (readonly string[])[] = [];
    const gates = Array.from({ length: 8 }, openable);
    const together = new Coalescer(
      async (all: readonly string[]) => {
        served.push(all);
        await gates[served.length - 1]?.opened;
        return all;
      },
      { keyOf: ([first = '']) => first },
    );
    return { served, gates, call: (...names: readonly string[]) => names.map((name) => together.do(name)) };
  }

  it('a second piece begins once eight calls wait, and a third piece does not', async () => {
    const { served, gates, call } = held();
    const all = call('a');
    await nextTick();
    all.push(...call(...'bcdefgh'));
    await nextTick();
    expect(served.map(({ length }) => length)).toEqual([1]);
    all.push(...call('i'));
    await nextTick();
    all.push(...call(...'jklmnopqrstuvwxyz'));
    await nextTick();
    expect(served.map(({ length }) => length)).toEqual([1, 8]);
    for (const { open } of gates) open();
    expect(await Promise.all(all)).toEqual([...'abcdefghijklmnopqrstuvwxyz']);
    expect(served.map(({ length }) => length)).toEqual([1, 8, 17]);
  });

  it('calls whose key is already being worked on wait for its end, however many they are', async () => {
    const { served, gates, call } = held();
    const all = call('a1');
    await nextTick();
    all.push(...call('a2', 'b1', 'b2', 'b3', 'b4', 'b5', 'b6', 'b7'));
    await nextTick();
    expect(served).toEqual([['a1'], ['b1', 'b2', 'b3', 'b4', 'b5', 'b6', 'b7']]);
    all.push(...call('a3', 'b8', 'c1'));
    gates[0]?.open();
    await all[0];
    await expect.poll(() => served[2]).toEqual(['a2', 'a3', 'c1']);
    for (const { open } of gates) open();
    expect(await Promise.all(all)).toHaveLength(12);
    expect(served[3]).toEqual(['b8']);
  });

  it('more than 64 calls are split into several pieces', async () => {
    const { served, gates, call } = held();
    const all = call('a', ...Array.from({ length: 99 }, (_, index) => `${String.fromCharCode(200 + index)}`));
    for (const { open } of gates) open();
    await Promise.all(all);
    expect(served.map(({ length }) => length)).toEqual([64, 36]);
  });
});
