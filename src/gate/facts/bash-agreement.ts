/** Finds out whether bash can parse a text. */
import type { Agreement } from '../../core/effects/host-facts.ts';
import { readByBash } from '../../pty/bash-noexec.ts';

/**
 * Lets bash read the text without executing it (`readByBash`). A warning counts as `disagrees`: bash prints a warning if the text
 * ends inside a here-document. `unknown`: bash did not start, or was killed, for example after 2 s.
 * @param bash   absolute path
 * @param locale see `readByBash`
 */
export async function bashAgrees(text: string, bash: string, locale: string): Promise<Agreement> {
  const { status, said } = await readByBash(text, bash, locale);
  if (status === null) return 'unknown';
  return status === 0 && said === '' ? 'agrees' : 'disagrees';
}
