/** Makes the scope of an approval from `--below DIR`. */
import { type Failure, failure } from '../../core/failure.ts';
import { type FileScope, scopeFault, verbsToOffer } from '../../core/files/file-scope.ts';
import type { Term } from '../../core/grant/grant.ts';
import { failed, type Result, success } from '../../core/result.ts';
import type { GrantView } from '../../core/wire/grant-view.ts';
import { resolvePath } from '../../gate/facts/resolve-path.ts';
import { currentDirectory, currentHost } from '../../platform/surroundings.ts';

/**
 * Makes a scope below `directory`, with the verbs of `verbsToOffer`. On the host of the request, resolves symbolic links in `directory`:
 * the paths of the request are resolved, too. On another host, only removes slashes at the end. Fails if the path cannot be resolved. Fails
 * with `usage` (exit status 64) if the request must not get this scope. The server checks the scope again.
 */
export function scopeBelow(directory: string, grant: GrantView, term: Term): Result<FileScope, Failure> {
  const place = absolutePlace(directory, grant.request.host === currentHost());
  if (!place.ok) return place;
  const scope = { operations: verbsToOffer(grant.request), pathPrefix: place.value };
  const fault = scopeFault(scope, grant.request, term.kind === 'once');
  return fault === null
    ? success(scope)
    : failed(
        failure(
          'usage',
          `--below ${directory}: ${fault.message}`,
          `see the request: apes grants show ${grant.id}`,
          `scope.${fault.code}`,
        ),
      );
}

function absolutePlace(directory: string, isHere: boolean): Result<string, Failure> {
  if (!isHere) return success(directory.replace(/(?<=.)\/+$/, ''));
  const cwd = currentDirectory();
  if (!cwd.ok) return cwd;
  const real = resolvePath(directory, cwd.value);
  return real.ok ? success(real.value.path) : real;
}
