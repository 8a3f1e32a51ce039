/** Replaces exact texts as the edit tools of agent harnesses do. */

/** @property isEverywhere whether to replace every occurrence; if false, the text must contain `oldText` exactly once */
export interface TextReplacement {
  readonly oldText: string;
  readonly newText: string;
  readonly isEverywhere: boolean;
}

/**
 * Makes the replacements one after the other, and returns the new text. Returns null if the result of the tool is not known:
 * - `oldText` is not found.
 * - `oldText` is found several times, and `isEverywhere` is false.
 * - `oldText` is empty, but the text is not empty. An empty `oldText` fits only a new or an empty file.
 */
export function replaceTexts(text: string, replacements: readonly TextReplacement[]): string | null {
  let now = text;
  for (const { oldText, newText, isEverywhere } of replacements) {
    if (oldText === '') {
      if (now !== '') return null;
      now = newText;
      continue;
    }
    const parts = now.split(oldText);
    if (parts.length === 1 || (!isEverywhere && parts.length > 2)) return null;
    now = parts.join(newText);
  }
  return now;
}
