/** Exact text replacements, as the edit tools of agent harnesses do them. */

/** @property isEverywhere whether every occurrence is replaced; otherwise the text must contain exactly one occurrence */
export interface TextReplacement {
  readonly oldText: string;
  readonly newText: string;
  readonly isEverywhere: boolean;
}

/**
 * The text after all replacements, one after the other. Null if a replacement does not fit: the tool's result is then not known.
 */
export function replaceTexts(text: string, replacements: readonly TextReplacement[]): string | null {
  let now = text;
  for (const { oldText, newText, isEverywhere } of replacements) {
    if (oldText === '') {
      if (now !== '') return null; // an empty `oldText` can only create a file
      now = newText;
      continue;
    }
    const parts = now.split(oldText);
    if (parts.length === 1 || (!isEverywhere && parts.length > 2)) return null;
    now = parts.join(newText);
  }
  return now;
}
