/**
 * Finds out whether bash possibly reads a text in another character set than our parser, which reads UTF-8. In BIG5, GBK, GB18030 and SHIFT_JIS,
 * the second byte of a character may be a backslash, a backquote or a bar, so that quotes end at another place. Such a character set makes
 * the line opaque.
 */
import type { EnvironmentEntry } from '../grant/request.ts';

/**
 * Locales in which bash reads a text as our parser does: the UTF-8 locales, and the C locale, which bash uses if it does not find a locale.
 * In glibc, the name of a locale decides its character set.
 */
const READ_ALIKE = /^(?:|C|POSIX|UTF-8|(?:C|[a-z]{2,3}(?:_[A-Za-z]{2,3})?)\.(?:utf-?8)(?:@[A-Za-z]+)?)$/i;
/** Locales with one byte for each character, in which the bytes below 128 are ASCII. There, bash reads an ASCII text as our parser does. */
const ONE_BYTE = /^[a-z]{2,3}(?:_[A-Za-z]{2,3})?\.(?:iso-?8859-?\d{1,2}|koi8-?[rtu]|cp125[0-8])(?:@[A-Za-z]+)?$/i;
const ASCII = /^[\x00-\x7f]*$/;

/** The variables that name a locale for characters. The first one that is set decides, locale(7). */
const NAMES = ['LC_ALL', 'LC_CTYPE', 'LANG'] as const;
/** Variables that name another directory of locales, in which the name of a locale may mean anything. */
const PLACES: readonly string[] = ['LOCPATH', 'PATH_LOCALE'];
/** The name under which a session's bash reports that in its locale a backslash can be half a character. */
const ODD_CHARACTER_SET = 'character set';

/** Whether a line that sets this variable to this value is still understood. */
export const isSafeLocale = (name: string, value: string): boolean =>
  (name === 'LC_COLLATE' || (NAMES as readonly string[]).includes(name)) && READ_ALIKE.test(value);

/**
 * Returns null if bash reads the text as our parser does. Else returns the variable because of which bash possibly reads the text in
 * another way, or `this shell` if a session's bash reports such a character set. All variables of `NAMES` are checked, and not only the
 * deciding one, because the text can unset that one.
 */
export function oddCharacterSet(environment: readonly EnvironmentEntry[], text: string): string | null {
  for (const { name, value, digest } of environment) {
    if (name === ODD_CHARACTER_SET) return value;
    if (value === '') continue;
    if (PLACES.includes(name)) return name;
    if (!(NAMES as readonly string[]).includes(name)) continue;
    if (digest === true || !(READ_ALIKE.test(value) || (ONE_BYTE.test(value) && ASCII.test(text)))) return name;
  }
  return null;
}

/** Returns the locale that decides the character set, as a value for LC_CTYPE; `C` if no variable names a locale. */
export function localeOf(environment: readonly EnvironmentEntry[]): string {
  for (const wanted of NAMES) {
    const value = environment.find(({ name }) => name === wanted)?.value ?? '';
    if (value !== '') return value;
  }
  return 'C';
}
