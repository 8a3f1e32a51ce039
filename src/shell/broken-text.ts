/** The text above the first prompt. */
import { type Failure, failureLine } from '../core/failure.ts';

/**
 * For a shell that starts although its gate does not work. Two lines, with their LF.
 * @param control how `apes` has to be called here
 */
export const brokenText = (failure: Failure, control: string): string =>
  `${failureLine('ape-shell', failure)}\nape-shell: until that is mended no line runs; exit, :status and ${control} health work\n`;

/** The prompt looks like that of any bash, so one line says what this shell is. Dim if the terminal supports that. */
export function gatedText(environment: ReadonlyMap<string, Buffer>): string {
  const text = 'ape-shell: every line is checked before bash sees it; :help says more';
  const terminal = environment.get('TERM')?.toString('latin1') ?? '';
  const isPlain = terminal === '' || terminal === 'dumb' || (environment.get('NO_COLOR')?.length ?? 0) > 0;
  return isPlain ? `${text}\n` : `\u001b[2m${text}\u001b[0m\n`;
}
