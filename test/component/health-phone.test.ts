/** What a phone still needs, as `apes health` lists it: each missing thing with the way to get it, and nothing else. */
import { expect, it } from 'vitest';
import { phone } from '../../src/cli/health/reaching.ts';
import { success } from '../../src/core/result.ts';

const HTTPS = 'https (apes down; apes up --public-url https://NAME';
const NAME = 'a name, because';
const PASSKEY = 'a passkey (apes owner link, opened on the phone, page Devices, Register this device)';
const PUSH = 'permission to notify (apes owner link, opened on the phone, page Notifications, Notify this device)';
const ALL = [HTTPS, NAME, PASSKEY, PUSH];

const push = (endedAtMs: number | null) => ({
  id: 'n_1',
  kind: 'push' as const,
  name: 'phone',
  target: 'push.example.org',
  createdAtMs: 1,
  endedAtMs,
  last: null,
  approver: 'Ada',
});
const reportFor = (publicUrl: string, passkeys: readonly string[] = [], channels = [] as ReturnType<typeof push>[]) =>
  phone(success({ record: { publicUrl }, channels, passkeys }));

it.each([
  ['http://127.0.0.1:7417', [], [], ALL],
  ['http://localhost:7417', ['localhost'], [], ALL],
  ['https://192.0.2.7', [], [], [NAME, PASSKEY, PUSH]],
  ['https://[2001:db8::1]:8443', [], [], [NAME, PASSKEY, PUSH]],
  ['https://grants.example.org', [], [], [PASSKEY, PUSH]],
  ['https://grants.example.org', ['localhost', 'old.example.org'], [push(null)], [PASSKEY]],
  ['https://grants.example.org', ['grants.example.org'], [push(2)], [PUSH]],
  ['https://grants.example.org', ['grants.example.org'], [push(null)], []],
] as const)(
  'at %s, with passkeys for %j and the channels %j, exactly the missing things are listed',
  (url, passkeys, channels, missing) => {
    const { state, text } = reportFor(url, passkeys, [...channels]);
    expect(state).toBe('ok');
    expect(ALL.filter((each) => text.includes(each))).toEqual(missing);
    expect(text.includes('a phone still needs')).toBe(missing.length > 0);
  },
);

it('the address for the phone is named only if a phone can reach it, and without the part that signs in', () => {
  expect(reportFor('http://127.0.0.1:7417')).not.toHaveProperty('address');
  expect(reportFor('https://localhost')).not.toHaveProperty('address');
  expect(reportFor('https://192.0.2.7')).toMatchObject({ address: 'https://192.0.2.7/' });
  expect(reportFor('https://:secret@example.org/approvals')).toMatchObject({
    address: 'https://example.org/approvals',
  });
  expect(reportFor('https://:secret@example.org/approvals').text).not.toContain('secret');
});
