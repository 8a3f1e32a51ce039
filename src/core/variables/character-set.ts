/**
 * In which character set bash reads a text. We read it as UTF-8; in BIG5, GBK, GB18030 and SHIFT_JIS a character's second byte
 * may be a backslash, a backquote or a bar, and then quotes end elsewhere. Only sets where that cannot be are understood.
 */
import type { EnvironmentEntry } from '../grant/request.ts';

/** UTF-8, and the C locale, to which bash returns when there is no locale of that name. glibc holds a locale to the set in its name. */
const READ_ALIKE = /^(?:|C|POSIX|UTF-8|(?:C|[a-z]{2,3}(?:_[A-Za-z]{2,3})?)\.(?:utf-?8)(?:@[A-Za-z]+)?)$/i;
/** One byte a character, ASCII below 128: the same for a text that is ASCII. */
const ONE_BYTE = /^[a-z]{2,3}(?:_[A-Za-z]{2,3})?\.(?:iso-?8859-?\d{1,2}|koi8-?[rtu]|cp125[0-8])(?:@[A-Za-z]+)?$/i;
const ASCII = /^[\x00-\x7f]*$/;

/** In the order in which they count, see locale(7). */
const NAMES = ['LC_ALL', 'LC_CTYPE', 'LANG'] as const;
/** Where locales lie: there a name may mean anything. */
const PLACES: readonly string[] = ['LOCPATH', 'PATH_LOCALE'];
/** A session's bash says so when it finds that a backslash can be half a character. */
const ODD_CHARACTER_SET = 'character set';

/** Whether a line may set this variable to this value without a human. */
export const isSafeLocale = (name: string, value: string): boolean =>
  (name === 'LC_COLLATE' || (NAMES as readonly string[]).includes(name)) && READ_ALIKE.test(value);

/**
 * Which variable makes bash read this text otherwise than we do; null when none does. All three count, whichever has the
 * last word: the text may take one away.
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

/** The locale that decides the character set: what LC_CTYPE has to be to read as they say. */
export function localeOf(environment: readonly EnvironmentEntry[]): string {
  for (const wanted of NAMES) {
    const value = environment.find(({ name }) => name === wanted)?.value ?? '';
    if (value !== '') return value;
  }
  return 'C';
}
