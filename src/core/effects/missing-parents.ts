/** `mkdir -p a/b/c` makes `a` and `a/b` too, where they are not there: the approver must see them, and the kernel let them be made. */
import type { CommandContext } from './command-context.ts';
import type { Resource } from './permission.ts';
import type { OptionUse } from './read-arguments.ts';

/** Those that are missing now. None where the host cannot look: the launcher then refuses to start a confined line. */
export function missingParents(
  tool: string,
  uses: readonly OptionUse[],
  resources: readonly Resource[],
  context: CommandContext,
): readonly Resource[] {
  if (tool !== 'mkdir' || !uses.some(({ rule }) => rule.canonical === '--parents')) return [];
  const missing = new Set<string>();
  for (const { kind, access, value, isExact } of resources) {
    if (kind !== 'path' || access !== 'write' || !isExact) continue;
    for (let at = parentOf(value); !missing.has(at) && isMissing(at, context); at = parentOf(at)) missing.add(at);
  }
  return [...missing].map((value) => ({ kind: 'path', access: 'write', value, isExact: true }));
}

function isMissing(path: string, { matchesOf }: CommandContext): boolean {
  if (path === '/') return false;
  const name = path.slice(path.lastIndexOf('/') + 1);
  return matchesOf?.(parentOf(path), [[{ kind: 'text', value: name }]])?.length === 0;
}

const parentOf = (path: string): string => path.slice(0, path.lastIndexOf('/')) || '/';
