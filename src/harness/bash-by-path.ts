/** What Gemini CLI and Qwen Code share: the form of a hook, and a `bash` that they look up in PATH. Time-outs in ms. */

import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { isOwnHookLine } from '../core/grant/own-call.ts';
import { success } from '../core/result.ts';
import { type Path, setMember, valueAt } from '../core/text/jsonc-edit.ts';
import { foundText } from './found-files.ts';
import {
  EMPTY_OBJECT,
  type HookEntry,
  type HookFile,
  type HookPlaces,
  type HookPlan,
  jsonHookFile,
  plan,
  steps,
  textOr,
} from './hook-file.ts';
import { guardLineFor, reportLineFor } from './own-lines.ts';
import { takeBackMember } from './own-member.ts';
import { isObject } from './tool-call.ts';

/**
 * A setting, and its value in the machine's settings. `default`: only if the administrator has set no value of their
 * own.
 */
type Pin = readonly [Path, boolean | string, 'default'?];

/**
 * @property gate     the event before a tool
 * @property reported events that tell what the agent is doing
 * @property folder   of the settings of a user or a project
 * @property machine  the settings of the whole machine
 * @property pins     what we set in the settings of the whole machine, where no project can change it
 * @property switches variables that make the harness read other settings, or start it without hooks
 */
export interface BashByPath {
  readonly name: 'gemini' | 'qwen';
  readonly gate: string;
  readonly reported: readonly string[];
  readonly folder: string;
  readonly machine: string;
  readonly pins: readonly Pin[];
  readonly switches: readonly string[];
}

/** Both run the tool when a hook's time is over. With a day they wait even for a guard that hangs. */
const DAY_MS = 86_400_000;

export function planBashByPath(harness: BashByPath, places: HookPlaces, advice: readonly string[]): HookPlan {
  const below = places.scope === 'project' ? places.project : places.home;
  const path = places.scope === 'managed' ? harness.machine : join(below, harness.folder, 'settings.json');
  const guard = guardLineFor(places, harness.name);
  const report = reportLineFor(places, harness.name);
  const name = nameIn(path, harness.gate) ?? freshName();
  const entries: HookEntry[] = [
    { event: harness.gate, hook: { type: 'command', command: guard, timeout: DAY_MS, name } },
    // Without the event before a tool: the guard reports it, since two entries there would race.
    ...harness.reported
      .filter((event) => event !== harness.gate)
      .map(
        (event): HookEntry => ({
          event,
          hook: { type: 'command', command: report, timeout: 10_000, name: 'ape-shell-report' },
        }),
      ),
  ];
  const file = jsonHookFile(path, harness.gate, entries, 'commented');
  return plan([places.scope === 'managed' ? pinned(file, harness.pins) : file], advice, places.shims);
}

/**
 * Returns a random name, which only a reader of the settings knows. Both harnesses know a hook by its name. A project that knew
 * the name could switch the hook off (Gemini CLI), or replace it by one with the same name and command that ends after 1 ms or
 * is not waited for (both).
 */
const freshName = (): string => `ape-shell-${randomBytes(8).toString('hex')}`;
const NAME = /^ape-shell-[0-9a-f]{16}$/;

/** Returns the name of our entry in this file, so that installing again writes the same text; null if there is no entry. */
function nameIn(path: string, event: string): string | null {
  const groups = valueAt(foundText(path) ?? '{}', ['hooks', event]);
  if (!groups.ok || !Array.isArray(groups.value)) return null;
  const hooks: unknown[] = groups.value.flatMap((group) => (isObject(group) ? group['hooks'] : []));
  const own = hooks.find((hook) => isObject(hook) && isOwnHookLine(String(hook['command'])) && isNamed(hook['name']));
  return isObject(own) ? String(own['name']) : null;
}

const isNamed = (name: unknown): boolean => typeof name === 'string' && NAME.test(name);

/** Returns the same file with these settings added. */
const pinned = (file: HookFile, pins: readonly Pin[]): HookFile => ({
  ...file,
  // The settings come before the hooks, which go to the end each time: so installing again writes the same text.
  apply: (text) => {
    const held = steps(file.path, textOr(text, EMPTY_OBJECT), pins, (now, [member, value, kind]) => {
      const there = kind === 'default' ? valueAt(now, member) : null;
      return there?.ok === true && there.value !== undefined ? success(now) : setMember(now, member, value);
    });
    return held.ok ? file.apply(held.value) : held;
  },
  strip: (text, original) => {
    const stripped = file.strip(text, original);
    return pins.reduce(
      (now, [member, value]) => (now.ok ? takeBackMember(file.path, now.value, member, value, original) : now),
      stripped,
    );
  },
});
