/** Operations of file tools. The path of an operation is the path that the tool really reaches. Paths are compared byte for byte. */
import { type Fault, fault } from '../fault.ts';
import { isPlainPath } from '../text/path.ts';
import type { FileOperationSchema } from '../wire/file-operation.ts';
import type { Shape } from '../wire/schema-parts.ts';

/**
 * - `read`:   reads the content of one file
 * - `search`: reads names or contents of everything below a directory (list, glob, grep)
 * - `write`:  writes the whole content of a new or an existing file
 * - `edit`:   changes the content of a file
 * - `delete`: removes a file; a move is a `delete` and a `write`
 */
export const FILE_VERBS = ['read', 'search', 'write', 'edit', 'delete'] as const;
export type FileVerb = (typeof FILE_VERBS)[number];

/** Whether the operation changes nothing on the disk. */
export const isReading = (verb: FileVerb): boolean => verb === 'read' || verb === 'search';

/**
 * One operation on one path. All members are part of the fingerprint.
 * @property path         absolute, with links resolved, without `.`, `..`, empty parts, NUL and a slash at the end
 * @property askedPath    the path as the tool got it
 * @property digest       `write`: SHA-256 (hex) of the new content. `edit`: SHA-256 of the exact tool input. null for the other verbs
 * @property resultDigest SHA-256 (hex) of the content after an `edit`; null if that content is not known in advance, or for another verb
 * @property bytes        `write`: size of the new content. `edit`: size of the content after the edit; if that size is not known in
 *                        advance, size of the tool input. null for the other verbs
 * @property danger       code of a danger that only the host can know (`src/core/sensitive/dangerous-places.ts`); null: no such danger
 */
export type FileOperation = Shape<typeof FileOperationSchema>;

/** The most operations in one request. */
export const MAX_OPERATIONS = 200;

/** Returns all members of an operation in a fixed order, for `canonicalRequest`. */
export const canonicalOperation = (one: FileOperation): readonly unknown[] => [
  one.verb,
  one.path,
  one.askedPath,
  one.digest,
  one.resultDigest,
  one.bytes,
  one.danger,
];

/** Checks that the path is plain, and that the digests and the size fit the verb. Returns the first fault; null: there is no fault. */
export function operationFault(one: FileOperation): Fault | null {
  if (!isPlainPath(one.path)) return fault('a path must be absolute and resolved');
  const hasContent = one.verb === 'write' || one.verb === 'edit';
  if (hasContent !== (one.digest !== null)) return fault(`${one.verb} ${hasContent ? 'needs' : 'has no'} digest`);
  if (hasContent !== (one.bytes !== null)) return fault(`${one.verb} ${hasContent ? 'needs' : 'has no'} byte count`);
  return one.resultDigest !== null && one.verb !== 'edit' ? fault(`${one.verb} has no digest of a result`) : null;
}
