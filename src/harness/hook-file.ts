/** Describes a file to which `apes hooks install` adds our entries, and how to remove only our entries again. */
import { isDeepStrictEqual } from 'node:util';
import { type Failure, failure } from '../core/failure.ts';
import { looksLikeHookLine } from '../core/grant/own-call.ts';
import { failed, type Result, success } from '../core/result.ts';
import type { JsonFault } from '../core/text/jsonc.ts';
import { appendItem, removeItems, valueAt } from '../core/text/jsonc-edit.ts';
import { isObject } from './tool-call.ts';

/** Whose settings get the entries: those of the user, of one project, or of the whole machine (`managed`). */
export type Scope = 'user' | 'project' | 'managed';

/**
 * @property apply   replaces our older entries in the text with our current entries; a text of null: there is no file
 * @property strip   returns the text without our entries; for an empty result, the caller deletes the file. `original`: the text before the
 *                   installation; null: there was no file, or the text is not known
 * @property lines   returns our commands in the text, but only those that the harness runs before a tool call
 * @property isWhole returns whether the text contains all our current entries, at any position; absent: the text has to equal the result
 *                   of `apply`
 */
export interface HookFile {
  readonly path: string;
  readonly apply: (text: string | null) => Result<string, Failure>;
  readonly strip: (text: string, original: string | null) => Result<string, Failure>;
  readonly lines: (text: string) => readonly string[];
  readonly isWhole?: (text: string) => boolean;
  /** The file is our plugin for this harness. The harness loads and runs the plugin. */
  readonly plugin?: 'opencode' | 'openclaw' | 'kilo' | 'pi';
}

/**
 * @property shim   the directory in which ape-shell gets the name `bash`; null: no such directory is needed
 * @property advice one line for each thing that a human has to do or know
 */
export interface HookPlan {
  readonly files: readonly HookFile[];
  readonly shim: string | null;
  readonly advice: readonly string[];
}

/**
 * @property home        the user's home directory
 * @property project     the absolute path of the project
 * @property environment the environment of the caller; for some harnesses, a variable names the directory of the settings
 * @property dist        the directory of this package's built files
 * @property shims       the directory for the shim
 */
export interface HookPlaces {
  readonly scope: Scope;
  readonly home: string;
  readonly project: string;
  readonly environment: ReadonlyMap<string, Buffer>;
  readonly dist: string;
  readonly shims: string;
}

export const EMPTY_OBJECT = '{}\n';

/** Returns the text of a file, or `empty` if the file is missing or blank. */
export const textOr = (text: string | null, empty: string): string =>
  text === null || text.trim() === '' ? empty : text;

/** A hook in the settings of Claude Code, Codex, Gemini CLI or Qwen Code: `hooks.EVENT[] = {hooks: [{type, command, …}]}`. */
export interface HookEntry {
  readonly event: string;
  readonly hook: { readonly type: 'command'; readonly command: string; readonly [more: string]: unknown };
}

/**
 * Describes a settings file in JSON.
 * @param gateEvent the name of the event before a tool call
 * @param reader    `plain`: the harness reads only strict JSON, and ignores a whole file that has a comment; `commented`: the harness reads
 *                  comments
 */
export function jsonHookFile(
  path: string,
  gateEvent: string,
  entries: readonly HookEntry[],
  reader: 'plain' | 'commented',
): HookFile {
  const events = [...new Set(entries.map(({ event }) => event))];
  const strip = (text: string): Result<string, Failure> =>
    steps(path, text, events, (now, event) => removeItems(now, ['hooks', event], isOwnGroup));
  return {
    path,
    strip,
    apply: (text) => {
      const clean = strip(textOr(text, EMPTY_OBJECT));
      if (!clean.ok) return clean;
      const applied = steps(path, clean.value, entries, (now, { event, hook }) =>
        appendItem(now, ['hooks', event], { hooks: [hook] }),
      );
      return applied.ok && reader === 'plain' && !isStrict(applied.value) ? failed(notStrict(path)) : applied;
    },
    lines: (text) => {
      if (reader === 'plain' && !isStrict(text)) return [];
      const groups = valueAt(text, ['hooks', gateEvent]);
      return groups.ok && Array.isArray(groups.value) ? groups.value.flatMap(ownLines) : [];
    },
    // Hooks of others can come after our hooks. A group with a matcher does not count: such a group covers only some tools.
    isWhole: (text) =>
      (reader === 'commented' || isStrict(text)) &&
      entries.every(({ event, hook }) => {
        const groups = valueAt(text, ['hooks', event]);
        return (
          groups.ok &&
          Array.isArray(groups.value) &&
          groups.value.some((group) => isDeepStrictEqual(group, { hooks: [hook] }))
        );
      }),
  };
}

/** Whether the text is strict JSON, without comments and without commas before a closing bracket. */
export function isStrict(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

export const notStrict = (path: string): Failure =>
  failure(
    'configuration',
    `${path} has comments or commas that this harness does not read: the harness ignores the whole file and all its hooks`,
    'make the file plain JSON and call again; nothing was changed',
  );

/**
 * Makes one change after another, and stops at the first fault. If earlier changes moved lines, the line and column in the failure do not
 * fit the file.
 */
export function steps<T>(
  path: string,
  text: string,
  list: readonly T[],
  change: (text: string, one: T) => Result<string, JsonFault>,
): Result<string, Failure> {
  let now = text;
  for (const one of list) {
    const changed = change(now, one);
    if (!changed.ok) return failed(brokenFile(path, changed.failure));
    now = changed.value;
  }
  return success(now);
}

export const brokenFile = (path: string, fault: JsonFault): Failure =>
  failure(
    'configuration',
    `${path}:${fault.line}:${fault.column}: ${fault.message}`,
    'correct the file and call again; nothing was changed',
  );

/** Whether all hooks of the group are ours. A group that also has a hook of others is not removed. */
const isOwnGroup = (group: unknown): boolean => {
  const hooks = hooksOf(group);
  return hooks.length > 0 && hooks.every((hook) => looksLikeHookLine(commandOf(hook)));
};

const ownLines = (group: unknown): string[] => hooksOf(group).map(commandOf).filter(looksLikeHookLine);
const hooksOf = (group: unknown): readonly unknown[] => {
  const hooks = isObject(group) ? group['hooks'] : null;
  return Array.isArray(hooks) ? hooks : [];
};
const commandOf = (hook: unknown): string =>
  isObject(hook) && typeof hook['command'] === 'string' ? hook['command'] : '';

/** Returns the value of the variable, or `fallback` if the variable is unset or empty. */
export function hookPlaceOf(places: HookPlaces, variable: string, fallback: string): string {
  const value = places.environment.get(variable)?.toString('utf8');
  return value === undefined || value === '' ? fallback : value;
}

export const plan = (files: readonly HookFile[], advice: readonly string[], shim: string | null = null): HookPlan => ({
  files,
  advice,
  shim,
});

/** Whether the text has all our entries as `apply` would write them now. */
export function hasAllEntries(file: HookFile, text: string): boolean {
  const applied = file.apply(text);
  return (applied.ok && applied.value === text) || file.isWhole?.(text) === true;
}
