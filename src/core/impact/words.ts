/** Splits a command into options and operands, as far as an impact preview needs them. An unclear word counts as an operand. */
import { normalizePath } from '../effects/command-context.ts';
import { isHomeWord } from '../effects/word-shape.ts';
import type { SimpleCommand, Word } from '../reading/reading.ts';
import type { Spelling } from '../reading/spelling.ts';
import { escapedGlob, globOf, hasWildcard, textOfGlob } from './pattern.ts';
import type { Target } from './question.ts';

/**
 * One command, and where it would run.
 * @property name      without directories
 * @property words     the words after the name
 * @property directory absolute; null: only known at run time
 * @property home      what `~` becomes; null: not known
 * @property source    the command as written in the line, shortened for a card
 */
export interface WordsOfCall {
  readonly name: string;
  readonly words: readonly Word[];
  readonly command: SimpleCommand;
  readonly directory: string | null;
  readonly home: string | null;
  readonly source: string;
}

/** @property options the last value of each option, by its name with dashes (`-t`); null: no value. Bundled letters are separate options */
export interface Split {
  readonly options: ReadonlyMap<string, Word | null>;
  readonly operands: readonly Word[];
  /** How many operands are in front of `--`; the number of all operands if there is no `--`. */
  readonly beforeDashes: number;
}

/** The note on a card if the impact depends on paths or names that are only known at run time. */
export const AT_RUN_TIME = 'the names are only known when the command runs';

const literal = (value: string): Word => ({ kind: 'literal', value, source: value });

/** @param valued the options that take a value, separated by spaces: `-t --target-directory` */
export function splitWords(words: readonly Word[], valued = ''): Split {
  const takesValue = new Set(valued.split(' '));
  const options = new Map<string, Word | null>();
  const operands: Word[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at];
    if (word === undefined) break;
    const text = word.kind === 'literal' ? word.value : '';
    if (text === '--')
      return { options, operands: [...operands, ...words.slice(at + 1)], beforeDashes: operands.length };
    if (text === '-' || !text.startsWith('-')) operands.push(word);
    else if (text.startsWith('--')) {
      const [name = '', ...value] = text.split('=');
      if (value.length > 0) options.set(name, literal(value.join('=')));
      else options.set(name, takesValue.has(name) ? (words[++at] ?? null) : null);
    } else
      for (let place = 1; place < text.length; place++) {
        const name = `-${text[place]}`;
        const rest = text.slice(place + 1);
        if (!takesValue.has(name)) options.set(name, null);
        else {
          options.set(name, rest !== '' ? literal(rest) : (words[++at] ?? null));
          break;
        }
      }
  }
  return { options, operands, beforeDashes: operands.length };
}

/** Whether one of the options was given. `names` are separated by spaces: `-f --force`. */
export const hasAny = ({ options }: Split, names: string): boolean =>
  names.split(' ').some((name) => options.has(name));

/** The texts of the literal words, in order; words that are only known at run time are left out. */
export const literalTexts = (words: readonly Word[]): readonly string[] =>
  words.flatMap((word) => (word.kind === 'literal' ? [word.value] : []));

/**
 * Returns the paths and globs that the words name. `unknown` contains the words for which `targetsOfWord` returns null, as written and cut
 * to 80 characters.
 */
export function targetsOf(
  words: readonly Word[],
  call: Pick<WordsOfCall, 'directory' | 'home'>,
): { readonly targets: readonly Target[]; readonly unknown: readonly string[] } {
  const targets: Target[] = [];
  const unknown: string[] = [];
  for (const word of words) {
    const found = targetsOfWord(word, call);
    if (found === null) unknown.push(word.source.slice(0, 80));
    else targets.push(...found);
  }
  return { targets, unknown };
}

/** Words that `pattern.ts` parses as bash does. */
const PLAIN_PATTERN = /^~?[\w@%+=:,./*?[\]!^{} "'-]+$/;

/**
 * Returns the paths and globs that the word names; an empty word names no path. Returns null in two cases: the paths are only known when
 * the line runs, or the paths depend on a home or working directory that is not known.
 */
export function targetsOfWord(word: Word, call: Pick<WordsOfCall, 'directory' | 'home'>): readonly Target[] | null {
  if (word.kind === 'literal') return word.value === '' ? [] : oneTarget(escapedGlob(word.value), call);
  if (word.why === 'input' || !PLAIN_PATTERN.test(word.source)) return null;
  if ((word.why === 'tilde' || word.source.startsWith('~')) && !isHomeWord(word)) return null;
  const found = globsOf(word)?.map((glob) => oneTarget(glob, call)) ?? [null];
  return found.some((targets) => targets === null) ? null : found.flatMap((targets) => targets ?? []);
}

/** Returns null for an open quote, and for braces that we do not expand, such as `{1..9..2}`. */
function globsOf({ spellings, source }: Word & { readonly kind: 'runtime' }): readonly string[] | null {
  if (spellings !== undefined) return spellings.map(globOfSpelling);
  const glob = globOf(source);
  return glob === null || /[{}]/.test(glob.replaceAll(/\\./gs, '')) ? null : [glob];
}

/** A piece that is neither a text nor a glob becomes `*`. */
const globOfSpelling = ({ isHome, pieces }: Spelling): string =>
  (isHome ? '~' : '') +
  pieces
    .map((piece) => (piece.kind === 'text' ? escapedGlob(piece.value) : piece.kind === 'glob' ? piece.source : '*'))
    .join('');

function oneTarget(
  glob: string,
  { directory, home }: Pick<WordsOfCall, 'directory' | 'home'>,
): readonly Target[] | null {
  if (glob === '~' || glob.startsWith('~/')) return home === null ? null : [target(escapedGlob(home) + glob.slice(1))];
  if (glob.startsWith('/')) return [target(glob)];
  return directory === null ? null : [target(`${escapedGlob(directory)}/${glob}`)];
}

const target = (glob: string): Target => ({
  ...(hasWildcard(glob) ? { kind: 'pattern', glob } : { kind: 'path', path: tidy(textOfGlob(glob)) }),
  ...(ENDS_IN_SLASH.test(glob) ? { isThrough: true } : {}),
});

/** Matches `d/`, and also `d/.`, which leads to the same directory. */
const ENDS_IN_SLASH = /\/(?:\.\/+)*\.?$/;

/** Normalizes a path. A path with `..` stays as it is: behind a link, only the kernel knows where `..` leads. */
const tidy = (path: string): string => (/(^|\/)\.\.(\/|$)/.test(path) ? path : normalizePath(path));
