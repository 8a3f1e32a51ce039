/** One file that an installation of hooks changes: what is put in, and how only that is taken out again. */
import { isDeepStrictEqual } from 'node:util';
import { type Failure, failure } from '../core/failure.ts';
import { isOwnHookLine } from '../core/grant/own-call.ts';
import { failed, type Result, success } from '../core/result.ts';
import type { JsonFault } from '../core/text/jsonc.ts';
import { appendItem, removeItems, valueAt } from '../core/text/jsonc-edit.ts';
import { isObject } from './tool-call.ts';

export type Scope = 'user' | 'project' | 'managed';

/**
 * @property apply the file's text with our entries, whatever of ours was in it; null is no file
 * @property strip the text without anything of ours; `original` is what was there before us, where that is still known
 * @property lines the commands of ours that the text makes the harness call before a tool
 * @property isWhole all that is ours is in the text as we write it, wherever it stands; without it the text has to be what
 *                 `apply` makes of it
 */
export interface HookFile {
  readonly path: string;
  readonly apply: (text: string | null) => Result<string, Failure>;
  readonly strip: (text: string, original: string | null) => Result<string, Failure>;
  readonly lines: (text: string) => readonly string[];
  readonly isWhole?: (text: string) => boolean;
  /** The file is a program that the harness loads, with this harness's way to be called. */
  readonly plugin?: 'opencode' | 'openclaw' | 'kilo' | 'pi';
}

/**
 * @property shim   the directory that gets ape-shell under the name `bash`, or null
 * @property advice what a human has to do or to know, one line each
 */
export interface HookPlan {
  readonly files: readonly HookFile[];
  readonly shim: string | null;
  readonly advice: readonly string[];
}

/**
 * @property home        the user's
 * @property project     absolute: the directory whose project settings are meant
 * @property environment of the caller: some harnesses let a variable move their settings
 * @property dist        of this package
 * @property shims       where a shim may be
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

/** The text of a file, or of one that would stand there where it is missing or blank. */
export const textOr = (text: string | null, empty: string): string =>
  text === null || text.trim() === '' ? empty : text;

/** A hook in the settings of Claude Code, Codex, Gemini CLI or Qwen Code: `hooks.EVENT[] = {hooks: [{type, command, …}]}`. */
export interface HookEntry {
  readonly event: string;
  readonly hook: { readonly type: 'command'; readonly command: string; readonly [more: string]: unknown };
}

/**
 * @param gateEvent the event before a tool
 * @param reader    `plain`: the harness takes strict JSON only, and for a file with a comment in it reads nothing at all
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
    // Hooks of the user may stand behind ours; a group of ours that is for some tools only is not ours any more.
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

/** Whether a reader that takes strict JSON only takes it. */
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
    `${path} holds comments or commas that this harness does not read: it ignores the whole file, hooks included`,
    'make it plain JSON and call again; nothing was changed',
  );

/** One edit after the other; the first fault ends it, with the place in the file as it is now on disk or nearly so. */
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
    'correct it and call again; nothing was changed',
  );

/** A group in which all hooks are ours; one with a hook of the user stays. */
const isOwnGroup = (group: unknown): boolean => {
  const hooks = hooksOf(group);
  return hooks.length > 0 && hooks.every((hook) => isOwnHookLine(commandOf(hook)));
};

const ownLines = (group: unknown): string[] => hooksOf(group).map(commandOf).filter(isOwnHookLine);
const hooksOf = (group: unknown): readonly unknown[] => {
  const hooks = isObject(group) ? group['hooks'] : null;
  return Array.isArray(hooks) ? hooks : [];
};
const commandOf = (hook: unknown): string =>
  isObject(hook) && typeof hook['command'] === 'string' ? hook['command'] : '';

/** The value of a variable, or the default where it is unset or empty. */
export function hookPlaceOf(places: HookPlaces, variable: string, fallback: string): string {
  const value = places.environment.get(variable)?.toString('utf8');
  return value === undefined || value === '' ? fallback : value;
}

export const plan = (files: readonly HookFile[], advice: readonly string[], shim: string | null = null): HookPlan => ({
  files,
  advice,
  shim,
});

/** Whether the text has all that is ours, as we would write it. */
export function hasAllOf(file: HookFile, text: string): boolean {
  const applied = file.apply(text);
  return (applied.ok && applied.value === text) || file.isWhole?.(text) === true;
}
