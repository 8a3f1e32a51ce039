/** Values that some tools take for the name of a file, or hand to a program: aws, cmake. */
import { because } from '../reasons/reason.ts';
import { type Meaning, NOTHING, opaqueMeaning } from './meaning.ts';

const QUEUE = /^https:\/\/[\w.-]+\.amazonaws\.com(?:\.cn)?(?:\/[\w.-]+)*$/;

/** Text, an `s3://` place or a queue. A value `file://…` is the content of that file; version 1 fetches an `http://…`. */
export const readCloudValue = (value: string): Meaning =>
  /^s3:\/\/[\w./-]*$/.test(value) || QUEUE.test(value) || !/:\/\/|@=/.test(value)
    ? NOTHING
    : opaqueMeaning(because('value-may-be-file', value));

/** Words, flags, and paths that begin here: CMAKE_TOOLCHAIN_FILE, CMAKE_C_COMPILER and others are programs that run. */
export const readCmakeSetting = (text: string): Meaning => {
  const [, value] = /^[A-Za-z_][\w.+-]*(?::[A-Z]+)?=(.*)$/s.exec(text) ?? [];
  if (value === undefined) return opaqueMeaning(because('setting-malformed', text));
  const isBelow = /^\w[\w.+-]*(?:\/[\w.+-]+)*$/.test(value) && !value.split('/').includes('..');
  return isBelow || /^[\w.+;= -]*$/.test(value) ? NOTHING : opaqueMeaning(because('setting-names-program', text));
};
