/** Writes the profile that our C programs read; `bin/confinement.h` describes its format. */
import { type Failure, failure } from '../failure.ts';
import { failed, type Result, success } from '../result.ts';
import type { BaseEntry } from './base-profile.ts';
import type { Confinement } from './confinement.ts';

const LETTERS: Readonly<Record<BaseEntry['kind'], string>> = { read: 'R', execute: 'X', device: 'D' };

/** Our C programs refuse a longer profile. */
const MAX_BYTES = 1 << 20;

/**
 * Returns NUL-terminated strings. Fails (exit status 72) for a path that is not absolute or contains NUL, and for a profile that is too
 * long. Without these checks, a program could run with only a part of its confinement.
 * @param base   kind and path of each entry of the base profile
 * @param note   text that a session prints after a line whose status is not 0; null: the session prints nothing
 * @param pinned directories that the line must not rename, parents first. Below level 3, `pinned` and `readOnly` are left out
 */
export function encodeProfile(
  confinement: Confinement,
  base: readonly (readonly [BaseEntry['kind'], string])[],
  note: string | null = null,
  pinned: readonly string[] = [],
): Result<string, Failure> {
  const { level, read, write, execute, connect, readOnly } = confinement;
  const paths = [...read, ...write, ...execute, ...readOnly, ...pinned, ...base.map(([, path]) => path)];
  const strange = paths.find((path) => !path.startsWith('/') || path.includes('\0'));
  if (strange !== undefined) return failed(unfit(`${JSON.stringify(strange)} is not an absolute path`));
  // A path of the base profile is not listed again as `x`: the C program accepts a link such as `/bin` only in the base profile.
  const executableInBase = new Set(base.flatMap(([kind, path]) => (kind === 'execute' ? path : [])));
  const ports = connect === 'any' ? ['*'] : connect.map(String);
  const list = [
    'v1',
    `l${level}`,
    ...base.map(([kind, path]) => `${LETTERS[kind]}${path}`),
    ...read.map((path) => `r${path}`),
    ...execute.filter((path) => !executableInBase.has(path)).map((path) => `x${path}`),
    ...write.map((path) => `w${path}`),
    ...ports.map((port) => `c${port}`),
    // Below level 3, the card tells the approver that these places are not read-only.
    ...(level < 3 ? [] : [...pinned.map((path) => `p${path}`), ...readOnly.map((path) => `o${path}`)]),
    ...(note === null ? [] : [`t${note.replaceAll('\0', '')}`]),
    '.',
  ];
  const text = list.map((entry) => `${entry}\0`).join('');
  return text.length * 3 < MAX_BYTES ? success(text) : failed(unfit('it names too many places'));
}

const unfit = (why: string): Failure =>
  failure('confinement', `cannot confine it: ${why}; nothing ran`, 'ask for the exact line, which runs unconfined');
