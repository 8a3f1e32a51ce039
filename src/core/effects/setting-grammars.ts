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

/** A word, a number, `NAME=WORD`, or a path below the working directory. */
const CMAKE_WORD = /^(?:\.|-?\d[\w.]*|\w[\w.+-]*(?:=[\w.+-]*|(?:\/[\w.+-]+)+)?)$/;

/**
 * Flags of gcc, clang and their linkers that name no file and no program. Some other options that begin with `-W`, `-f` or `-m` name a
 * file or a program: `-Wl,…`, `-fplugin=`.
 */
const COMPILER_FLAG = new RegExp(
  `^-(?:${[
    'O(?:[0-3sgz]|fast)?',
    'g(?:\\d|gdb\\d?|dwarf(?:-\\d)?|split-dwarf|line-tables-only)?',
    'W[a-z][\\w+-]*(?:=[\\w+-]+)?',
    'std=[\\w+:]+',
    'f(?:no-)?[A-Za-z][\\w-]*',
    'f(?:visibility|lto|fp-model|fp-contract|cf-protection|max-errors|error-limit|diagnostics-color)=[\\w-]+',
    'fsanitize=[a-z]+(?:-[a-z]+)*',
    'fuse-ld=(?:bfd|gold|lld|mold)',
    'm(?:arch|tune|cpu|abi|fpu|float-abi|fpmath|cmodel)=[\\w.+-]+',
    'm(?:\\d+|thumb|arm|(?:no-)?(?:s?sse[\\d.]*|avx[\\w.]*|fma\\d?|bmi\\d?|popcnt|aes|f16c|lzcnt))',
    '[DU][A-Za-z_]\\w*(?:=[\\w.+-]*)?',
    'l\\w[\\w.+-]*',
    'pthread|pipe|pedantic(?:-errors)?|ansi|static(?:-libgcc|-libstdc\\+\\+)?|rdynamic|shared|w|s',
  ].join('|')})$`,
);

const isCmakePart = (part: string): boolean =>
  part === '' || (!part.includes('..') && (CMAKE_WORD.test(part) || COMPILER_FLAG.test(part)));

/**
 * Reads `NAME=VALUE` or `NAME:TYPE=VALUE`. `;` and blanks separate the parts of a value. Each part must be one of these, else the value is
 * opaque:
 * - a word, which can be the name of a program in PATH (CMAKE_C_COMPILER)
 * - a flag of `COMPILER_FLAG`
 * - a path below the working directory: cmake may run every file of that directory anyway
 */
export const readCmakeSetting = (text: string): Meaning => {
  const [, value] = /^[A-Za-z_][\w.+-]*(?::[A-Z]+)?=(.*)$/s.exec(text) ?? [];
  if (value === undefined) return opaqueMeaning(because('setting-malformed', text));
  return value.split(/[; ]/).every(isCmakePart) ? NOTHING : opaqueMeaning(because('setting-names-program', text));
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
