/** Finds the rule files in a directory of the user's configuration, such as `rules.d` and `mcp.d`. */
import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Failure, failure } from '../core/failure.ts';
import { failed, type Result, success } from '../core/result.ts';
import { checkPrivate, errorCode } from './private-files.ts';

/**
 * Returns the paths of the `*.toml` files, in the order of their names. None if there is no such directory. Fails (78) if the directory is
 * not private or cannot be read. Also fails if `directory` is a link, even a dangling one: the user's rules must not be ignored in silence.
 */
export function ownRuleFiles(directory: string): Result<readonly string[], Failure> {
  try {
    if (lstatSync(directory, { throwIfNoEntry: false }) === undefined) return success([]);
    const wide = checkPrivate(directory, 'directory');
    if (wide !== null) return failed(wide);
    const names = readdirSync(directory).filter((name) => name.endsWith('.toml'));
    return success(names.sort().map((name) => join(directory, name)));
  } catch (error) {
    return failed(failure('configuration', `cannot read the rules in ${directory} (${errorCode(error)})`));
  }
}
