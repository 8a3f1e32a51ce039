/** Reads values of options of aws, cmake and rustc. Such a value may name a file or a program. */
import { because } from '../reasons/reason.ts';
import { type Meaning, NOTHING, opaqueMeaning } from './meaning.ts';

const QUEUE = /^https:\/\/[\w.-]+\.amazonaws\.com(?:\.cn)?(?:\/[\w.-]+)*$/;

/**
 * Reads a plain text, an `s3://` URL or the URL of a queue. Any other URL is opaque: aws replaces `file://…` by the content of the file.
 * Version 1 of aws also fetches `http://…`. A text with `@=` is opaque too: aws reads the value of `NAME@=…` from a file.
 */
export const readCloudValue = (value: string): Meaning =>
  /^s3:\/\/[\w./-]*$/.test(value) || QUEUE.test(value) || !/:\/\/|@=/.test(value)
    ? NOTHING
    : opaqueMeaning(because('value-may-be-file', value));

/**
 * Flags of gcc, clang and their linkers that name no path, and no program except one of four linkers (`-fuse-ld=`). Some other options
 * that begin with `-W`, `-f` or `-m` name a file or a program: `-Wl,…`, `-fplugin=`.
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

/** Booleans (cmake-language(7)), numbers and versions. Such a value never names a file or a program. */
const CMAKE_CONSTANT = /^(?:on|off|true|false|yes|no|-?\d[\d.]*)$/i;
/** A path below the working directory: cmake may run every file of that directory anyway. */
const CMAKE_PATH = /^(?:\.|\w[\w.+-]*(?:\/[\w.+-]+)+)$/;
const CMAKE_WORD = /^\w[\w.+-]*$/;

const LANGUAGE = '(?:ASM|C|CUDA|CXX|Fortran|HIP|OBJC|OBJCXX)';
/** The words that these variables may contain besides constants and paths. In other variables, a word may name a program in PATH. */
const CMAKE_WORDS: readonly (readonly [name: RegExp, word: RegExp])[] = [
  [/_FLAGS(?:_[A-Z]+)?$/, COMPILER_FLAG],
  [
    new RegExp(`^CMAKE_${LANGUAGE}_COMPILER$`),
    /^(?:cc|c\+\+|gcc|g\+\+|clang|clang\+\+|flang|gfortran|hipcc|icc|icx|icpx|ifx|nvcc)(?:-\d+(?:\.\d+)*)?$/,
  ],
  [new RegExp(`^CMAKE_${LANGUAGE}_COMPILER_LAUNCHER$`), /^ccache$/],
  [/^CMAKE_MAKE_PROGRAM$/, /^(?:g?make|ninja)$/],
  [/^CMAKE_LINKER$/, /^(?:ld(?:\.(?:bfd|gold|lld|mold))?|mold|lld)(?:-\d+)?$/],
  [new RegExp(`^CMAKE_(?:${LANGUAGE}_COMPILER_)?(?:AR|NM|RANLIB)$`), /^(?:(?:gcc|llvm)-)?(?:ar|nm|ranlib)(?:-\d+)?$/],
  [/^CMAKE_(?:OBJCOPY|OBJDUMP|STRIP)$/, /^(?:llvm-)?(?:objcopy|objdump|strip)(?:-\d+)?$/],
  [/^CMAKE_(?:BUILD_TYPE|CONFIGURATION_TYPES|GENERATOR|LINKER_TYPE|MSVC_RUNTIME_LIBRARY)$/, CMAKE_WORD],
  [/^CMAKE_(?:SYSTEM_(?:NAME|PROCESSOR)|OSX_(?:ARCHITECTURES|DEPLOYMENT_TARGET)|CUDA_ARCHITECTURES)$/, CMAKE_WORD],
  [/^CMAKE_(?:INSTALL_[A-Z]+|PREFIX_PATH|MODULE_PATH|TOOLCHAIN_FILE|[A-Z]+_OUTPUT_DIRECTORY)$/, CMAKE_WORD],
];

/**
 * Reads `NAME=VALUE` or `NAME:TYPE=VALUE`. `;` and blanks separate the parts of a value. Each part must be a constant, a path below the
 * working directory, or a word that `CMAKE_WORDS` lists for this variable. Any other value is opaque, because it can name a program. cmake
 * runs the programs that variables such as `CMAKE_C_COMPILER_LAUNCHER` name. The project's files can also run the programs that the
 * project's own variables name.
 */
export const readCmakeSetting = (text: string): Meaning => {
  const [, name, value] = /^([A-Za-z_][\w.+-]*)(?::[A-Z]+)?=(.*)$/s.exec(text) ?? [];
  if (name === undefined || value === undefined) return opaqueMeaning(because('setting-malformed', text));
  const known = CMAKE_WORDS.filter(([pattern]) => pattern.test(name)).map(([, word]) => word);
  const isHarmless = (part: string): boolean =>
    part === '' || (!part.includes('..') && [CMAKE_CONSTANT, CMAKE_PATH, ...known].some((each) => each.test(part)));
  return value.split(/[; ]/).every(isHarmless) ? NOTHING : opaqueMeaning(because('setting-names-program', text));
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
