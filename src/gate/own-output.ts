/**
 * Files in which a harness keeps what its own tools printed, for the agent to read in a later call. Read without a grant only where
 * nothing but the harness can have put the content there: anything else is asked for like every file outside the project.
 */
import { lstatSync, type Stats } from 'node:fs';
import { dirname } from 'node:path';
import type { FileOperation } from '../core/files/file-operation.ts';

/**
 * @property directory  absolute: of the agent's session alone
 * @property ownedFrom  the directory above it; no other user may write there or below
 */
export interface OwnOutput {
  readonly directory: string;
  readonly ownedFrom: string;
}

const PLAIN_NAME = /^[A-Za-z0-9_-]+(?:\.[A-Za-z0-9]+)?$/;
const WRITABLE_BY_OTHERS = 0o022;

/** Whether this reads one file of such a directory, by its own name and no link. */
export function isOwnOutput(operation: FileOperation, outputs: readonly OwnOutput[]): boolean {
  const { verb, path, askedPath } = operation;
  // A path that is not what was asked went through a link or `..`.
  if (verb !== 'read' || askedPath !== path) return false;
  const folder = dirname(path);
  const output = outputs.find(({ directory }) => directory === folder);
  if (output === undefined || !PLAIN_NAME.test(path.slice(folder.length + 1))) return false;
  const file = statOf(path);
  // A second name would be a file from elsewhere.
  return file?.isFile() === true && file.nlink === 1 && isOursAlone(file) && areOursAlone(folder, output.ownedFrom);
}

function areOursAlone(directory: string, from: string): boolean {
  for (let at = directory; ; at = dirname(at)) {
    const found = statOf(at);
    if (found === null || !found.isDirectory() || !isOursAlone(found)) return false;
    if (at === from) return true;
    if (at === dirname(at)) return false;
  }
}

const isOursAlone = ({ uid, mode }: Stats): boolean => uid === process.getuid?.() && (mode & WRITABLE_BY_OTHERS) === 0;

function statOf(path: string): Stats | null {
  try {
    return lstatSync(path);
  } catch {
    return null;
  }
}
