/** The refusals of tool calls and web fetches that cannot become a request name what is wrong. */
import { expect, it } from 'vitest';
import { describeFetch, describeToolCall } from '../../src/gate/tool-request.ts';

const SERVER = { name: 'files', argv: ['files'], cwd: '/', files: [], environment: [] };
const PLACES = { home: '/', own: [] };

function refusal(tool: string, given: unknown): string | null {
  const call = { tool, arguments: { given }, declared: null, listed: null };
  const described = describeToolCall(SERVER, call, [], PLACES);
  return described.ok ? null : described.failure.message;
}

function refusalOfFetch(url: string): string | null {
  const described = describeFetch([url], '/');
  return described.ok ? null : described.failure.message;
}

const UNWRITABLE = 'refused: the arguments are nested too deep, or have a number that is too large';
const WRONG_LENGTH = 'refused: the name of the tool does not have 1 to 1000 characters';
const UNSHOWABLE = 'refused: the name of the tool has a character that cannot be shown';

it.each<[string, string, unknown, string | null]>([
  ['no name', '', 1, WRONG_LENGTH],
  ['a long name', 'x'.repeat(1_001), 1, WRONG_LENGTH],
  ['half a surrogate pair in the name', 'a\ud800', 1, UNSHOWABLE],
  ['a NUL in the name', 'a\0', 1, UNSHOWABLE],
  ['an infinite number', 'look', JSON.parse('1e999'), UNWRITABLE],
  ['deep arguments', 'look', JSON.parse(`${'['.repeat(200)}${']'.repeat(200)}`), UNWRITABLE],
  ['a name of the greatest length', 'x'.repeat(1_000), 1, null],
])('a call with %s is refused for this reason, or not at all', (_, tool, given, message) => {
  expect(refusal(tool, given)).toBe(message);
});

it.each<[string, string, string | null]>([
  [
    'of more than 8,000 characters',
    `https://x.example/${'y'.repeat(8_000)}`,
    'refused: an address has more than 8000 characters',
  ],
  [
    'with a user name',
    'https://user@x.example/',
    'refused: "https://user@x.example/" is no plain http or https address',
  ],
  ['of another scheme', 'ftp://x.example/', 'refused: "ftp://x.example/" is no plain http or https address'],
  ['of almost 8,000 characters', `https://x.example/${'y'.repeat(7_900)}`, null],
])('a fetch of an address %s is refused for this reason, or not at all', (_, url, message) => {
  expect(refusalOfFetch(url)).toBe(message);
});
