/**
 * Installs hooks in the files where Claude Code looks for hooks (seen in 2.1.330). The guard line ends with `exit 2`: if the guard fails,
 * Claude Code denies the tool call. If no shell starts, or if the hook takes too long, `onFailure: block` denies the call.
 */
import { join } from 'node:path';
import type { Gap, HarnessInstallation } from '../harness-installation.ts';
import {
  type HookEntry,
  type HookPlaces,
  type HookPlan,
  hookPlaceOf,
  jsonHookFile,
  plan,
  type Scope,
} from '../hook-file.ts';
import { GATE, hookAt } from './entries.ts';
import { withManagedMembers } from './managed-settings.ts';
import { findOpenings, settingsFiles } from './openings.ts';
import { claudeCodePlaces } from './project-places.ts';

/**
 * The events that our hooks report and do not gate. PreToolUse is not in the list: the guard itself reports PreToolUse. With a second entry
 * for PreToolUse, versions up to 2.1.96 ran commands ungated.
 */
const REPORTED = [
  ...['SessionStart', 'SessionEnd', 'UserPromptSubmit', 'PostToolUse', 'PostToolUseFailure'],
  ...['PermissionRequest', 'Notification', 'Stop'],
];

function planClaudeCode(places: HookPlaces): HookPlan {
  const entries = [GATE, ...REPORTED].map((event): HookEntry => ({ event, hook: hookAt(event, places) }));
  const file = jsonHookFile(fileOf(places), GATE, entries, 'plain');
  return plan([places.scope === 'managed' ? withManagedMembers(file) : file], ADVICE[places.scope]);
}

function fileOf(places: HookPlaces): string {
  if (places.scope === 'managed') return '/etc/claude-code/managed-settings.json';
  if (places.scope === 'project') return join(places.project, '.claude/settings.json');
  return join(hookPlaceOf(places, 'CLAUDE_CONFIG_DIR', join(places.home, '.claude')), 'settings.json');
}

const MANAGED = 'apes hooks install claude-code --managed';
const SWITCHES = 'settings, skills and other hooks of a project can bypass this gate or switch it off';

const ADVICE: Readonly<Record<Scope, readonly string[]>> = {
  managed: [
    'the managed settings also switch off: hooks of users, projects and plugins; `!` commands of skills; variables of a project that could make Claude Code start other programs',
  ],
  user: [`${SWITCHES}; to prevent this, run as root: \`${MANAGED}\``],
  project: [
    `every process that can write this project can switch this gate off, and ${SWITCHES}; to prevent this, run as root: \`${MANAGED}\``,
  ],
};

const GAPS: readonly Gap[] = [
  {
    what: 'hooks of the user are left out by `disableAllHooks` in the settings of a project, and by the options `--settings`, `--setting-sources` and `--bare`',
    closedBy: MANAGED,
  },
  {
    what: 'another PreToolUse hook that changes the input takes the place of ours; every other hook of a project runs its commands ungated',
    closedBy: MANAGED,
  },
  {
    what: '`env` in the settings of a project reaches the shells and the git that Claude Code starts by itself (LD_PRELOAD, BASH_ENV, CLAUDE_CODE_SHELL_PREFIX, PATH, …); `env` cannot make our hooks use another installation of ape-shell',
    closedBy: `${MANAGED}; but not for HOME, XDG_CONFIG_HOME, and the variables GIT_* that the managed settings do not set: with these, git reads other settings, which may name programs`,
  },
  {
    what: 'a skill or slash command runs its `!` commands while it is loaded, also when the model loads it',
    closedBy: `${MANAGED} (disableSkillShellExecution)`,
  },
  { what: 'a `!` command that a human types runs ungated', closedBy: null },
  {
    what: 'EnterWorktree, and an agent with a worktree of its own, let Claude Code make a branch and a directory in .claude/worktrees ungated',
    closedBy: null,
  },
  {
    what: '`apiKeyHelper`, `statusLine` and the like of a project, and the MCP servers of its `.mcp.json`, are programs that Claude Code starts by itself; `claude -p` does not ask first',
    closedBy: null,
  },
  {
    what: 'if /bin/sh does not start or is killed, 2.1.197 runs the tool, and 2.1.330 blocks the tool (onFailure: block)',
    closedBy: 'a version that knows onFailure',
  },
];

export const claudeCodeInstallation: HarnessInstallation = {
  scopes: ['user', 'project', 'managed'],
  plan: planClaudeCode,
  projectPlaces: claudeCodePlaces,
  settingsFiles,
  openings: findOpenings,
  gaps: GAPS,
};
