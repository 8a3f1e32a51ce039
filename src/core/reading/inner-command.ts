/** Types of the step that `unwrap` repeats: taking one wrapper off a command. */
import type { Reason } from '../reasons/reason.ts';
import type { ShellDialect } from './dialect.ts';
import type { Assignment, Opacity, Word } from './reading.ts';
import { writtenText } from './spelling.ts';
import type { Layer, Lookup } from './unwrapping.ts';

/**
 * @property words       the name first
 * @property text        the text that a shell reads; `parameters` are its `$0`, `$1` …
 */
export type InnerCommand =
  | {
      readonly kind: 'words';
      readonly words: readonly Word[];
      readonly assignments: readonly Assignment[];
      readonly lookup: Lookup;
    }
  | {
      readonly kind: 'text';
      readonly text: string;
      readonly dialect: ShellDialect;
      readonly parameters: readonly Word[];
    };

/**
 * - `plain`: not a wrapper, or one without a command inside, which is then a command itself
 * - `inner`: `inner` is what runs; `outer`: what the wrapper itself does, as a command of its own; null: nothing
 */
export type Step =
  | { readonly kind: 'plain' }
  | ({ readonly kind: 'opaque' } & Opacity)
  | {
      readonly kind: 'inner';
      readonly layer: Layer;
      readonly inner: readonly InnerCommand[];
      readonly outer: readonly Word[] | null;
    };

export const PLAIN: Step = { kind: 'plain' };
export const opaqueStep = (reason: Reason, source: string): Step => ({ kind: 'opaque', ...reason, source });

/** A command with a literal name. */
export interface CommandCall {
  readonly name: string;
  readonly program: Word;
  readonly arguments: readonly Word[];
  readonly lookup: Lookup;
}

/** One word that stands for all words that the program will add. */
export const addedWords = (source: string): Word => ({
  kind: 'runtime',
  why: 'input',
  prefix: '',
  isOne: false,
  source,
});

/**
 * The word, only known at run time if it contains `mark`, which the program replaces; without the mark, the same word.
 */
export function withInput(word: Word, mark: string): Word {
  if (word.kind === 'runtime') return withoutMark(word, mark);
  const at = word.value.indexOf(mark);
  if (at === -1) return word;
  return { kind: 'runtime', why: 'input', prefix: word.value.slice(0, at), isOne: true, source: word.source };
}

/** For a word only known at run time: its value may contain the mark or a part of it, unless it is a home directory. */
export function withoutMark(word: Word & { readonly kind: 'runtime' }, mark: string): Word {
  const isWritten = word.spellings?.every(
    (each) => each.pieces.every(({ kind }) => kind === 'text') && !writtenText(each).includes(mark[0] ?? ''),
  );
  if (isWritten === true) return word;
  const { why, isOne, source } = word;
  return { kind: 'runtime', why, prefix: '', isOne, source };
}
