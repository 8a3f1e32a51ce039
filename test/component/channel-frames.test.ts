/** Frames of bash on the private channel arrive wherever the stream is cut; a frame that Ctrl-C broke off harms no later frame. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  encodeAnswer,
  FrameReader,
  type LineAnswer,
  MalformedFrame,
  type ShellFrame,
} from '../../src/pty/channel-frames.ts';

/** Makes a frame as `setup.bash` writes it. */
const frame = (...fields: readonly string[]): Buffer => Buffer.from(`${['', '', ...fields].join('\0')}\0`);
const PROMPT = frame('E', '130', '12');
const MEANINGS = frame('M', '12345', 'alias ls=x', '12345');
const UNSOUND = frame('Z', 'IFS is read-only');
const SET_UP = frame('U');
const TICKS = frame('T');
const KEY_ENDED = frame('B');
const ENDED = frame('R', '7', 'interrupted', '=/tmp/a\nb');
const LINE = frame('L', '12345', '=', 'echo a\necho b', 'PATH=/bin', 'IFS= \t\n', '12345');

const FRAMES: readonly (readonly [Buffer, ShellFrame])[] = [
  [PROMPT, { kind: 'prompt', status: 130, turn: '12' }],
  [MEANINGS, { kind: 'meanings', token: '12345', entries: [Buffer.from('alias ls=x')] }],
  [UNSOUND, { kind: 'unsound', reason: 'IFS is read-only' }],
  [SET_UP, { kind: 'set-up' }],
  [TICKS, { kind: 'more-ticks' }],
  [KEY_ENDED, { kind: 'key-ended' }],
  [ENDED, { kind: 'ended', status: 7, wasInterrupted: true, cwd: Buffer.from('/tmp/a\nb') }],
  [
    LINE,
    {
      kind: 'line',
      token: '12345',
      cwd: Buffer.from(''),
      text: Buffer.from('echo a\necho b'),
      entries: [Buffer.from('PATH=/bin'), Buffer.from('IFS= \t\n')],
    },
  ],
];

const some = fc.array(fc.constantFrom(...FRAMES), { maxLength: 6 });

test('frames come out whole and in order, wherever the bytes were cut', () => {
  fc.assert(
    fc.property(some, fc.array(fc.nat(60), { maxLength: 20 }), (frames, cuts) => {
      const bytes = Buffer.concat(frames.map(([encoded]) => encoded));
      const reader = new FrameReader();
      const taken: ShellFrame[] = [];
      let at = 0;
      for (const cut of [...cuts, bytes.length]) {
        taken.push(...reader.take(bytes.subarray(at, at + cut)));
        at += cut;
      }
      expect(taken).toEqual(frames.map(([, decoded]) => decoded));
    }),
  );
});

test('a line that was broken off is left out, and every frame after it arrives', () => {
  fc.assert(
    // At least two bytes are missing. Without its last NUL alone a frame is still whole, because the next frame begins with a NUL.
    fc.property(fc.integer({ min: 0, max: LINE.length - 2 }), some, (length, frames) => {
      const reader = new FrameReader();
      const taken = reader.take(Buffer.concat([LINE.subarray(0, length), ...frames.map(([encoded]) => encoded)]));
      expect(taken).toEqual(frames.map(([, decoded]) => decoded));
    }),
  );
});

test('bytes that are no frame are refused as malformed', () => {
  expect(() => new FrameReader().take(frame('X', '1'))).toThrow(MalformedFrame);
  expect(() => new FrameReader().take(frame('E', '1000', '1'))).toThrow(MalformedFrame);
});

test('an answer says whether the line is confined, and how long the profile after it is', () => {
  const profile = Buffer.from('v1\0l1\0.\0');
  const bytes = (answer: LineAnswer): string => encodeAnswer('77', answer).toString();
  expect(bytes({ kind: 'run', profile: null, hasPager: true })).toBe('77 X\0');
  expect(bytes({ kind: 'run', profile, hasPager: true })).toBe('77 x 8\0v1\0l1\0.\0');
  expect(bytes({ kind: 'run', profile: null, hasPager: false })).toBe('77 P\0');
  expect(bytes({ kind: 'run', profile, hasPager: false })).toBe('77 p 8\0v1\0l1\0.\0');
  expect(bytes({ kind: 'run-instead', text: 'a b', profile: null })).toBe('77 Y a b\0');
  expect(bytes({ kind: 'run-instead', text: 'a b', profile })).toBe('77 y 8 a b\0v1\0l1\0.\0');
});
