/**
 * A harness keeps the output of its own tools in files, and the agent reads these files in a later call. Such a read needs no grant if no
 * other user can write the file. If another user can write the file, the read follows the usual rules.
 */
import type { Stats } from 'node:fs';
import { dirname } from 'node:path';
import type { FileOperation } from '../core/files/file-operation.ts';
import { statsOf } from '../platform/stats-of.ts';

/**
 * @property directory  absolute; contains only files of the agent's session
 * @property ownedFrom  a directory above `directory`. No other user may be able to write in `ownedFrom`, or in a directory
 *                      between `ownedFrom` and the file
 */
export interface OwnOutput {
  readonly directory: string;
  readonly ownedFrom: string;
}

const PLAIN_NAME = /^[A-Za-z0-9_-]+(?:\.[A-Za-z0-9]+)?$/;
const WRITABLE_BY_OTHERS = 0o022;

/**
 * Whether the operation reads an output file that no other user can write. All of this must be true:
 * - The file is directly in the `directory` of one of the outputs, and has a plain name (`PLAIN_NAME`).
 * - No part of the path is a symbolic link, and the file has no other hard link.
 * - The file and the directories from `ownedFrom` down belong to this user, and no other user can write to them.
 */
export function isOwnOutput(operation: FileOperation, outputs: readonly OwnOutput[]): boolean {
  const { verb, path, askedPath } = operation;
  // The real path differs from the asked path if the asked path contains a link or `..`.
  if (verb !== 'read' || askedPath !== path) return false;
  const folder = dirname(path);
  const output = outputs.find(({ directory }) => directory === folder);
  if (output === undefined || !PLAIN_NAME.test(path.slice(folder.length + 1))) return false;
  const file = statsOf(path);
  // A file with two hard links can also be in another directory.
  return file?.isFile() === true && file.nlink === 1 && isOursAlone(file) && areOursAlone(folder, output.ownedFrom);
}

function areOursAlone(directory: string, from: string): boolean {
  for (let at = directory; ; at = dirname(at)) {
    const found = statsOf(at);
    if (found === null || !found.isDirectory() || !isOursAlone(found)) return false;
    if (at === from) return true;
    if (at === dirname(at)) return false;
  }
}

const isOursAlone = ({ uid, mode }: Stats): boolean => uid === process.getuid?.() && (mode & WRITABLE_BY_OTHERS) === 0;
