/** Whether bash can parse a text. */
import type { Agreement } from '../../core/effects/host-facts.ts';
import { readByBash } from '../../pty/bash-noexec.ts';

/**
 * Runs bash without executing the text (`readByBash`). If bash prints a warning, as for a here-document that ends with the
 * text, it does not agree.
 * @param bash   absolute path
 * @param locale see `readByBash`
 */
export async function bashAgrees(text: string, bash: string, locale: string): Promise<Agreement> {
  const { status, said } = await readByBash(text, bash, locale);
  if (status === null) return 'unknown';
  return status === 0 && said === '' ? 'agrees' : 'disagrees';
}
