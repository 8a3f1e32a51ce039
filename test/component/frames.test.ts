/** Frames on the private socket are read correctly wherever the stream is cut; lists may have any content. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BadFrame, FrameDecoder } from '../../src/platform/frame-decoder.ts';
import { encodeFrame, type Frame, takeList, takeVariables } from '../../src/platform/frames.ts';

const TYPES = [...'AEGTScsuixrnqkaef'];
const LIMITS = Object.fromEntries(TYPES.map((type) => [type, 300]));
const frame = fc.record({ type: fc.constantFrom(...TYPES), payload: fc.uint8Array({ maxLength: 300 }) });

test('a frame decodes to what was encoded, wherever the bytes were cut', () => {
  fc.assert(
    fc.property(fc.array(frame, { maxLength: 8 }), fc.array(fc.nat(400), { maxLength: 20 }), (frames, cuts) => {
      const bytes = Buffer.concat(frames.map(({ type, payload }) => encodeFrame(type, payload)));
      const taken: Frame[] = [];
      const decoder = new FrameDecoder(LIMITS);
      let at = 0;
      for (const cut of [...cuts, bytes.length]) {
        taken.push(...decoder.take(Buffer.from(bytes.subarray(at, at + cut))));
        at += cut;
      }
      expect(taken.map(({ type, payload }) => [type, [...payload]])).toEqual(
        frames.map(({ type, payload }) => [type, [...payload]]),
      );
      expect(decoder.isAmidFrame).toBe(false);
    }),
  );
});

test('who reads only the missing bytes reads whole frames, and no byte of the frame after them', () => {
  fc.assert(
    fc.property(fc.array(frame, { minLength: 1, maxLength: 8 }), fc.array(fc.nat(400)), (frames, pieces) => {
      const bytes = Buffer.concat(frames.map(({ type, payload }) => encodeFrame(type, payload)));
      const decoder = new FrameDecoder(LIMITS);
      let at = 0;
      for (const { type, payload } of frames) {
        const taken: Frame[] = [];
        while (taken.length === 0) {
          // A read can return fewer bytes than it asks for, but not none.
          const count = Math.max(1, Math.min(decoder.missingBytes, pieces.pop() ?? Number.POSITIVE_INFINITY));
          taken.push(...decoder.take(bytes.subarray(at, at + count)));
          at += count;
        }
        expect(taken.map((each) => [each.type, [...each.payload]])).toEqual([[type, [...payload]]]);
        expect(decoder.heldBytes).toBe(0);
      }
      expect(at).toBe(bytes.length);
    }),
  );
});

test('a frame of a forbidden type, or with a payload above its limit, is refused as soon as its head has arrived', () => {
  const headOf = (type: string, length: number) => encodeFrame(type, Buffer.alloc(length)).subarray(0, 5);
  expect(() => new FrameDecoder(LIMITS).take(headOf('z', 0))).toThrow(BadFrame);
  expect(() => new FrameDecoder({}).take(headOf('constructor'[0] ?? '', 0))).toThrow(BadFrame);
  expect(() => new FrameDecoder(LIMITS).take(headOf('A', 301))).toThrow('a frame "A" of 301 bytes');
  const decoder = new FrameDecoder(LIMITS);
  expect(decoder.take(headOf('A', 300))).toEqual([]);
  expect(decoder.isAmidFrame).toBe(true);
  expect(decoder.take(Buffer.alloc(300)).map(({ payload }) => payload.length)).toEqual([300]);
});

test('a list keeps empty and non-UTF-8 members, and drops a member that was not ended', () => {
  const member = fc.uint8Array({ maxLength: 20 }).map((bytes) => Buffer.from(bytes.filter((byte) => byte !== 0)));
  fc.assert(
    fc.property(fc.array(member), member, (members, unended) => {
      const bytes = Buffer.concat([...members.flatMap((text) => [text, Buffer.of(0)]), unended]);
      expect(takeList(bytes).map((text) => text.toString('hex'))).toEqual(members.map((text) => text.toString('hex')));
    }),
  );
});

test('an environment entry is split at its first equals sign, and an entry without a name is left out', () => {
  const variables = takeVariables(Buffer.from('A=1=2\0=x\0B=\0noise\0'));
  expect([...variables].map(([name, value]) => [name, value.toString()])).toEqual([
    ['A', '1=2'],
    ['B', ''],
  ]);
});
