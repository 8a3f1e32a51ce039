/**
 * Where Qwen Code reads its hooks (seen in 0.24.4). It ignores a replaced command, so its `bash` has to be ours.
 * Time-outs in milliseconds: 0.24 wants seconds and takes such a number for what it is; to 0.15 60 would be 60 ms, and it opens.
 */
import { join } from 'node:path';
import { guardLine, reportLine } from '../core/own-call.ts';
import { type HookEntry, type HookPlaces, type HookPlan, jsonHookFile, plan } from './hook-file.ts';

const GATE = 'PreToolUse';
const REPORTED = [
  ...['SessionStart', 'SessionEnd', 'UserPromptSubmit', 'PreToolUse', 'PostToolUse', 'PostToolUseFailure'],
  ...['PermissionRequest', 'Notification', 'Stop'],
];

export function planQwen(places: HookPlaces): HookPlan {
  const guard = guardLine(join(places.dist, 'bin/hook-guard'), 'qwen');
  const report = reportLine(join(places.dist, 'bin/apes'), 'qwen');
  const entries: HookEntry[] = [
    { event: GATE, hook: { type: 'command', command: guard, timeout: 60_000, name: 'ape-shell' } },
    ...REPORTED.map(
      (event): HookEntry => ({
        event,
        hook: { type: 'command', command: report, timeout: 10_000, name: 'ape-shell-report' },
      }),
    ),
  ];
  return plan(
    [jsonHookFile(fileOf(places), GATE, entries, 'commented')],
    [
      `start it as \`PATH=${places.shims}:$PATH qwen\`: then each command goes through ape-shell`,
      'without that the hook denies each command and names the one to call instead',
    ],
    places.shims,
  );
}

function fileOf(places: HookPlaces): string {
  if (places.scope === 'managed') return '/etc/qwen-code/settings.json';
  return join(places.scope === 'project' ? places.project : places.home, '.qwen/settings.json');
}
