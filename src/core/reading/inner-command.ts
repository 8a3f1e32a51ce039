/** What one wrapper makes of its words: the step that `unwrap` repeats. */
import type { Dialect } from './dialect.ts';
import type { Assignment, Word } from './reading.ts';
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
      readonly dialect: Dialect;
      readonly parameters: readonly Word[];
    };

/**
 * - `plain`: no wrapper, or one that here wraps nothing: a command of its own
 * - `inner`: `inner` is what runs; `outer`, when there is any, is what the wrapper does besides, as a command of its own
 */
export type Step =
  | { readonly kind: 'plain' }
  | { readonly kind: 'opaque'; readonly reason: string; readonly source: string }
  | {
      readonly kind: 'inner';
      readonly layer: Layer;
      readonly inner: readonly InnerCommand[];
      readonly outer: readonly Word[] | null;
    };

export const PLAIN: Step = { kind: 'plain' };
export const opaqueStep = (reason: string, source: string): Step => ({ kind: 'opaque', reason, source });

/** What the words of a command become. @property words the name first, which is literal */
export interface Call {
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

/**
 * The word with every `mark` in it replaced by something that is only known at run time; the same word without one.
 * @param known  what that something begins with
 * @param isMany whether it may become none or many words
 */
export function withInput(word: Word, mark: string, known = '', isMany = false): Word {
  // What a variable brings may hold the mark, or half of it.
  if (word.kind === 'runtime') return { ...word, prefix: '' };
  const at = word.value.indexOf(mark);
  if (at === -1) return word;
  return {
    kind: 'runtime',
    why: 'input',
    prefix: word.value.slice(0, at) + known,
    isOne: !isMany,
    source: word.source,
  };
}
