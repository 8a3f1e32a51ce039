/** What `apes health` says about the hooks of agent harnesses: which files hold them, and whether they are as they were written. */
import { join } from 'node:path';
import { recordedFiles } from '../../harness/put-hooks.ts';
import type { Installation } from '../../platform/installation.ts';
import { ok, type Told, warn } from './check.ts';

export function hooks({ paths }: Installation): Told {
  const files = recordedFiles(join(paths.state, 'hooks'));
  if (files.length === 0) return ok('none (apes hooks install HARNESS gates an agent that does not honour $SHELL)');
  const altered = files.filter(({ isAsWritten }) => !isAsWritten).map(({ path }) => path);
  if (altered.length > 0)
    return warn(`changed since they were written: ${altered.join(', ')}`, 'apes hooks check HARNESS');
  return ok(`in ${files.map(({ path }) => path).join(', ')}`);
}
