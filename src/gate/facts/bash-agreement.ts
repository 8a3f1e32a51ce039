/** Whether bash reads a text as a valid one. */
import type { Agreement } from '../../core/effects/host-facts.ts';
import { readByBash } from '../../pty/bash-noexec.ts';

/**
 * Also required: bash prints nothing. A warning (a here-document that ends with the text) is no agreement.
 * @param bash   absolute path
 * @param locale see `readByBash`
 */
export async function bashAgrees(text: string, bash: string, locale: string): Promise<Agreement> {
  const { status, said } = await readByBash(text, bash, locale);
  if (status === null) return 'unknown';
  return status === 0 && said === '' ? 'agrees' : 'disagrees';
}
