/**
 * A hook starts programs of the project, and so do the programs that a hook names. If git writes its own directory meanwhile, a hook
 * can write there too, and the kernel cannot keep a file from being made: a `commondir` in it names another directory of settings,
 * and the next git that is not confined runs what those name. So a command that writes there is for exact approvals if hooks are there.
 */
import type { CommandContext } from './command-context.ts';
import { writesRecord } from './git-records.ts';
import type { Resource } from './permission.ts';
import { fixedPath } from './word-meaning.ts';

export const HOOK_SENTENCE = 'Hooks are there: what they run may change which settings git reads.';

/** Whether the resource is the execution of git's hooks, and not of a program that the line names. */
export const isHooks = ({ kind, access, value, isExact }: Resource): boolean =>
  kind === 'path' && access === 'execute' && !isExact && value.endsWith('/.git/hooks');

/**
 * Returns the write of `.git/commondir` if the command runs hooks and writes `.git`. Of a command whose rule claims no hooks, those
 * count that git starts at each change of the index or of a ref.
 */
export function hookEffects(
  tool: string,
  resources: readonly Resource[],
  context: CommandContext,
): readonly Resource[] {
  const { cwd, hasHooks, resolvePath } = context;
  if (tool !== 'git' || hasHooks === undefined || !writesRecord(resources)) return [];
  if (cwd !== null && !hasHooks(resolvePath(cwd, 'target'), resources.some(isHooks) ? 'any' : 'record')) return [];
  return [{ kind: 'path', access: 'write', ...fixedPath('@repository/.git/commondir', context) }];
}
