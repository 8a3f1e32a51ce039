/**
 * Reads the index of a git repository, gitformat-index(5) versions 2 to 4: which files git tracks, and their last known
 * state.
 */

import { createHash } from 'node:crypto';

/**
 * @property path   relative to the top of the work tree; U+FFFD replaces bytes that are not UTF-8
 * @property mode   file type and permissions, as in `st_mode`
 * @property size   in bytes, modulo 2^32
 * @property mtimeS time of the last change, in Unix seconds; `mtimeS` and `mtimeNs` are 0 if the index has no stat(2) data of the file
 * @property stage  0, or 1 to 3 in a merge conflict
 * @property isKept whether the file is marked `assume-unchanged` or `skip-worktree`: git does not check it for changes
 */
export interface IndexEntry {
  readonly path: string;
  readonly mode: number;
  readonly size: number;
  readonly mtimeS: number;
  readonly mtimeNs: number;
  readonly stage: number;
  readonly isKept: boolean;
}

/** @property mayBeStaged whether changes were possibly staged since git last wrote a tree; null if the index does not show this */
export interface GitIndex {
  readonly entries: readonly IndexEntry[];
  readonly mayBeStaged: boolean | null;
}

const HEADER = 12;
/** How many bytes of an entry come before its name, in a SHA-1 repository, if the entry has no extended flags. */
const FIXED = 62;
const LINKED_INDEX = 0x6c_69_6e_6b;
const CACHE_TREE = 0x54_52_45_45;

/** The number of bytes of the SHA-1 checksum at the end of the file. */
const CHECKSUM = 20;

/**
 * Returns null in these cases:
 * - the bytes are no index, or an index of a version other than 2 to 4
 * - the checksum at the end is wrong: the file is cut, or belongs to a SHA-256 repository
 * - the index is split
 *
 * With `index.skipHash`, git writes zeros instead of a checksum. Zeros are accepted, so a cut in such a file may remain unnoticed.
 */
export function readIndex(bytes: Buffer): GitIndex | null {
  try {
    return read(bytes);
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

function read(bytes: Buffer): GitIndex | null {
  if (bytes.toString('latin1', 0, 4) !== 'DIRC') return null;
  const version = bytes.readUInt32BE(4);
  if (version < 2 || version > 4 || !isChecked(bytes)) return null;
  const count = bytes.readUInt32BE(8);
  const entries: IndexEntry[] = [];
  let at = HEADER;
  let before = '';
  for (let number = 0; number < count; number++) {
    const flags = bytes.readUInt16BE(at + 60);
    const isExtended = (flags & 0x4000) !== 0;
    const further = isExtended ? bytes.readUInt16BE(at + FIXED) : 0;
    let nameAt = at + FIXED + (isExtended ? 2 : 0);
    let path = '';
    if (version === 4) {
      const strip = readVarint(bytes, nameAt);
      path = before.slice(0, Math.max(0, before.length - strip.value));
      nameAt = strip.next;
    }
    const end = bytes.indexOf(0, nameAt);
    if (end === -1) return null;
    // Version 4 counts the bytes to cut from the previous name. Latin-1 has one character for each byte; `entryOf` decodes UTF-8.
    path += bytes.toString('latin1', nameAt, end);
    entries.push(entryOf(bytes, at, path, flags, further));
    before = path;
    at = version === 4 ? end + 1 : at + Math.ceil((end - at + 1) / 8) * 8;
  }
  return readExtensions(bytes, at, entries);
}

function isChecked(bytes: Buffer): boolean {
  const end = bytes.length - CHECKSUM;
  const written = bytes.subarray(Math.max(0, end));
  return (
    written.every((byte) => byte === 0) || createHash('sha1').update(bytes.subarray(0, end)).digest().equals(written)
  );
}

function entryOf(bytes: Buffer, at: number, path: string, flags: number, further: number): IndexEntry {
  return {
    path: Buffer.from(path, 'latin1').toString('utf8'),
    mtimeS: bytes.readUInt32BE(at + 8),
    mtimeNs: bytes.readUInt32BE(at + 12),
    mode: bytes.readUInt32BE(at + 24),
    size: bytes.readUInt32BE(at + 36),
    stage: (flags >> 12) & 3,
    isKept: (flags & 0x8000) !== 0 || (further & 0x4000) !== 0,
  };
}

function readExtensions(bytes: Buffer, from: number, entries: readonly IndexEntry[]): GitIndex | null {
  let mayBeStaged: boolean | null = null;
  for (let at = from; at + 8 <= bytes.length - CHECKSUM; at += 8 + bytes.readUInt32BE(at + 4)) {
    const name = bytes.readUInt32BE(at);
    if (name === LINKED_INDEX) return null;
    // The extension begins with the root of the cached tree: an empty name, then its number of entries. Staging sets the number to -1.
    if (name === CACHE_TREE) mayBeStaged = bytes.toString('latin1', at + 9, at + 11) === '-1';
  }
  return { entries, mayBeStaged };
}

/** Reads a number in git's "offset encoding", as in packs: each further byte adds 1 before the shift. */
function readVarint(bytes: Buffer, from: number): { readonly value: number; readonly next: number } {
  let at = from;
  let byte = bytes.readUInt8(at++);
  let value = byte & 0x7f;
  while ((byte & 0x80) !== 0) {
    byte = bytes.readUInt8(at++);
    value = (value + 1) * 128 + (byte & 0x7f);
  }
  return { value, next: at };
}
