/** Reads values that aws, cmake or rustc may take for the name of a file or of a program. */
import { because } from '../reasons/reason.ts';
import { type Meaning, NOTHING, opaqueMeaning } from './meaning.ts';

const QUEUE = /^https:\/\/[\w.-]+\.amazonaws\.com(?:\.cn)?(?:\/[\w.-]+)*$/;

/**
 * Reads a plain text, an `s3://` URL or the URL of a queue. Any other URL is opaque: aws replaces `file://…` by the content of the file,
 * and version 1 fetches `http://…`. A text with `@=` is opaque too, because aws reads the value of `NAME@=…` from a file.
 */
export const readCloudValue = (value: string): Meaning =>
  /^s3:\/\/[\w./-]*$/.test(value) || QUEUE.test(value) || !/:\/\/|@=/.test(value)
    ? NOTHING
    : opaqueMeaning(because('value-may-be-file', value));

/**
 * Reads `NAME=VALUE` or `NAME:TYPE=VALUE`. Accepts a word, flags, and a path below the working directory: cmake may run every file there
 * anyway. Any other value is opaque, because it possibly names a program elsewhere (CMAKE_C_COMPILER).
 */
export const readCmakeSetting = (text: string): Meaning => {
  const [, value] = /^[A-Za-z_][\w.+-]*(?::[A-Z]+)?=(.*)$/s.exec(text) ?? [];
  if (value === undefined) return opaqueMeaning(because('setting-malformed', text));
  const isBelow = /^\w[\w.+-]*(?:\/[\w.+-]+)*$/.test(value) && !value.split('/').includes('..');
  return isBelow || /^[\w.+;= -]*$/.test(value) ? NOTHING : opaqueMeaning(because('setting-names-program', text));
};

const CODEGEN =
  /^(?:lto|opt-level|debuginfo|target-cpu|target-feature|codegen-units|panic|strip|debug-assertions|overflow-checks|embed-bitcode|relocation-model|code-model|symbol-mangling-version|force-frame-pointers|prefer-dynamic|rpath)(?:=[\w.+,-]+)?$/;

/**
 * Reads a setting that only changes the generated code. Other settings name the linker, its arguments, or files (`linker=`,
 * `incremental=`).
 */
export const readCodegenSetting = (text: string): Meaning =>
  CODEGEN.test(text) ? NOTHING : opaqueMeaning(because('setting-names-program', text));

/** Reads the name of a target. A name that ends in `.json` is a file, which may name a linker. */
export const readTargetName = (text: string): Meaning =>
  /^\w[\w.-]*$/.test(text) && !text.endsWith('.json') ? NOTHING : opaqueMeaning(because('setting-names-program', text));
