/**
 * Finds out whether bash may read a text in another character set than our parser, which reads UTF-8. In BIG5, GBK, GB18030 and SHIFT_JIS,
 * the second byte of a character may be a backslash, a backquote or a bar. Quotes then end elsewhere for our parser than for bash. Such a
 * character set makes the line opaque.
 */
import type { EnvironmentEntry } from '../grant/request.ts';

/**
 * Locales in which bash reads a text as our parser does: the UTF-8 locales and the C locale. (If bash does not find a locale, it uses the
 * C locale.) In glibc, the name of a locale decides its character set.
 */
const READ_ALIKE = /^(?:|C|POSIX|UTF-8|(?:C|[a-z]{2,3}(?:_[A-Za-z]{2,3})?)\.(?:utf-?8)(?:@[A-Za-z]+)?)$/i;
/** Locales with one byte for each character, and ASCII below 128. In these locales, bash reads an ASCII text as our parser does. */
const ONE_BYTE = /^[a-z]{2,3}(?:_[A-Za-z]{2,3})?\.(?:iso-?8859-?\d{1,2}|koi8-?[rtu]|cp125[0-8])(?:@[A-Za-z]+)?$/i;
const ASCII = /^[\x00-\x7f]*$/;

/** The variables that name the locale for characters. The first variable that is set and not empty decides: locale(7). */
const NAMES = ['LC_ALL', 'LC_CTYPE', 'LANG'] as const;
/** Variables that name another directory of locales. In this directory, the name of a locale may mean anything. */
const PLACES: readonly string[] = ['LOCPATH', 'PATH_LOCALE'];
/**
 * The name of an entry from the bash of a session. The entry says: in the locale of this bash, a backslash can be the last byte of a longer
 * character.
 */
const ODD_CHARACTER_SET = 'character set';

/** Whether the variable names a locale in which bash reads a text as our parser does. A line is allowed to assign such a value. */
export const isSafeLocale = (name: string, value: string): boolean =>
  (name === 'LC_COLLATE' || (NAMES as readonly string[]).includes(name)) && READ_ALIKE.test(value);

/**
 * Returns null if bash reads the text as our parser does. Otherwise returns the cause: the name of a variable, or `this shell` if the
 * environment has the entry `ODD_CHARACTER_SET`. Checks all variables of `NAMES`: the text can unset the variable that decides.
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

/** Returns the name of the locale that decides the character set; `C` if no variable names a locale. */
export function localeOf(environment: readonly EnvironmentEntry[]): string {
  for (const wanted of NAMES) {
    const value = environment.find(({ name }) => name === wanted)?.value ?? '';
    if (value !== '') return value;
  }
  return 'C';
}
