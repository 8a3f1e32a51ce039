/**
 * Where Qwen Code reads its hooks (seen in 0.24.4). It ignores a replaced command, so its `bash` has to be ours.
 * Time-outs in milliseconds: 0.24 wants seconds and takes such a number for what it is; to 0.15 60 would be 60 ms, and it opens.
 */
import { planBashByPath } from '../bash-by-path.ts';
import { type HarnessInstallation, inSettings } from '../harness-installation.ts';
import type { HookPlaces, HookPlan } from '../hook-file.ts';

const planQwen = (places: HookPlaces): HookPlan =>
  planBashByPath(
    {
      name: 'qwen',
      gate: 'PreToolUse',
      reported: [
        ...['SessionStart', 'SessionEnd', 'UserPromptSubmit', 'PreToolUse', 'PostToolUse', 'PostToolUseFailure'],
        ...['PermissionRequest', 'Notification', 'Stop'],
      ],
      folder: '.qwen',
      machine: '/etc/qwen-code/settings.json',
      advice: [
        `start it as \`PATH=${places.shims}:$PATH qwen\`: then each command goes through ape-shell`,
        'without that the hook denies each command and names the one to call instead',
      ],
    },
    places,
  );

export const qwenInstallation: HarnessInstallation = {
  scopes: ['user', 'project', 'managed'],
  plan: planQwen,
  settingsFiles: inSettings('.qwen', 'settings.json'),
  gaps: [
    {
      what: 'it runs the original command whatever the hook puts in its place',
      closedBy: 'the PATH shim; without it, a denial',
    },
    {
      what: 'if not even bash starts for the hook, or it is killed, or exceeds 60 s, the tool runs',
      closedBy: 'the PATH shim (for commands)',
    },
    {
      what: 'settings of a trusted project can switch hooks off',
      closedBy: 'apes hooks install qwen --managed, and the PATH shim',
    },
  ],
};
