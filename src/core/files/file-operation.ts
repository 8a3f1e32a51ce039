/** What a file tool of an agent harness wants to do, on the path it really reaches. Paths are compared as they are: byte for byte. */
import type { FileOperationSchema } from '../wire/file-operation.ts';
import type { Shape } from '../wire/schema-parts.ts';

/**
 * - `read`:   the content of one file
 * - `search`: names or contents of everything below a directory (list, glob, grep)
 * - `write`:  the whole content, of a new file or in place of the old
 * - `edit`:   a change of what is there
 * - `delete`: the file is gone; a move is a `delete` and a `write`
 */
export const FILE_VERBS = ['read', 'search', 'write', 'edit', 'delete'] as const;
export type FileVerb = (typeof FILE_VERBS)[number];

/** Whether it leaves the disk as it is. */
export const isReading = (verb: FileVerb): boolean => verb === 'read' || verb === 'search';

/**
 * One operation on one file. All of it is bound by the fingerprint.
 * @property path         resolved: absolute, every symbolic link followed, no `.`, `..`, empty part or slash at the end
 * @property askedPath    as the tool got it
 * @property digest       SHA-256 (hex) of the new content (`write`) or of the exact tool input (`edit`); null otherwise
 * @property resultDigest SHA-256 (hex) of the content after an `edit`, where that can be known before; null otherwise
 * @property bytes        of the new content, of the content after an edit, or else of the tool input; null for the others
 * @property danger       code of a dangerous place only the host can know (`src/core/sensitive/dangerous-places.ts`), or null
 */
export type FileOperation = Shape<typeof FileOperationSchema>;

/** One request lists at most so many operations. */
export const MAX_OPERATIONS = 200;

/** Absolute, and nothing in it that would lead elsewhere when walked. */
export const isPlainPath = (path: string): boolean => path === '/' || (path.startsWith('/') && !NOT_PLAIN.test(path));

/** An empty part, `.`, `..`, a slash at the end, or NUL. */
const NOT_PLAIN = /\/\.{0,2}(?:\/|$)|\0/;

/** The directory itself or something in it: whole components count, so `/a/b` has `/a/b/c` below it and not `/a/bc`. */
export const isAtOrBelow = (path: string, directory: string): boolean =>
  beginsWithDirectory(path, directory) && isPlainPath(path) && isPlainPath(directory);

/** By the text alone, of which each path must be known to be plain; in doubt ask `isAtOrBelow`. */
export const beginsWithDirectory = (path: string, directory: string): boolean =>
  directory === '/'
    ? path.startsWith('/')
    : path.startsWith(directory) && (path.length === directory.length || path.charCodeAt(directory.length) === 0x2f);

/** Everything an operation is, in fixed places; part of `canonicalRequest`. */
export const canonicalOperation = (one: FileOperation): readonly unknown[] => [
  one.verb,
  one.path,
  one.askedPath,
  one.digest,
  one.resultDigest,
  one.bytes,
  one.danger,
];

/** Null when the operation has the shape its verb demands; otherwise what is wrong. */
export function operationFault(one: FileOperation): string | null {
  if (!isPlainPath(one.path)) return 'a path must be absolute and resolved';
  const hasContent = one.verb === 'write' || one.verb === 'edit';
  if (hasContent !== (one.digest !== null)) return `${one.verb} ${hasContent ? 'needs' : 'has no'} digest`;
  if (hasContent !== (one.bytes !== null)) return `${one.verb} ${hasContent ? 'needs' : 'has no'} byte count`;
  return one.resultDigest !== null && one.verb !== 'edit' ? `${one.verb} has no digest of a result` : null;
}
