/** Where Claude Code reads its hooks (seen in 2.1.330). `onFailure: block` closes what `|| exit 2` cannot: no shell, a time-out. */
import { join } from 'node:path';
import { guardLine, reportLine } from '../core/own-call.ts';
import {
  type HookEntry,
  type HookPlaces,
  type HookPlan,
  hookPlaceOf,
  jsonHookFile,
  plan,
  type Scope,
} from './hook-file.ts';

const GATE = 'PreToolUse';
const REPORTED = [
  ...['SessionStart', 'SessionEnd', 'UserPromptSubmit', 'PreToolUse', 'PostToolUse', 'PostToolUseFailure'],
  ...['PermissionRequest', 'Notification', 'Stop'],
];

export function planClaudeCode(places: HookPlaces): HookPlan {
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
