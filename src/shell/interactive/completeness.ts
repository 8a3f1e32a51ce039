/**
 * Decides whether a typed text is a complete command, the beginning of a command, or invalid. A parser in this process reads the text
 * first. The parser takes only microseconds. If the parser finds no complete command, `bash -n` decides. `bash -n` runs nothing.
 *
 * In doubt a text counts as complete. The gate then decides whether the text may run, and bash prints its own error for an invalid text.
 */
import { readByBash } from '../../pty/bash-noexec.ts';
import { endsInsideEscape } from './escape.ts';
import { isWholeCommand } from './whole-command.ts';

export type Completeness =
  | { readonly kind: 'complete' }
  | { readonly kind: 'incomplete' }
  /** The first line of bash's message, without the line number and the newline. */
  | { readonly kind: 'invalid'; readonly message: string };

/** A line that matches PLAIN but not RESERVED is complete: it has no open quote, no compound command and no substitution. */
const PLAIN = /^[ \t]*[\w./:@%+,-](?:[\w./:@%+,=-]|'[^'\n]*'|"[^"\\$`!\n]*"|[ \t])*$/;
const RESERVED =
  /(?:^|[ \t])(?:if|then|else|elif|fi|for|while|until|do|done|case|esac|select|function|coproc|time|in)(?![^ \t])/;

/**
 * @param bash         the bash that would run the text
 * @param name         the name at the beginning of the message of `invalid`
 * @param locale       see `readByBash`
 * @param isRedefined  whether a word of the text may be an alias. If so, the verdict `invalid` of `bash -n` counts as `complete`: `bash -n`
 *                     knows no aliases
 */
export async function completenessOf(
  text: string,
  bash: string,
  name: string,
  isRedefined: boolean,
  locale: string,
): Promise<Completeness> {
  if (PLAIN.test(text) && !RESERVED.test(text)) return COMPLETE;
  if (await isWholeCommand(text)) return COMPLETE;
  if (endsInsideEscape(text)) return { kind: 'incomplete' };
  const { status, said } = await readByBash(text, bash, locale);
  const found = completenessFrom(status, said, name);
  return found.kind === 'invalid' && isRedefined ? COMPLETE : found;
}

const COMPLETE: Completeness = { kind: 'complete' };

const UNFINISHED =
  /^[^\n]*?: line \d+: (?:syntax error: unexpected end of file|unexpected EOF while looking for matching|warning: here-document at line \d+ delimited by end-of-file)/m;

/** Also returns `complete` if bash does not start or takes too long. The gate then decides. */
function completenessFrom(status: number | null, said: string, name: string): Completeness {
  if (UNFINISHED.test(said)) return { kind: 'incomplete' };
  if (status === 0 || status === null) return COMPLETE;
  const message = /^[^\n]*?: line \d+: ([^\n]*)/.exec(said)?.[1] ?? 'syntax error';
  return { kind: 'invalid', message: `${name}: ${message}` };
}
