/**
 * The corpus: command lines with what the parser has to read in them, and how they may be covered.
 *
 * A TOML file has a table `[[line]]` for every line:
 *   text    the bytes of the line
 *   class   `coverable`  every command in it is understood by a sensible rule
 *           `opaque`     needs a human for its exact bytes
 *           `dangerous`  never has low risk, and is never covered by a scope that only reads
 *   reads   every simple command, in the notation of `written`
 *   opaque  the parser's reasons to call the line opaque; absent if it has none
 *   source  where the trick was published
 */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse } from 'smol-toml';
import type { Assignment, Redirection, SimpleCommand, Word } from '../../src/core/reading/reading.ts';
import { quoteWord } from '../../src/core/text/quote.ts';

export type LineClass = 'coverable' | 'opaque' | 'dangerous';

export interface CorpusLine {
  readonly file: string;
  readonly text: string;
  readonly class: LineClass;
  readonly reads: readonly string[];
  readonly opaque: readonly string[];
  readonly source: string | null;
}

const folder = fileURLToPath(new URL('.', import.meta.url));

/** Reads every line of every file, in the order of the file names. Throws if a line lacks `text`, `class` or `reads`. */
export function readCorpus(): readonly CorpusLine[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.toml'))
    .sort()
    .flatMap((file) => {
      const { line } = parse(readFileSync(`${folder}/${file}`, 'utf8')) as unknown as { line: Partial<CorpusLine>[] };
      return line.map((each) => corpusLine(file, each));
    });
}

function corpusLine(file: string, { text, class: is, reads, opaque, source }: Partial<CorpusLine>): CorpusLine {
  if (text === undefined || is === undefined || reads === undefined)
    throw new Error(`${file}: a line without text, class or reads: ${JSON.stringify(text)}`);
  return { file, text, class: is, reads, opaque: opaque ?? [], source: source ?? null };
}

/**
 * Writes one simple command on one line: `{NAME=value}` for every assignment, the words, `[2>]target` for every redirection.
 * A literal word is quoted if a shell needs quotes. A word that is known only at run time is written `prefix<why>`, or
 * `prefix<why*>` if it may become no word or several words.
 */
export const written = ({ assignments, words, redirections }: SimpleCommand): string =>
  [...assignments.map(assigned), ...words.map(word), ...redirections.map(redirected)].join(' ');

const assigned = ({ name, value }: Assignment): string => `{${name}=${value === null ? '()' : word(value)}}`;

const redirected = ({ operator, descriptor, target }: Redirection): string =>
  `[${descriptor ?? ''}${operator}]${word(target)}`;

function word(each: Word): string {
  if (each.kind === 'literal') return quoteWord(each.value);
  return `${each.prefix === '' ? '' : quoteWord(each.prefix)}<${each.why}${each.isOne ? '' : '*'}>`;
}
