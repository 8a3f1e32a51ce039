/**
 * Installs hooks where Qwen Code reads them (seen in 0.24.4). A hook cannot replace the command: Qwen Code runs the original command. So
 * the `bash` that runs this command has to be ours. Time-outs are written in milliseconds: version 0.15 reads `60` as 60 ms, and would run
 * the tool after this time. Version 0.24 expects seconds, but reads large numbers as milliseconds.
 */
import { join } from 'node:path';
import { type BashByPath, planBashByPath } from '../bash-by-path.ts';
import { bashByPathOpenings } from '../bash-by-path-openings.ts';
import type { HarnessInstallation } from '../harness-installation.ts';
import type { HookPlaces, HookPlan } from '../hook-file.ts';
import { qwenPlaces } from './project-places.ts';

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
    // With this setting on, Qwen Code guesses the next step, and runs the step before the user or the model asks for it. The step can be a
    // shell command. Qwen Code calls no hook for this command.
    [['ui', 'enableSpeculation'], false],
    // Each of these two variables starts Qwen Code without hooks, and a project's settings can set a variable that is not set yet.
    [['env', 'QWEN_CODE_SAFE_MODE'], '0'],
    [['env', 'QWEN_CODE_SIMPLE'], '0'],
    // A project could name these commands. Qwen Code was seen to run `serverCommand` when it starts.
    [['mcp', 'serverCommand'], '', 'default'],
    [['tools', 'discoveryCommand'], '', 'default'],
    [['tools', 'callCommand'], '', 'default'],
  ],
  switches: ['QWEN_CODE_SAFE_MODE', 'QWEN_CODE_SIMPLE'],
};

const planQwen = (places: HookPlaces): HookPlan =>
  planBashByPath(QWEN, places, [
    `start Qwen Code as \`QWEN_CODE_SAFE_MODE=0 QWEN_CODE_SIMPLE=0 PATH=${places.shims}:$PATH qwen\`: then each command goes through ape-shell, and no .env of a project starts Qwen Code without hooks`,
    'without that PATH the hook denies each command and names the command to call instead',
  ]);

export const qwenInstallation: HarnessInstallation = {
  scopes: ['user', 'project', 'managed'],
  plan: planQwen,
  openings: (places) => bashByPathOpenings(QWEN, places),
  projectPlaces: qwenPlaces(QWEN),
  settingsFiles: ({ home }) => [join(home, '.qwen/settings.json')],
  gaps: [
    {
      what: 'Qwen Code runs the original command, even if the hook puts another command in its place',
      closedBy: 'the PATH shim; without it, a denial',
    },
    {
      what: 'if the bash that runs the hook does not start or is killed, the tool runs',
      closedBy: 'the PATH shim (for commands)',
    },
    {
      what: 'settings of a trusted project can switch hooks off (disableAllHooks)',
      closedBy: 'apes hooks install qwen --managed, and the PATH shim',
    },
    {
      what: '.qwen/.env of a trusted project can start Qwen Code without hooks (QWEN_CODE_SAFE_MODE, QWEN_CODE_SIMPLE), with --managed too',
      closedBy: 'both variables set to 0 at the start of Qwen Code, and the PATH shim (for commands)',
    },
    {
      what: 'settings of a trusted project name a command that runs when Qwen Code starts (mcp.serverCommand)',
      closedBy: 'apes hooks install qwen --managed',
    },
    { what: 'no hook sees the !{…} of a slash command', closedBy: 'the PATH shim' },
  ],
};
