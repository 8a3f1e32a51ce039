/**
 * Finds the characters in a request that a person may mistake for other characters, such as a Cyrillic letter that looks like a Latin
 * letter. A text that shows the request can warn of these characters.
 */
import { lookAlikesIn } from '../text/look-alikes.ts';
import type { ExecutionRequest } from './request.ts';

/**
 * @property code the code point, such as `U+0435`
 * @property like the letter or sign that the character looks like; empty: not known
 */
interface NamedLetter {
  readonly character: string;
  readonly code: string;
  readonly like: string;
}

/** A warning names at most this number of letters, and only counts the other letters. */
const MAX_NAMED = 4;

/** @property more how many letters `named` leaves out */
interface NamedLetters {
  readonly named: readonly NamedLetter[];
  readonly more: number;
}

/**
 * Searches the command, the directory, the paths, the addresses and the call of a tool. Returns null if none of these has a look-alike.
 */
export function lookAlikesOf(request: ExecutionRequest): NamedLetters | null {
  const { text, argv, cwd, files = [], fetches = [], mcp } = request;
  const all = [text, ...argv, cwd, ...files.map(({ path }) => path), ...fetches.map(({ url }) => url)];
  const found = new Map<string, string>();
  for (const part of mcp === undefined ? all : [...all, mcp.server, mcp.tool, mcp.arguments])
    for (const { character, like } of lookAlikesIn(part)) found.set(character, like);
  if (found.size === 0) return null;
  const named = [...found]
    .slice(0, MAX_NAMED)
    .map(([character, like]) => ({ character, code: codeOf(character), like }));
  return { named, more: found.size - named.length };
}

const codeOf = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;

export const LOOK_ALIKES = 'Letters that are not what they look like:';

/** Returns the warning as one line without markup; null if `lookAlikesOf` finds nothing. */
export function lookAlikesText(request: ExecutionRequest): string | null {
  const found = lookAlikesOf(request);
  if (found === null) return null;
  const { named, more } = found;
  const letters = named.map(
    ({ character, code, like }) => `${character} is ${code}${like === '' ? '' : `, not ${like}`}`,
  );
  return `${LOOK_ALIKES} ${[...letters, ...(more > 0 ? [`and ${more} more`] : [])].join('; ')}`;
}
