/** Types and helpers for one step of `unwrap`. Each step takes one wrapper off a command. */
import type { Reason } from '../reasons/reason.ts';
import type { ShellDialect } from './dialect.ts';
import type { Assignment, Opacity, Word } from './reading.ts';
import { writtenText } from './spelling.ts';
import type { Layer, Lookup } from './unwrapping.ts';

/**
 * @property words      the name of the command, then its arguments
 * @property text       the text that a shell reads
 * @property parameters the words for `$0`, `$1` and so on in the text
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
 * - `plain`:  the command is no wrapper, or a wrapper without an inner command
 * - `opaque`: the wrapper is not understood
 * - `inner`:  the wrapper runs the commands `inner`. `outer` is a command for the wrapper's own work; null: the wrapper does no own work
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

/**
 * A command with a literal name.
 * @property name    the name without a system directory: `env` for `/usr/bin/env`
 * @property program the first word of the command
 */
export interface CommandCall {
  readonly name: string;
  readonly program: Word;
  readonly arguments: readonly Word[];
  readonly lookup: Lookup;
}

/** Returns one runtime word. This word represents all the words that the wrapper adds when it runs. */
export const addedWords = (source: string): Word => ({
  kind: 'runtime',
  why: 'input',
  prefix: '',
  isOne: false,
  source,
});

/**
 * Returns what the word becomes when the wrapper replaces `mark` by input. A literal word with the mark becomes a runtime word. A literal word
 * without the mark stays the same. For a runtime word, see `withoutKnownText`.
 */
export function withInput(word: Word, mark: string): Word {
  if (word.kind === 'runtime') return withoutKnownText(word, mark);
  const at = word.value.indexOf(mark);
  if (at === -1) return word;
  return { kind: 'runtime', why: 'input', prefix: word.value.slice(0, at), isOne: true, source: word.source };
}

/**
 * Returns what the word becomes when the wrapper replaces `mark` in its value.
 * - If each spelling of the word is known text, and no spelling contains the first character of the mark, the word stays the same.
 * - If not, no text of the result is known. The word may contain the mark, or the prefix of the word may end inside the mark.
 */
export function withoutKnownText(word: Word & { readonly kind: 'runtime' }, mark: string): Word {
  const isWritten = word.spellings?.every(
    (each) => each.pieces.every(({ kind }) => kind === 'text') && !writtenText(each).includes(mark[0] ?? ''),
  );
  if (isWritten === true) return word;
  const { why, isOne, source } = word;
  return { kind: 'runtime', why, prefix: '', isOne, source };
}
