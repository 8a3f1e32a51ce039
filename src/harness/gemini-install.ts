/** Where Gemini CLI reads its hooks (seen in 0.61.0). */
import { planBashByPath } from './bash-by-path.ts';
import type { HookPlaces, HookPlan } from './hook-file.ts';

export const planGemini = (places: HookPlaces): HookPlan =>
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
