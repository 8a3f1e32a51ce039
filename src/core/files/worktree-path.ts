/**
 * Claude Code keeps worktrees of a project in `.claude/worktrees/NAME`. What lies in one is as any other checkout: it is judged as if
 * the worktree lay beside `.claude`. Its own `.claude`, `.git` and the like stay what they are.
 */
const WORKTREE = /^((?:\/[^/]+)*?)\/\.claude\/worktrees(?=\/[^/])/;

export function besideWorktrees(path: string): string {
  const outer = WORKTREE.exec(path);
  return outer === null ? path : besideWorktrees(`${outer[1]}${path.slice(outer[0].length)}`);
}
