/** Where Claude Code reads its hooks (seen in 2.1.330). `onFailure: block` closes what `|| exit 2` cannot: no shell, a time-out. */
import { join } from 'node:path';
import { guardLine, reportLine } from '../../core/own-call.ts';
import { type HarnessInstallation, inSettings } from '../harness-installation.ts';
import {
  type HookEntry,
  type HookPlaces,
  type HookPlan,
  hookPlaceOf,
  jsonHookFile,
  plan,
  type Scope,
} from '../hook-file.ts';

const GATE = 'PreToolUse';
const REPORTED = [
  ...['SessionStart', 'SessionEnd', 'UserPromptSubmit', 'PreToolUse', 'PostToolUse', 'PostToolUseFailure'],
  ...['PermissionRequest', 'Notification', 'Stop'],
];

function planClaudeCode(places: HookPlaces): HookPlan {
  const guard = guardLine(join(places.dist, 'bin/hook-guard'), 'claude-code');
  const report = reportLine(join(places.dist, 'bin/apes'), 'claude-code');
  const entries: HookEntry[] = [
    { event: GATE, hook: { type: 'command', command: guard, timeout: 60, onFailure: 'block' } },
    ...REPORTED.map((event): HookEntry => ({ event, hook: { type: 'command', command: report, timeout: 10 } })),
  ];
  return plan([jsonHookFile(fileOf(places), GATE, entries, 'plain')], ADVICE[places.scope]);
}

function fileOf(places: HookPlaces): string {
  if (places.scope === 'managed') return '/etc/claude-code/managed-settings.json';
  if (places.scope === 'project') return join(places.project, '.claude/settings.json');
  return join(hookPlaceOf(places, 'CLAUDE_CONFIG_DIR', join(places.home, '.claude')), 'settings.json');
}

const ADVICE: Readonly<Record<Scope, readonly string[]>> = {
  managed: [],
  user: ['`disableAllHooks` in a project switches this off: as root, `apes hooks install claude-code --managed`'],
  project: ['whoever can write this project switches it off: as root, `apes hooks install claude-code --managed`'],
};

export const claudeCodeInstallation: HarnessInstallation = {
  scopes: ['user', 'project', 'managed'],
  plan: planClaudeCode,
  settingsFiles: inSettings('.claude', 'settings.local.json', 'settings.json'),
  gaps: [
    {
      what: '`disableAllHooks` and `env` in the settings of a project switch hooks of the user off, or lead them to another installation',
      closedBy: 'apes hooks install claude-code --managed',
    },
    {
      what: 'if not even /bin/sh starts, or it is killed, 2.1.197 runs the tool; 2.1.330 blocks it (onFailure: block)',
      closedBy: 'a version that knows onFailure',
    },
    {
      what: 'a skill or slash command may run `!` commands while it is loaded (not tried)',
      closedBy: 'look at them first',
    },
  ],
};
