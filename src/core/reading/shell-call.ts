/** Unwraps `bash -c TEXT [NAME [ARG…]]` and similar calls. The caller then parses TEXT. */
import { because } from '../reasons/reason.ts';
import type { ShellDialect } from './dialect.ts';
import { type CommandCall, opaqueStep, PLAIN, type Step } from './inner-command.ts';
import type { Word } from './reading.ts';
import type { Layer } from './unwrapping.ts';

/** The shells whose language the parser reads, each with its dialect: bash, dash, and the shell of busybox. */
const SHELLS: Readonly<Record<string, ShellDialect>> = {
  bash: 'bash',
  sh: 'sh',
  dash: 'sh',
  ash: 'sh',
};
/**
 * Shells whose texts the parser does not read: a call of such a shell makes the line opaque. Each of these shells has a language, start-up
 * files or variables of its own. For example, zsh reads `~/.zshenv` before it runs a text, and finds programs through its variable `path`.
 * Also, zsh evaluates the argument of `exit` as arithmetic, and this evaluation can run a command.
 */
const OTHER_SHELLS: ReadonlySet<string> = new Set([
  'zsh',
  'ksh',
  'ksh93',
  'yash',
  'fish',
  'csh',
  'tcsh',
  'rbash',
  'mksh',
  'pwsh',
  'nu',
  'elvish',
  'xonsh',
  'oil',
  'osh',
]);
/**
 * Option letters that do not change how the shell reads the text. The letters concern errors, traces and start-up files. With `l`, the
 * layer also gets the setting `login shell`.
 */
const HARMLESS_LETTERS = 'euvxl';
const HARMLESS_LONG: ReadonlySet<string> = new Set(['--norc', '--noprofile', '--login']);
const HARMLESS_SETTINGS: ReadonlySet<string> = new Set(['pipefail', 'errexit', 'nounset', 'xtrace', 'verbose']);

/** Whether a program of this name is a shell. The parser reads the languages of only some of these shells. */
export function isShell(name: string): boolean {
  return Object.hasOwn(SHELLS, name) || OTHER_SHELLS.has(name);
}

/** Unwraps a call of a program that `isShell` accepts. Returns `PLAIN` if the shell runs a script file. */
export function unwrapShell(call: CommandCall): Step {
  const dialect = Object.hasOwn(SHELLS, call.name) ? SHELLS[call.name] : undefined;
  if (dialect === undefined) return opaqueStep(because('other-shell-language'), call.program.source);
  const read = readShellOptions(call.arguments);
  if (read.kind === 'opaque') return read;
  const [text, ...parameters] = read.rest;
  if (!read.hasText) {
    // A script file is judged like any other program. Commands from standard input are not known here.
    const isFile = text?.kind === 'literal' && text.value !== '-';
    return isFile ? PLAIN : opaqueStep(because('shell-reads-elsewhere'), call.program.source);
  }
  if (text?.kind !== 'literal') return opaqueStep(because('shell-text-unknown'), text?.source ?? '-c');
  const layer: Layer = {
    name: `${call.name} -c`,
    program: call.program,
    lookup: call.lookup,
    settings: read.isLogin ? [{ kind: 'login shell', value: null }] : [],
    writes: [],
    reads: [],
    hasTerminal: false,
  };
  // Without words after the text, `$0` is the name of the shell.
  const positional = parameters.length === 0 ? [call.program] : parameters;
  return {
    kind: 'inner',
    layer,
    inner: [{ kind: 'text', text: text.value, dialect, parameters: positional }],
    outer: null,
  };
}

type ShellOptions = {
  readonly kind: 'read';
  readonly hasText: boolean;
  readonly isLogin: boolean;
  readonly rest: readonly Word[];
};

/**
 * Reads options as bash does: options may follow `-c`. `rest` begins with the first word that is not an option. With `-c`, this word is the
 * text; without `-c`, it is the script file.
 */
function readShellOptions(words: readonly Word[]): ShellOptions | (Step & { readonly kind: 'opaque' }) {
  let hasText = false;
  let isLogin = false;
  let at = 0;
  const refuse = (word: Word | undefined) =>
    ({
      kind: 'opaque',
      ...because('shell-option-unclear'),
      source: word?.source ?? '',
    }) as const;
  for (; at < words.length; at++) {
    const word = words[at];
    if (word?.kind !== 'literal') {
      if (word !== undefined && (word.prefix === '' || /^[-+]/.test(word.prefix) || !word.isOne)) return refuse(word);
      break;
    }
    const { value } = word;
    if (value === '--') {
      at++;
      break;
    }
    if (HARMLESS_LONG.has(value)) {
      isLogin ||= value === '--login';
      continue;
    }
    if (!/^[-+]/.test(value)) break;
    const letters = /^-(?=[a-z])([a-z]*?)(o?)$/.exec(value);
    if (letters === null) return refuse(word);
    for (const letter of letters[1] ?? '') {
      if (letter === 'c') hasText = true;
      else if (letter === 'l') isLogin = true;
      else if (!HARMLESS_LETTERS.includes(letter)) return refuse(word);
    }
    if (letters[2] === 'o') {
      const name = words[++at];
      if (name?.kind !== 'literal' || !HARMLESS_SETTINGS.has(name.value)) return refuse(name ?? word);
    }
  }
  return { kind: 'read', hasText, isLogin, rest: words.slice(at) };
}
