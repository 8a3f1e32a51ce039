/** A scope says which further file operations an approval covers, besides the request itself. Only the approver chooses the scope. */

import type { ExecutionRequest } from '../grant/request.ts';
import { forbidden, notCovering, type ScopeFault, unfit } from '../scope/unfit.ts';
import { dangerClause, dangerOf, dangerousPlace } from '../sensitive/dangerous-places.ts';
import { isAtOrBelow, isPlainPath, parentOf } from '../text/path.ts';
import type { Shape } from '../wire/schema-parts.ts';
import type { FileScopeSchema } from '../wire/scope.ts';
import { FILE_VERBS, type FileVerb, isReading } from './file-operation.ts';

/**
 * @property operations the verbs that the scope covers; at least one, each once
 * @property pathPrefix the resolved absolute path of a directory; the scope covers the directory and everything below it. `/a` does not
 *                      cover `/ab`
 */
export type FileScope = Shape<typeof FileScopeSchema>;

/** Whether the scope covers every operation of the request. No scope covers a dangerous place. */
export function isInFileScope(scope: FileScope, request: ExecutionRequest): boolean {
  const { files } = request;
  if (request.kind !== 'file' || files === undefined || files.length === 0) return false;
  return files.every(
    (one) => scope.operations.includes(one.verb) && isAtOrBelow(one.path, scope.pathPrefix) && dangerOf(one) === null,
  );
}

/** Whether a grant for the request `asked` with this scope covers the request `wanted`. False if the host or the user differs. */
export function fileScopeCovers(scope: FileScope, asked: ExecutionRequest, wanted: ExecutionRequest): boolean {
  return asked.host === wanted.host && asked.user === wanted.user && isInFileScope(scope, wanted);
}

/**
 * Returns why this scope may not be given to this request; null: the scope may be given.
 * @param isOnce whether the approval is for one use
 */
export function scopeFault(scope: FileScope, request: ExecutionRequest, isOnce: boolean): ScopeFault | null {
  if (request.kind !== 'file' || request.files === undefined)
    return unfit('a path prefix is for file operations only; approve this request exactly');
  if (isOnce) return unfit('a path prefix makes no sense for one use; choose a time, or always');
  if (scope.operations.length === 0 || new Set(scope.operations).size !== scope.operations.length)
    return unfit('name at least one operation, each once');
  if (!isPlainPath(scope.pathPrefix))
    return unfit('the path prefix must be absolute, without ., .. or a slash at the end');
  return forbiddenPlace(scope, request) ?? missedOperation(scope, request);
}

function forbiddenPlace(scope: FileScope, request: ExecutionRequest): ScopeFault | null {
  if (scope.pathPrefix === '/') return forbidden('/ is everything; choose a directory below it');
  for (const verb of scope.operations) {
    const code = dangerousPlace(scope.pathPrefix, isReading(verb));
    if (code !== null)
      return forbidden(`no prefix may cover ${quoted(scope.pathPrefix)}: it ${dangerClause(code)}; approve exactly`);
  }
  for (const one of request.files ?? []) {
    const code = dangerOf(one);
    if (code !== null)
      return forbidden(`no prefix may cover ${quoted(one.path)}: it ${dangerClause(code)}; approve exactly`);
  }
  return null;
}

function missedOperation(scope: FileScope, request: ExecutionRequest): ScopeFault | null {
  for (const one of request.files ?? []) {
    if (!scope.operations.includes(one.verb))
      return notCovering(`the scope has no ${one.verb}, which this request is about`);
    if (!isAtOrBelow(one.path, scope.pathPrefix))
      return notCovering(`${quoted(one.path)}, which this request is about, is not below ${quoted(scope.pathPrefix)}`);
  }
  return null;
}

const quoted = (path: string): string => JSON.stringify(path);

/**
 * Returns the verbs of the scopes to offer. These are:
 * - the requested verbs
 * - `read` and `search`, if a requested verb reads
 * - `write` and `edit`, if a requested verb writes, edits or deletes
 */
export function verbsToOffer(request: ExecutionRequest): readonly FileVerb[] {
  const asked = new Set((request.files ?? []).map(({ verb }) => verb));
  const offered = new Set<FileVerb>(asked);
  if ([...asked].some(isReading)) for (const verb of ['read', 'search'] as const) offered.add(verb);
  if ([...asked].some((verb) => !isReading(verb))) for (const verb of ['write', 'edit'] as const) offered.add(verb);
  return FILE_VERBS.filter((verb) => offered.has(verb));
}

/**
 * Returns the directories to offer to the approver, the narrowest first. Leaves out a directory for which no scope may be given. The list
 * can be empty. Its directories are:
 * - the deepest directory that contains all the files
 * - if that directory is in the project (`cwd`): the directory one level below `cwd` that contains all the files, and `cwd`
 */
export function prefixesToOffer(request: ExecutionRequest): readonly string[] {
  const operations = verbsToOffer(request);
  return prefixesFor(request).filter((pathPrefix) => scopeFault({ operations, pathPrefix }, request, false) === null);
}

/** Like `prefixesToOffer`, but also returns directories for which no scope may be given. */
export function prefixesFor(request: ExecutionRequest): readonly string[] {
  const together = commonDirectory(request);
  if (together === null) return [];
  const inProject = isAtOrBelow(together, request.cwd);
  const project = request.cwd === '/' ? '' : request.cwd;
  const child = together.slice(project.length + 1).split('/')[0] ?? '';
  const offered = inProject ? [together, ...(child === '' ? [] : [`${project}/${child}`]), request.cwd] : [together];
  return [...new Set(offered)];
}

/**
 * Returns the deepest directory that contains the paths of all operations; null: the request has no operations. The path of a `search` is
 * itself a directory.
 */
function commonDirectory(request: ExecutionRequest): string | null {
  const directories = (request.files ?? []).map(({ verb, path }) => (verb === 'search' ? path : parentOf(path)));
  const [first, ...rest] = directories;
  if (first === undefined) return null;
  let common = first;
  while (!rest.every((one) => isAtOrBelow(one, common))) common = parentOf(common);
  return common;
}

/** Writes the scope for people: `any write or edit below /x`. The path is not escaped. */
export function fileScopeText(scope: FileScope): string {
  const verbs = scope.operations;
  const list = verbs.length < 2 ? verbs.join('') : `${verbs.slice(0, -1).join(', ')} or ${verbs.at(-1)}`;
  return `any ${list} below ${scope.pathPrefix}`;
}
