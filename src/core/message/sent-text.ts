/** The text of a message: how it is written, and whether an editor or a submitted prompt contains it. */
import { bytesOf } from '../harness/hook-events.ts';
import type { Composer } from './screen-reading.ts';

/** The longest message, in bytes of UTF-8. */
export const MAX_MESSAGE_LENGTH = 32 * 1024;

const PASTE_BEGIN = '\u001b[200~';
const PASTE_END = '\u001b[201~';

/** Why a text cannot be sent. */
export interface MessageFault {
  readonly code: 'MESSAGE_REQUIRED' | 'MESSAGE_TOO_LONG' | 'MESSAGE_IS_COMMAND';
  readonly message: string;
}

/** @param commandLeads the texts with which a command of the program begins, such as `/`; returns null if the text can be sent */
export function messageFault(text: string, commandLeads: readonly string[] = []): MessageFault | null {
  const plain = plainText(text).trim();
  if (plain === '') return { code: 'MESSAGE_REQUIRED', message: 'the message is empty' };
  if (bytesOf(text) > MAX_MESSAGE_LENGTH)
    return { code: 'MESSAGE_TOO_LONG', message: `the message is longer than ${MAX_MESSAGE_LENGTH} bytes` };
  const lead = commandLeads.find((each) => plain.startsWith(each));
  if (lead !== undefined)
    return { code: 'MESSAGE_IS_COMMAND', message: `a message that begins with ${lead} is a command of the program` };
  return null;
}

/** The text without control characters (C0 except line feed and tab, C1); each end of a line becomes \n. */
export function plainText(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029]/g, '')
    .replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, '\ufffd')
    .replace(/^\n+|\s+$/g, '');
}

/** The message as a bracketed paste. It cannot contain the end of a paste, because `plainText` has removed ESC. */
export const pasteOf = (plain: string): string => `${PASTE_BEGIN}${plain}${PASTE_END}`;

const withoutBlanks = (text: string): string => text.replace(/\s+/g, '');

/**
 * Whether the editor contains the message and nothing else: all of it (however it is wrapped), or its end (an editor that
 * scrolls shows at least `SCROLLED_ROWS` rows of it), or the placeholder of a long paste with the right size.
 */
export function holdsMessage(composer: Composer, plain: string): boolean {
  if (composer.folded !== null) return isPlaceholder(composer, plain);
  const shown = withoutBlanks(composer.draft);
  const whole = withoutBlanks(plain);
  if (shown === '') return false;
  if (shown === whole) return true;
  return composer.draft.split('\n').length >= SCROLLED_ROWS && whole.endsWith(shown);
}

const SCROLLED_ROWS = 4;

/** Whether the editor shows only the placeholder of a paste of this size. Other text beside it is a person's draft. */
function isPlaceholder({ draft, folded }: Composer, plain: string): boolean {
  if (folded === null || !/^\[[^\]]*\]$/.test(draft.trim())) return false;
  if (folded.unit === 'lines') return folded.count === plain.split('\n').length;
  return folded.count === [...plain].length || folded.count === plain.length;
}

/** Whether a submitted prompt contains the message. Blanks do not count: harnesses put text around a long paste and move line breaks. */
export const promptHolds = (prompt: string, plain: string): boolean =>
  withoutBlanks(prompt).includes(withoutBlanks(plain));
