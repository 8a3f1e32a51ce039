/** Values that some tools take for the name of a file, or hand to a program: aws, cmake. */
import { type Meaning, NOTHING, opaqueMeaning } from './meaning.ts';

const QUEUE = /^https:\/\/[\w.-]+\.amazonaws\.com(?:\.cn)?(?:\/[\w.-]+)*$/;

/** Text, an `s3://` place or a queue. A value `file://…` is the content of that file; version 1 fetches an `http://…`. */
export const readCloudValue = (value: string): Meaning =>
  /^s3:\/\/[\w./-]*$/.test(value) || QUEUE.test(value) || !/:\/\/|@=/.test(value)
    ? NOTHING
    : opaqueMeaning(`has the value ${value}, which may be the content of a file`);

/** Words, flags, and paths that begin here: CMAKE_TOOLCHAIN_FILE, CMAKE_C_COMPILER and others are programs that run. */
export const readCmakeSetting = (text: string): Meaning => {
  const [, value] = /^[A-Za-z_][\w.+-]*(?::[A-Z]+)?=(.*)$/s.exec(text) ?? [];
  if (value === undefined) return opaqueMeaning(`has ${text} for a setting`);
  const isBelow = /^\w[\w.+-]*(?:\/[\w.+-]+)*$/.test(value) && !value.split('/').includes('..');
  return isBelow || /^[\w.+;= -]*$/.test(value)
    ? NOTHING
    : opaqueMeaning(`has the setting ${text}, which may name a program elsewhere`);
};
