/** Where Gemini CLI reads its hooks (seen in 0.61.0). */
import { planBashByPath } from '../bash-by-path.ts';
import { type HarnessInstallation, inSettings } from '../harness-installation.ts';
import type { HookPlaces, HookPlan } from '../hook-file.ts';

const planGemini = (places: HookPlaces): HookPlan =>
  planBashByPath(
    {
      name: 'gemini',
      gate: 'BeforeTool',
      reported: ['SessionStart', 'SessionEnd', 'BeforeAgent', 'AfterAgent', 'BeforeTool', 'AfterTool', 'Notification'],
      folder: '.gemini',
      machine: '/etc/gemini-cli/settings.json',
      advice: [`start it as \`PATH=${places.shims}:$PATH gemini\`: then commands are gated even if no hook is called`],
    },
    places,
  );

export const geminiInstallation: HarnessInstallation = {
  scopes: ['user', 'project', 'managed'],
  plan: planGemini,
  settingsFiles: inSettings('.gemini', 'settings.json'),
  gaps: [
    {
      what: 'if not even bash starts for the hook, or it is killed, or exceeds 60 s, the tool runs',
      closedBy: 'the PATH shim (for commands)',
    },
    {
      what: 'settings of a trusted project can switch hooks off',
      closedBy: 'apes hooks install gemini --managed, and the PATH shim',
    },
  ],
};
