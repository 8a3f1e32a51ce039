/** The command inside one wrapper: the step that `unwrap` repeats. */
import type { Reason } from '../reasons/reason.ts';
import type { ShellDialect } from './dialect.ts';
import type { Assignment, Opacity, Word } from './reading.ts';
import { writtenText } from './spelling.ts';
import type { Layer, Lookup } from './unwrapping.ts';

/**
 * @property words       name first
 * @property text        read again by a shell; `parameters` are its `$0`, `$1` …
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
 * - `plain`: no wrapper, or one that here wraps nothing: a command of its own
 * - `inner`: `inner` is what runs; `outer`, when there is any, is what the wrapper does besides, as a command of its own
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

/** What the words of a command become. @property words the name first, which is literal */
export interface CommandCall {
  readonly name: string;
  readonly program: Word;
  readonly arguments: readonly Word[];
  readonly lookup: Lookup;
}

/** One word that stands for those the program will add. */
export const addedWords = (source: string): Word => ({
  kind: 'runtime',
  why: 'input',
  prefix: '',
  isOne: false,
  source,
});

/** The word with every `mark` in it replaced by something that is only known at run time; the same word without one. */
export function withInput(word: Word, mark: string): Word {
  if (word.kind === 'runtime') return withoutMark(word, mark);
  const at = word.value.indexOf(mark);
  if (at === -1) return word;
  return { kind: 'runtime', why: 'input', prefix: word.value.slice(0, at), isOne: true, source: word.source };
}

/** What a variable or a name on the disk brings may hold the mark, or half of it; a home directory is no such name. */
export function withoutMark(word: Word & { readonly kind: 'runtime' }, mark: string): Word {
  const isWritten = word.spellings?.every(
    (each) => each.pieces.every(({ kind }) => kind === 'text') && !writtenText(each).includes(mark[0] ?? ''),
  );
  if (isWritten === true) return word;
  const { why, isOne, source } = word;
  return { kind: 'runtime', why, prefix: '', isOne, source };
}
