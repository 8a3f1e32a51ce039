/** Splits `find … -exec CMD {} \;` into the work of find itself and the commands that find runs. */
import { aboutProgram, because, type Reason } from '../reasons/reason.ts';
import {
  type CommandCall,
  type InnerCommand,
  opaqueStep,
  PLAIN,
  type Step,
  withoutKnownText,
} from './inner-command.ts';
import type { Word } from './reading.ts';
import { leadingText, type Spelling } from './spelling.ts';

const EXECUTES: ReadonlySet<string> = new Set(['-exec', '-execdir', '-ok', '-okdir']);
/** How many arguments each primary of find takes. Source: find(1) of findutils 4.9. */
const PRIMARIES: ReadonlyMap<string, number> = new Map([
  ...words(
    `! ( ) , -a -and -o -or -not -daystart -depth -d -mount -noleaf -xdev -warn -nowarn -empty -executable -readable
    -writable -false -true -nogroup -nouser -delete -ls -print -print0 -prune -quit -follow -ignore_readdir_race
    -noignore_readdir_race -E`,
    0,
  ),
  ...words(
    `-maxdepth -mindepth -regextype -amin -anewer -atime -cmin -cnewer -ctime -fstype -gid -group -ilname -iname -inum
    -ipath -iregex -iwholename -links -lname -mmin -mtime -name -newer -path -perm -regex -samefile -size -type -uid -used
    -user -wholename -xtype -context -printf -fls -fprint -fprint0 -newermt -newerat -newerct -newermm`,
    1,
  ),
  ...words('-fprintf', 2),
]);

function words(text: string, follow: number): readonly (readonly [string, number])[] {
  return text.split(/\s+/).map((word) => [word, follow] as const);
}

/** Returns how many arguments a primary of find takes; null: not known, or the primary runs a command. */
export const argumentsOfPrimary = (name: string): number | null => PRIMARIES.get(name) ?? null;

/** Returns `plain` if find runs no commands, and `opaque` if it is not certain which commands find runs. */
export function unwrapFind(call: CommandCall): Step {
  const all = call.arguments;
  const hidden = all.find(mayBeMore);
  if (hidden !== undefined) return refuse(because('find-expression-unknown'), hidden);
  if (!all.some((word) => word.kind === 'literal' && EXECUTES.has(word.value))) return PLAIN;
  const start = all.findIndex((word) => word.kind === 'literal' && /^[-!(),]/.test(word.value) && !isGlobal(word));
  const before = all.slice(0, start);
  // This check lets a word such as `-ex"$X"` pass. `read-arguments.ts` reads the outer words later, and refuses this word as an option that
  // is only known at run time.
  const unsure = before.find((word) => word.kind === 'runtime' && word.why !== 'tilde' && word.prefix === '');
  if (unsure !== undefined) return refuse(because('find-expression-unknown'), unsure);
  const points = before.filter((word) => !isGlobal(word));
  const read = readExpression(all, start, points);
  if ('kind' in read) return read;
  const settings = [
    { kind: 'repeated', value: null } as const,
    ...(read.isElsewhere ? [{ kind: 'directory', value: null } as const] : []),
  ];
  const layer = {
    name: 'find -exec',
    program: call.program,
    lookup: call.lookup,
    settings,
    writes: [],
    reads: [],
    hasTerminal: false,
  };
  return { kind: 'inner', layer, inner: read.inner, outer: [call.program, ...before, ...read.outer] };
}

const refuse = (reason: Reason, word: Word | undefined) => opaqueStep(aboutProgram(reason, 'find'), word?.source ?? '');

/** Whether a word may become several words that contain a whole `-exec … ;`. `a*` may not: matching names begin with `a`, not with `-`. */
const mayBeMore = (word: Word): boolean =>
  word.kind === 'runtime' && !word.isOne && (word.why !== 'glob' || word.prefix === '' || word.prefix.startsWith('-'));

/**
 * @property inner       the commands that find runs
 * @property outer       the expression without these commands
 * @property isElsewhere whether a command runs in the directory of each file (`-execdir`, `-okdir`)
 */
interface Expression {
  readonly inner: readonly InnerCommand[];
  readonly outer: readonly Word[];
  readonly isElsewhere: boolean;
}

/** If the expression has one of these operators, a command can run although a test before the command was false. */
const OPERATORS: ReadonlySet<string> = new Set(['!', '-not', '-o', '-or', ',', '(', ')']);

/** Separates the commands of `-exec`, `-execdir`, `-ok` and `-okdir` from the rest of the expression. */
function readExpression(all: readonly Word[], start: number, points: readonly Word[]): Expression | Step {
  const hasOperators = all.some((word) => word.kind === 'literal' && OPERATORS.has(word.value));
  let isFile = false;
  const inner: InnerCommand[] = [];
  const outer: Word[] = [];
  let isElsewhere = false;
  for (let at = start; at < all.length; ) {
    const word = all[at];
    if (word?.kind !== 'literal') return refuse(because('find-expression-unknown'), word);
    if (EXECUTES.has(word.value)) {
      const end = endOfCommand(all, at + 1, word.value.startsWith('-exec'));
      if (end === null) return refuse(because('find-command-endless'), word);
      const isHere = !word.value.endsWith('dir');
      isElsewhere ||= !isHere;
      const found = isHere ? foundFrom(points, all, isFile) : HERE;
      const words = all.slice(at + 1, end.at).map((each) => withFound(each, found, end.isMany));
      if (words[0]?.kind !== 'literal') return refuse(because('find-runs-found'), word);
      inner.push({ kind: 'words', words, assignments: [], lookup: 'file' });
      at = end.at + 1;
      continue;
    }
    const follow = PRIMARIES.get(word.value);
    if (follow === undefined || at + follow >= all.length) return refuse(because('find-expression-unclear'), word);
    const [primary, first] = all.slice(at, at + 1 + follow);
    isFile ||= !hasOperators && isText(primary, '-type') && isText(first, 'f');
    outer.push(...all.slice(at, at + 1 + follow));
    at += follow + 1;
  }
  return { inner, outer, isElsewhere };
}

const isText = (word: Word | undefined, text: string): boolean => word?.kind === 'literal' && word.value === text;
const isGlobal = (word: Word): boolean => word.kind === 'literal' && /^-(?:[HLP]|O[0-3])$/.test(word.value);

/** The words that can end a command: `;`, and `+` after `{}`. */
const ENDS = [';', '+', '{}'];

/**
 * Returns the index of the word that ends a command: `;`, or `+` after `{}`. `isMany`: the command ends with `+`, and gets many files at
 * once. Returns null in these cases:
 * - no word ends the command
 * - an earlier word can become `;`, `+`, `{}` or several words at run time
 * - a longer word begins with `;`, or with `+` after `{}`: BSD find compares only the first character
 * - the command of `-ok` or `-okdir` has a `+` after `{}`
 * @param endsWithMany whether `+` can end the command: true for `-exec` and `-execdir`
 */
function endOfCommand(
  all: readonly Word[],
  from: number,
  endsWithMany: boolean,
): { readonly at: number; readonly isMany: boolean } | null {
  for (let at = from; at < all.length; at++) {
    const word = all[at];
    if (word === undefined) return null;
    if (word.kind !== 'literal') {
      if (!word.isOne || ENDS.some((end) => end.startsWith(word.prefix)) || /^[;+]/.test(word.prefix)) return null;
      continue;
    }
    if (word.value === ';') return { at, isMany: false };
    if (word.value.startsWith(';')) return null;
    const before = all[at - 1];
    if (!word.value.startsWith('+') || before?.kind !== 'literal' || before.value !== '{}') continue;
    return word.value === '+' && endsWithMany ? { at, isMany: true } : null;
  }
  return null;
}

/**
 * Returns what is known of the paths that find puts in place of `{}`. If a starting point can be one of several paths, each path gives one
 * spelling. Returns null if nothing is known.
 * @param points the starting points
 * @param all    all arguments of find
 */
function foundFrom(points: readonly Word[], all: readonly Word[], isFile: boolean): readonly Spelling[] | null {
  const values = all.flatMap((word) => (word.kind === 'literal' ? [word.value] : []));
  if (values.some((value) => value === '-L' || value === '-follow')) return null;
  if (points.length === 0) return [{ isHome: false, pieces: [{ kind: 'below', start: '.', isFile }] }];
  const found: Spelling[] = [];
  for (const point of points) {
    const starts = point.kind === 'literal' ? [{ isHome: false, pieces: [textPiece(point.value)] }] : point.spellings;
    for (const { isHome, pieces } of starts ?? [{ isHome: false, pieces: [] }]) {
      const [piece, ...more] = pieces;
      if (more.length > 0 || (piece === undefined ? !isHome : piece.kind !== 'text')) return null;
      found.push({ isHome, pieces: [{ kind: 'below', start: piece?.kind === 'text' ? piece.value : '', isFile }] });
    }
  }
  return found;
}

const textPiece = (value: string) => ({ kind: 'text', value }) as const;

/** What `{}` becomes after `-execdir` and `-okdir`, which run the command in the directory of each file. */
const HERE: readonly Spelling[] = [{ isHome: false, pieces: [{ kind: 'below', start: './', isFile: false }] }];

/**
 * Returns the word after find has put the paths `found` in place of `{}`.
 * @param found  null: any path is possible
 * @param isMany whether `{}` may become no word or many words
 */
function withFound(word: Word, found: readonly Spelling[] | null, isMany: boolean): Word {
  if (word.kind === 'runtime') return withoutKnownText(word, '{}');
  const [before = '', behind, ...more] = word.value.split('{}');
  if (behind === undefined) return word;
  const [only] = found ?? [];
  const known = found?.length === 1 && only !== undefined && !only.isHome ? leadingText(only) : '';
  const bare = { kind: 'runtime', why: 'input', prefix: before + known, isOne: !isMany, source: word.source } as const;
  if (found === null || more.length > 0 || (before !== '' && found.some(({ isHome }) => isHome))) return bare;
  const spellings = found.map(({ isHome, pieces }) => ({
    isHome,
    pieces: [...(before === '' ? [] : [textPiece(before)]), ...pieces, ...(behind === '' ? [] : [textPiece(behind)])],
  }));
  return { ...bare, spellings };
}
