/** Prepares the text of a message for a terminal, and checks whether an editor or a submitted prompt contains this text. */
import type { CodedFault } from '../fault.ts';
import { utf8Length } from '../text/utf8-length.ts';
import type { Composer } from './screen-reading.ts';

/** The longest message, in bytes of UTF-8. */
export const MAX_MESSAGE_LENGTH = 32 * 1024;

const PASTE_BEGIN = '\u001b[200~';
const PASTE_END = '\u001b[201~';

/** Why a text cannot be sent. */
export type MessageFault = CodedFault<'MESSAGE_REQUIRED' | 'MESSAGE_TOO_LONG' | 'MESSAGE_IS_COMMAND'>;

/** Blanks and invisible characters at the beginning of a text. The program may remove these characters before it looks for a command. */
const INVISIBLE_BEGINNING = /^[\s\p{Default_Ignorable_Code_Point}\p{Cf}]+/u;

/**
 * Returns null if the text can be sent.
 * @param commandLeads the beginnings of the program's commands, such as `/`
 */
export function messageFault(text: string, commandLeads: readonly string[] = []): MessageFault | null {
  const plain = plainText(text).replace(INVISIBLE_BEGINNING, '');
  if (plain === '') return { code: 'MESSAGE_REQUIRED', message: 'the message is empty' };
  if (utf8Length(text) > MAX_MESSAGE_LENGTH)
    return { code: 'MESSAGE_TOO_LONG', message: `the message is longer than ${MAX_MESSAGE_LENGTH} bytes` };
  const lead = commandLeads.find((each) => plain.startsWith(each));
  if (lead !== undefined)
    return { code: 'MESSAGE_IS_COMMAND', message: `a message that begins with ${lead} is a command of the program` };
  return null;
}

/**
 * Removes control characters (C0 except line feed and tab, DEL, C1), line separators (U+2028, U+2029), line breaks at the beginning, and
 * blanks at the end. Each CR LF becomes \n, and each lone surrogate becomes U+FFFD.
 */
export function plainText(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029]/g, '')
    .replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, '\ufffd')
    .replace(/^\n+|\s+$/g, '');
}

/** Returns the message as a bracketed paste. The message cannot contain the end of a paste, because `plainText` has removed ESC. */
export const pasteOf = (plain: string): string => `${PASTE_BEGIN}${plain}${PASTE_END}`;

const withoutBlanks = (text: string): string => text.replace(/\s+/g, '');

/**
 * Whether the editor contains the message and nothing else. Returns true in three cases:
 * - The editor shows the whole message, wrapped in any way.
 * - The editor has scrolled: it shows the end of the message, in at least `SCROLLED_ROWS` rows.
 * - The editor shows only a placeholder for a paste, and the paste has the length of the message.
 * @param plain the message as `plainText` returns it
 */
export function composerHasMessage(composer: Composer, plain: string): boolean {
  if (composer.folded !== null) return isPlaceholder(composer, plain);
  const shown = withoutBlanks(composer.draft);
  const whole = withoutBlanks(plain);
  if (shown === '') return false;
  if (shown === whole) return true;
  return composer.draft.split('\n').length >= SCROLLED_ROWS && whole.endsWith(shown);
}

const SCROLLED_ROWS = 4;

/** Whether the editor shows only a placeholder for a paste, and the paste has the length of the message. Other text is a person's draft. */
function isPlaceholder({ draft, folded }: Composer, plain: string): boolean {
  if (folded === null || !/^\[[^\]]*\]$/.test(draft.trim())) return false;
  if (folded.unit === 'lines') return folded.count === plain.split('\n').length;
  return folded.count === [...plain].length || folded.count === plain.length;
}

/**
 * Whether a submitted prompt contains the message. Harnesses may put text around a long paste. Ignores all blanks, because harnesses move
 * line breaks.
 */
export const promptHasMessage = (prompt: string, plain: string): boolean =>
  withoutBlanks(prompt).includes(withoutBlanks(plain));
