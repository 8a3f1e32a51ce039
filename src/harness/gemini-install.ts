/** Where Gemini CLI reads its hooks (seen in 0.61.0); time-outs in milliseconds. */
import { join } from 'node:path';
import { guardLine, reportLine } from '../core/own-call.ts';
import { type HookEntry, type HookPlaces, type HookPlan, jsonHookFile, plan } from './hook-file.ts';

const GATE = 'BeforeTool';
const REPORTED = ['SessionStart', 'SessionEnd', 'BeforeAgent', 'AfterAgent', 'BeforeTool', 'AfterTool', 'Notification'];

export function planGemini(places: HookPlaces): HookPlan {
  const guard = guardLine(join(places.dist, 'bin/hook-guard'), 'gemini');
  const report = reportLine(join(places.dist, 'bin/apes'), 'gemini');
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
    [`start it as \`PATH=${places.shims}:$PATH gemini\`: then commands are gated even if no hook is called`],
    places.shims,
  );
}

function fileOf(places: HookPlaces): string {
  if (places.scope === 'managed') return '/etc/gemini-cli/settings.json';
  return join(places.scope === 'project' ? places.project : places.home, '.gemini/settings.json');
}
