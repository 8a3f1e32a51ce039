/** The arguments with which a request starts bash, besides the text that it runs. */
import type { ExecutionRequest } from '../grant/request.ts';
import { quoteWord } from './quote.ts';
import { visibleLine } from './visible-text.ts';

/**
 * As a shell would take them: `-i -c '…' x src` without the text is `-i -c … x src`. Null: none besides the text, or no bash is started
 * with arguments (a call of a tool, an argv whose text has all of them).
 */
export function argumentsText({ kind, argv, text }: Pick<ExecutionRequest, 'kind' | 'argv' | 'text'>): string | null {
  if (kind !== 'command' && kind !== 'script' && kind !== 'stdin') return null;
  const isPlain = kind === 'command' && argv.length === 2 && argv[0] === '-c' && argv[1] === text;
  if (argv.length === 0 || isPlain) return null;
  const at = kind === 'command' ? argv.indexOf(text) : -1;
  return argv.map((word, index) => (index === at ? '…' : visibleLine(quoteWord(word)))).join(' ');
}
