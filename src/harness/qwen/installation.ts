/**
 * Where Qwen Code reads its hooks (seen in 0.24.4). It ignores a replaced command, so its `bash` has to be ours.
 * Time-outs in milliseconds: 0.24 wants seconds and takes such a number for what it is; to 0.15 60 would be 60 ms, and it opens.
 */
import { type BashByPath, planBashByPath } from '../bash-by-path.ts';
import { bashByPathOpenings } from '../bash-by-path-openings.ts';
import { type HarnessInstallation, inSettings } from '../harness-installation.ts';
import type { HookPlaces, HookPlan } from '../hook-file.ts';

const QWEN: BashByPath = {
  name: 'qwen',
  gate: 'PreToolUse',
  reported: [
    ...['SessionStart', 'SessionEnd', 'UserPromptSubmit', 'PreToolUse', 'PostToolUse', 'PostToolUseFailure'],
    ...['PermissionRequest', 'Notification', 'Stop'],
  ],
  folder: '.qwen',
  machine: '/etc/qwen-code/settings.json',
  pins: [
    [['disableAllHooks'], false],
    // It runs a guessed next step, reads and shell commands of it too, before anybody said so, and calls no hook for that.
    [['ui', 'enableSpeculation'], false],
    // Both start it without hooks; settings of a project may set variables that are not there.
    [['env', 'QWEN_CODE_SAFE_MODE'], '0'],
    [['env', 'QWEN_CODE_SIMPLE'], '0'],
    // A command that it runs when it starts, whatever project names it.
    [['mcp', 'serverCommand'], '', 'default'],
    [['tools', 'discoveryCommand'], '', 'default'],
    [['tools', 'callCommand'], '', 'default'],
  ],
  switches: ['QWEN_CODE_SAFE_MODE', 'QWEN_CODE_SIMPLE'],
};

const planQwen = (places: HookPlaces): HookPlan =>
  planBashByPath(QWEN, places, [
    `start it as \`QWEN_CODE_SAFE_MODE=0 QWEN_CODE_SIMPLE=0 PATH=${places.shims}:$PATH qwen\`: then each command goes through ape-shell, and no .env of a project starts it without hooks`,
    'without that PATH the hook denies each command and names the one to call instead',
  ]);

export const qwenInstallation: HarnessInstallation = {
  scopes: ['user', 'project', 'managed'],
  plan: planQwen,
  openings: (places) => bashByPathOpenings(QWEN, places),
  settingsFiles: inSettings('.qwen', 'settings.json'),
  gaps: [
    {
      what: 'it runs the original command whatever the hook puts in its place',
      closedBy: 'the PATH shim; without it, a denial',
    },
    {
      what: 'if not even bash starts for the hook, or it is killed, the tool runs',
      closedBy: 'the PATH shim (for commands)',
    },
    {
      what: 'settings of a trusted project can switch hooks off (disableAllHooks)',
      closedBy: 'apes hooks install qwen --managed, and the PATH shim',
    },
    {
      what: '.qwen/.env of a trusted project can start it without hooks (QWEN_CODE_SAFE_MODE, QWEN_CODE_SIMPLE), with --managed too',
      closedBy: 'start it with both set to 0, and the PATH shim (for commands)',
    },
    {
      what: 'settings of a trusted project name a command that runs when it starts (mcp.serverCommand)',
      closedBy: 'apes hooks install qwen --managed',
    },
    { what: 'no hook sees the !{…} of a slash command', closedBy: 'the PATH shim' },
  ],
};
