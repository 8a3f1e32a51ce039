/** What Gemini CLI and Qwen Code share: the form of a hook, and a `bash` that they look up in PATH. Time-outs in ms. */
import { join } from 'node:path';
import { type HookEntry, type HookPlaces, type HookPlan, jsonHookFile, plan } from './hook-file.ts';
import { guardLineFor, reportLineFor } from './own-lines.ts';

/**
 * @property gate     the event before a tool
 * @property reported events that tell what the agent is doing
 * @property folder   of the settings of a user or a project
 * @property machine  the settings of the whole machine
 */
export interface BashByPath {
  readonly name: 'gemini' | 'qwen';
  readonly gate: string;
  readonly reported: readonly string[];
  readonly folder: string;
  readonly machine: string;
  readonly advice: readonly string[];
}

export function planBashByPath(harness: BashByPath, places: HookPlaces): HookPlan {
  const guard = guardLineFor(places, harness.name);
  const report = reportLineFor(places, harness.name);
  const entries: HookEntry[] = [
    { event: harness.gate, hook: { type: 'command', command: guard, timeout: 60_000, name: 'ape-shell' } },
    // The guard reports the event before a tool: two entries race there.
    ...harness.reported
      .filter((event) => event !== harness.gate)
      .map(
        (event): HookEntry => ({
          event,
          hook: { type: 'command', command: report, timeout: 10_000, name: 'ape-shell-report' },
        }),
      ),
  ];
  const below = places.scope === 'project' ? places.project : places.home;
  const file = places.scope === 'managed' ? harness.machine : join(below, harness.folder, 'settings.json');
  return plan([jsonHookFile(file, harness.gate, entries, 'commented')], [...harness.advice], places.shims);
}
