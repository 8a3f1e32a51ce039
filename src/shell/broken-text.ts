/** Makes the texts that the shell prints about itself when it starts. */

import { type Failure, failureLine } from '../core/failure.ts';
import { visibleText } from '../core/text/visible-text.ts';

/**
 * Returns the text for a shell that starts although its gate does not work. The text has two lines, each with an LF at the end.
 * @param control the command that starts `apes` on this machine
 */
export const brokenText = (failure: Failure, control: string): string =>
  visibleText(
    `${failureLine('ape-shell', failure)}\nape-shell: no line runs until this fault is mended; exit, :status and ${control} health work\n`,
  );

/**
 * Returns the line that introduces this shell, with an LF at the end. The prompt does not introduce the shell: it looks like the prompt of
 * bash. The line is not dim in two cases: TERM is empty or `dumb`, or NO_COLOR has a value.
 */
export function gatedText(environment: ReadonlyMap<string, Buffer>): string {
  const text = 'ape-shell: every line is checked before bash sees it; :help says more';
  const terminal = environment.get('TERM')?.toString('latin1') ?? '';
  const isPlain = terminal === '' || terminal === 'dumb' || (environment.get('NO_COLOR')?.length ?? 0) > 0;
  return isPlain ? `${text}\n` : `\u001b[2m${text}\u001b[0m\n`;
}
