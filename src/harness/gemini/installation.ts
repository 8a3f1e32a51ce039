/** Installs hooks where Gemini CLI reads them (seen in 0.61.0). */
import { join } from 'node:path';
import { type BashByPath, planBashByPath } from '../bash-by-path.ts';
import { bashByPathOpenings } from '../bash-by-path-openings.ts';
import type { HarnessInstallation } from '../harness-installation.ts';
import type { HookPlaces, HookPlan } from '../hook-file.ts';
import { geminiPlaces } from './project-places.ts';

const GEMINI: BashByPath = {
  name: 'gemini',
  gate: 'BeforeTool',
  reported: ['SessionStart', 'SessionEnd', 'BeforeAgent', 'AfterAgent', 'BeforeTool', 'AfterTool', 'Notification'],
  folder: '.gemini',
  machine: '/etc/gemini-cli/settings.json',
  pins: [
    [['hooksConfig', 'enabled'], true],
    // The next three settings name commands. The empty value in the machine's settings overrides the value of a project. Gemini CLI runs
    // `discoveryCommand` and `serverCommand` when it starts, and `callCommand` for each call of a tool that `discoveryCommand` has found.
    [['tools', 'discoveryCommand'], '', 'default'],
    [['tools', 'callCommand'], '', 'default'],
    [['mcp', 'serverCommand'], '', 'default'],
  ],
  switches: ['GEMINI_CLI_SYSTEM_SETTINGS_PATH', 'GEMINI_CLI_SYSTEM_DEFAULTS_PATH'],
};

const planGemini = (places: HookPlaces): HookPlan =>
  planBashByPath(GEMINI, places, [
    `start Gemini CLI as \`PATH=${places.shims}:$PATH gemini\`: then commands are gated even if no hook is called`,
  ]);

export const geminiInstallation: HarnessInstallation = {
  scopes: ['user', 'project', 'managed'],
  plan: planGemini,
  openings: (places) => bashByPathOpenings(GEMINI, places),
  projectPlaces: geminiPlaces(GEMINI),
  settingsFiles: ({ home }) => [join(home, '.gemini/settings.json')],
  gaps: [
    {
      what: 'if the bash that runs the hook does not start or is killed, the tool runs',
      closedBy: 'the PATH shim (for commands)',
    },
    {
      what: 'settings of a trusted project can switch hooks off (hooksConfig.enabled), or add a hook after ours that replaces the input',
      closedBy: 'apes hooks install gemini --managed, and the PATH shim',
    },
    {
      what: 'a command can switch our hook off with the name of the hook in hooksConfig.disabled; reading the name and writing settings need a grant',
      closedBy: 'the PATH shim (for commands)',
    },
    {
      what: 'settings of a trusted project name commands that run when Gemini CLI starts (tools.discoveryCommand, mcp.serverCommand)',
      closedBy: 'apes hooks install gemini --managed',
    },
    { what: 'no hook sees the !{…} of a slash command', closedBy: 'the PATH shim' },
    { what: 'hooks of an extension come after ours and can replace the input', closedBy: null },
    {
      what: 'in a directory that is not trusted, Gemini CLI calls no hook: it asks a human before each tool, and runs the tool ungated',
      closedBy: 'the PATH shim (for commands)',
    },
  ],
};
