/** An operation of a file tool, on the path that it really reaches. Paths are compared byte for byte. */
import type { FileOperationSchema } from '../wire/file-operation.ts';
import type { Shape } from '../wire/schema-parts.ts';

/**
 * - `read`:   the content of one file
 * - `search`: names or contents of everything below a directory (list, glob, grep)
 * - `write`:  the whole content, of a new file or in place of the old
 * - `edit`:   a change of a file's content
 * - `delete`: the removal of a file; a move is a `delete` and a `write`
 */
export const FILE_VERBS = ['read', 'search', 'write', 'edit', 'delete'] as const;
export type FileVerb = (typeof FILE_VERBS)[number];

/** Whether the operation changes nothing on the disk. */
export const isReading = (verb: FileVerb): boolean => verb === 'read' || verb === 'search';

/**
 * One operation on one file. The fingerprint binds all of it.
 * @property path         resolved: absolute, every symbolic link followed, no `.`, `..`, empty part or slash at the end
 * @property askedPath    as the tool got it
 * @property digest       SHA-256 (hex) of the new content (`write`) or of the exact tool input (`edit`); null otherwise
 * @property resultDigest SHA-256 (hex) of the content after an `edit`, if that can be known before; null otherwise
 * @property bytes        size of the new content (`write`) or of the content after an `edit`; if the content after an `edit` is not
 *                        known, the size of the tool input; null for the other verbs
 * @property danger       code of a danger that only the host can know (`src/core/sensitive/dangerous-places.ts`), or
 *                        null
 */
export type FileOperation = Shape<typeof FileOperationSchema>;

/** The most operations in one request. */
export const MAX_OPERATIONS = 200;

/** Whether the path is absolute and has no part that leads elsewhere. */
export const isPlainPath = (path: string): boolean => path === '/' || (path.startsWith('/') && !NOT_PLAIN.test(path));

/** An empty part, `.`, `..`, a slash at the end, or NUL. */
const NOT_PLAIN = /\/\.{0,2}(?:\/|$)|\0/;

/** Whether the path is the directory or below it. Whole components count: `/a/bc` is not below `/a/b`. */
export const isAtOrBelow = (path: string, directory: string): boolean =>
  beginsWithDirectory(path, directory) && isPlainPath(path) && isPlainPath(directory);

/** Does the same as `isAtOrBelow` for two paths that the caller knows to be plain: compares only their texts. */
export const beginsWithDirectory = (path: string, directory: string): boolean =>
  directory === '/'
    ? path.startsWith('/')
    : path.startsWith(directory) && (path.length === directory.length || path.charCodeAt(directory.length) === 0x2f);

/** The directory that contains an absolute path. */
export const parentOf = (path: string): string => path.slice(0, path.lastIndexOf('/')) || '/';

/** All members of an operation, in fixed places; part of `canonicalRequest`. */
export const canonicalOperation = (one: FileOperation): readonly unknown[] => [
  one.verb,
  one.path,
  one.askedPath,
  one.digest,
  one.resultDigest,
  one.bytes,
  one.danger,
];

/** What is wrong with the operation; null: it has the members that its verb demands. */
export function operationFault(one: FileOperation): string | null {
  if (!isPlainPath(one.path)) return 'a path must be absolute and resolved';
  const hasContent = one.verb === 'write' || one.verb === 'edit';
  if (hasContent !== (one.digest !== null)) return `${one.verb} ${hasContent ? 'needs' : 'has no'} digest`;
  if (hasContent !== (one.bytes !== null)) return `${one.verb} ${hasContent ? 'needs' : 'has no'} byte count`;
  return one.resultDigest !== null && one.verb !== 'edit' ? `${one.verb} has no digest of a result` : null;
}
