/** Which messages are not sent to a program: empty ones, and commands of the program. */
import { expect, it } from 'vitest';
import { messageFault } from '../../src/core/message/sent-text.ts';

const INVISIBLE = [
  '\u200b',
  '\u00ad',
  '\u2060',
  '\ufeff',
  '\u180e',
  '\u3164',
  '\u202e',
  '\ufe0f',
  '\u{e0001}',
  ' \t',
  '\n',
];

it.each(INVISIBLE.map((text) => [JSON.stringify(text), text]))(
  'a command of the program after %s is not sent',
  (_shown, before) => {
    for (const lead of ['/', '!'])
      for (const text of [`${lead}clear`, `${before}${lead}clear`, ` ${before}${before}${lead}clear`])
        expect(messageFault(text, ['/', '!'])?.code).toBe('MESSAGE_IS_COMMAND');
    expect(messageFault(before, ['/'])?.code).toBe('MESSAGE_REQUIRED');
  },
);

it('other texts are sent, also with a lead in the middle or with no leads', () => {
  for (const text of ['a /clear', 'é/x', 'שלום', '\u{1f600} /x']) expect(messageFault(text, ['/', '!'])).toBeNull();
  expect(messageFault('/clear')).toBeNull();
});
