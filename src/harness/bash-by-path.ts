/** Installs hooks for Gemini CLI and Qwen Code. Both have the same form of hooks, and both look up `bash` in PATH. Time-outs are in ms. */

import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
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
import { isWrittenBy } from './own-hooks.ts';
import { guardLineFor, reportLineFor } from './own-lines.ts';
import { takeBackMember } from './own-member.ts';
import { isObject, type JsonObject } from './tool-call.ts';

/** A setting of the whole machine, and our value for this setting. `default`: a value of the administrator stays. */
type Pin = readonly [Path, boolean | string, 'default'?];

/**
 * @property gate     the name of the event before a tool call
 * @property reported the names of the events that show what the agent is doing
 * @property folder   the folder of the settings, in the user's home directory or in a project
 * @property machine  the path of the settings of the whole machine
 * @property pins     the settings that an installation for all users adds to the file `machine`, which no project can change
 * @property switches variables that make the harness read other settings, or start without hooks
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

/** Both harnesses run the tool when a hook times out. With a time-out of one day, both harnesses wait even for a guard that hangs. */
const DAY_MS = 86_400_000;

/**
 * Returns the plan, and writes nothing.
 * @param advice what a human has to do or know; each entry is one line
 */
export function planBashByPath(harness: BashByPath, places: HookPlaces, advice: readonly string[]): HookPlan {
  const below = places.scope === 'project' ? places.project : places.home;
  const path = places.scope === 'managed' ? harness.machine : join(below, harness.folder, 'settings.json');
  const name = nameIn(path, harness, places) ?? freshName();
  const entries: HookEntry[] = [
    { event: harness.gate, hook: { ...guardHook(harness, places), name } },
    // The guard itself reports the event before a tool call. A second entry for that event would race with the guard.
    ...harness.reported
      .filter((event) => event !== harness.gate)
      .map((event): HookEntry => ({ event, hook: reportHook(harness, places) })),
  ];
  const file = jsonHookFile(path, harness.gate, entries, 'commented');
  return plan([places.scope === 'managed' ? pinned(file, harness.pins) : file], advice, places.shims);
}

/**
 * Returns a random name. Both harnesses identify a hook by its name. In Gemini CLI, a project that knew the name could switch the hook
 * off. In both harnesses, such a project could also replace the hook: by a hook with a time-out of 1 ms, or by a hook for which the
 * harness does not wait.
 */
const freshName = (): string => `ape-shell-${randomBytes(8).toString('hex')}`;
const NAME = /^ape-shell-[0-9a-f]{16}$/;

/** Returns our hook that decides about a tool, without the member `name`. */
const guardHook = ({ name }: BashByPath, places: HookPlaces): HookEntry['hook'] => ({
  type: 'command',
  command: guardLineFor(places, name),
  timeout: DAY_MS,
});

/** Returns our hook that only reports an event. */
const reportHook = ({ name }: BashByPath, places: HookPlaces): HookEntry['hook'] => ({
  type: 'command',
  command: reportLineFor(places, name),
  timeout: 10_000,
  name: 'ape-shell-report',
});

/** Whether this is our hook for this event. */
export const isOurHook = (harness: BashByPath, places: HookPlaces, event: string, hook: JsonObject): boolean =>
  event === harness.gate
    ? isOurGuard(harness, places, hook)
    : isWrittenBy((each) => reportHook(harness, each), places, hook);

/** Whether this is our hook that decides about a tool. Accepts every name that `freshName` can make. */
export function isOurGuard(harness: BashByPath, places: HookPlaces, { name, ...hook }: JsonObject): boolean {
  return isNamed(name) && isWrittenBy((each) => guardHook(harness, each), places, hook);
}

/** Returns the name of our entry in this file; null if the file has no such entry. So a second installation writes the same text. */
function nameIn(path: string, harness: BashByPath, places: HookPlaces): string | null {
  const groups = valueAt(foundText(path) ?? '{}', ['hooks', harness.gate]);
  if (!groups.ok || !Array.isArray(groups.value)) return null;
  const hooks: unknown[] = groups.value.flatMap((group) => (isObject(group) ? group['hooks'] : []));
  const own = hooks.find((hook) => isObject(hook) && isOurGuard(harness, places, hook));
  return isObject(own) ? String(own['name']) : null;
}

const isNamed = (name: unknown): boolean => typeof name === 'string' && NAME.test(name);

/** Extends `file`: `apply` also adds the settings `pins`, and `strip` also removes these settings. */
const pinned = (file: HookFile, pins: readonly Pin[]): HookFile => ({
  ...file,
  // Adds the settings first. `file.apply` then puts the hooks at the end. Otherwise a second installation would change the order.
  apply: (text) => {
    const withPins = steps(file.path, textOr(text, EMPTY_OBJECT), pins, (now, [member, value, kind]) => {
      const there = kind === 'default' ? valueAt(now, member) : null;
      return there?.ok === true && there.value !== undefined ? success(now) : setMember(now, member, value);
    });
    return withPins.ok ? file.apply(withPins.value) : withPins;
  },
  strip: (text, original) => {
    const stripped = file.strip(text, original);
    return pins.reduce(
      (now, [member, value]) => (now.ok ? takeBackMember(file.path, now.value, member, value, original) : now),
      stripped,
    );
  },
});
