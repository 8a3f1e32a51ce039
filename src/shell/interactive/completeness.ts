/**
 * Decides whether a typed text is a complete command, the beginning of a command, or invalid. A parser answers in microseconds.
 * If the parser sees anything but a complete command, bash itself decides with `bash -n`, which runs nothing.
 *
 * In doubt a text counts as complete: then the gate decides about it, and bash prints its own error if it is invalid.
 */
import { readByBash } from '../../pty/bash-noexec.ts';
import { endsInsideEscape } from './escape.ts';
import { isWholeCommand } from './whole-command.ts';

export type Completeness =
  | { readonly kind: 'complete' }
  | { readonly kind: 'incomplete' }
  /** bash's own message, without a newline at the end. */
  | { readonly kind: 'invalid'; readonly message: string };

/** A line that needs no parser: its quotes are closed, and nothing in it can open a compound command or a substitution. */
const PLAIN = /^[ \t]*[\w./:@%+,-](?:[\w./:@%+,=-]|'[^'\n]*'|"[^"\\$`!\n]*"|[ \t])*$/;
const RESERVED =
  /(?:^|[ \t])(?:if|then|else|elif|fi|for|while|until|do|done|case|esac|select|function|coproc|time|in)(?![^ \t])/;

/**
 * @param bash         the bash that would run the text
 * @param name         the name of that bash in its messages
 * @param locale       see `readByBash`
 * @param isRedefined  whether a word may be an alias. `bash -n` knows no aliases, so a text that `bash -n` calls invalid then counts as
 *                     complete
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

/** Returns `complete` also if bash does not start or takes too long: then the gate decides. */
function completenessFrom(status: number | null, said: string, name: string): Completeness {
  if (UNFINISHED.test(said)) return { kind: 'incomplete' };
  if (status === 0 || status === null) return COMPLETE;
  const message = /^[^\n]*?: line \d+: ([^\n]*)/.exec(said)?.[1] ?? 'syntax error';
  return { kind: 'invalid', message: `${name}: ${message}` };
}
