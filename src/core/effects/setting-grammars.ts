/** Values that some tools take for the name of a file, or hand to a program: aws, cmake, rustc. */
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

const CODEGEN =
  /^(?:lto|opt-level|debuginfo|target-cpu|target-feature|codegen-units|panic|strip|debug-assertions|overflow-checks|embed-bitcode|relocation-model|code-model|symbol-mangling-version|force-frame-pointers|prefer-dynamic|rpath)(?:=[\w.+,-]+)?$/;

/** What changes the code alone: others name the linker, its arguments, or files (`linker=`, `link-arg=`, `incremental=`). */
export const readCodegenSetting = (text: string): Meaning =>
  CODEGEN.test(text) ? NOTHING : opaqueMeaning(because('setting-names-program', text));

/** The name of a target; one that ends in `.json` is a file, which may name a linker. */
export const readTargetName = (text: string): Meaning =>
  /^\w[\w.-]*$/.test(text) && !text.endsWith('.json') ? NOTHING : opaqueMeaning(because('setting-names-program', text));
