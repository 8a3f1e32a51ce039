/** Frames on the private socket survive any cut, and lists any content. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { encodeFrame, type Frame, takeFrames, takeList, takeVariables } from '../../src/platform/frames.ts';

const frame = fc.record({ type: fc.constantFrom(...'AEGTScsuixrnqkaef'), payload: fc.uint8Array({ maxLength: 300 }) });

test('what was encoded comes back, wherever the bytes were cut', () => {
  fc.assert(
    fc.property(fc.array(frame, { maxLength: 8 }), fc.array(fc.nat(400), { maxLength: 20 }), (frames, cuts) => {
      const bytes = Buffer.concat(frames.map(({ type, payload }) => encodeFrame(type, payload)));
      const taken: Frame[] = [];
      let rest: Buffer = Buffer.alloc(0);
      let at = 0;
      for (const cut of [...cuts, bytes.length]) {
        const next = takeFrames(Buffer.concat([rest, bytes.subarray(at, at + cut)]));
        at += cut;
        taken.push(...next.frames.map(({ type, payload }) => ({ type, payload: Buffer.from(payload) })));
        rest = next.rest;
      }
      expect(taken.map(({ type, payload }) => [type, [...payload]])).toEqual(
        frames.map(({ type, payload }) => [type, [...payload]]),
      );
      expect(rest.length).toBe(0);
    }),
  );
});

test('a list keeps empty and non-UTF-8 members, and nothing that was not ended', () => {
  const member = fc.uint8Array({ maxLength: 20 }).map((bytes) => Buffer.from(bytes.filter((byte) => byte !== 0)));
  fc.assert(
    fc.property(fc.array(member), member, (members, unended) => {
      const bytes = Buffer.concat([...members.flatMap((text) => [text, Buffer.of(0)]), unended]);
      expect(takeList(bytes).map((text) => text.toString('hex'))).toEqual(members.map((text) => text.toString('hex')));
    }),
  );
});

test('a variable is cut at its first equals sign, and one without a name is none', () => {
  const variables = takeVariables(Buffer.from('A=1=2\0=x\0B=\0noise\0'));
  expect([...variables].map(([name, value]) => [name, value.toString()])).toEqual([
    ['A', '1=2'],
    ['B', ''],
  ]);
});
