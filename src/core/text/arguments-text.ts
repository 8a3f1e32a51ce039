/** The arguments that a request gives to bash, besides the text that bash runs. */
import type { ExecutionRequest } from '../grant/request.ts';
import { quoteWord } from './quote.ts';
import { visibleLine } from './visible-text.ts';

/**
 * Returns the arguments, quoted for a shell. `…` replaces the text that bash runs, as in `-i -c … x src`. Returns null if bash gets only
 * `-c` and the text, if bash gets no arguments, or if the request starts no bash (a call of a tool, an argv).
 */
export function argumentsText({ kind, argv, text }: Pick<ExecutionRequest, 'kind' | 'argv' | 'text'>): string | null {
  if (kind !== 'command' && kind !== 'script' && kind !== 'stdin') return null;
  const isPlain = kind === 'command' && argv.length === 2 && argv[0] === '-c' && argv[1] === text;
  if (argv.length === 0 || isPlain) return null;
  const at = kind === 'command' ? firstOperand(argv) : -1;
  return argv.map((word, index) => (index === at && word === text ? '…' : visibleLine(quoteWord(word)))).join(' ');
}

/**
 * Returns the index of the first word that is neither an option of bash nor the value of an option. With `-c`, this word is the command.
 */
function firstOperand(argv: readonly string[]): number {
  let at = 0;
  for (let word = argv[at] ?? ''; /^[-+]/.test(word); word = argv[at] ?? '') {
    at++;
    if (word === '-' || word === '--') break;
    if (!word.startsWith('--')) at += word.match(/o/gi)?.length ?? 0;
  }
  return at;
}
