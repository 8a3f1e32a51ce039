/**
 * Claude Code keeps worktrees of a project in `.claude/worktrees/NAME`. A worktree is an ordinary checkout, although `.claude` is a
 * dangerous place. Therefore a path in a worktree is judged as if the worktree were beside `.claude`. The worktree's own `.claude`, `.git`
 * and the like stay dangerous places.
 */
const WORKTREE = /^((?:\/[^/]+)*?)\/\.claude\/worktrees(?=\/[^/])/;

/** Removes `/.claude/worktrees` in front of each worktree in the path: returns `/p/w/a.ts` for `/p/.claude/worktrees/w/a.ts`. */
export function besideWorktrees(path: string): string {
  const outer = WORKTREE.exec(path);
  return outer === null ? path : besideWorktrees(`${outer[1]}${path.slice(outer[0].length)}`);
}
