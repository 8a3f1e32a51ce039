/**
 * Installs hooks in the hooks.json of the user, the project or the machine. By the documentation of Cursor, `failClosed` makes every
 * failure of the hook a denial. If a file names an event that Cursor does not know, Cursor silently ignores the whole file.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Failure, failure } from '../../core/failure.ts';
import { looksLikeHookLine } from '../../core/grant/own-call.ts';
import { failed, type Result } from '../../core/result.ts';
import { appendItem, removeItems, setMember, valueAt } from '../../core/text/jsonc-edit.ts';
import type { HarnessInstallation } from '../harness-installation.ts';
import {
  brokenFile,
  EMPTY_OBJECT,
  type HookFile,
  type HookPlaces,
  type HookPlan,
  plan,
  steps,
  textOr,
} from '../hook-file.ts';
import { isObject } from '../tool-call.ts';
import { CURSOR_GATE, cursorHook, EVENTS } from './entries.ts';
import { cursorPlaces } from './project-places.ts';

const KNOWN: ReadonlySet<string> = new Set([
  ...['sessionStart', 'sessionEnd', 'preToolUse', 'postToolUse', 'postToolUseFailure', 'subagentStart', 'subagentStop'],
  ...['beforeShellExecution', 'afterShellExecution', 'beforeMCPExecution', 'afterMCPExecution', 'beforeReadFile'],
  ...['afterFileEdit', 'beforeSubmitPrompt', 'preCompact', 'stop', 'afterAgentResponse', 'afterAgentThought'],
  ...['beforeTabFileRead', 'afterTabFileEdit', 'workspaceOpen'],
]);

function fileOf(places: HookPlaces): string {
  if (places.scope === 'managed') return '/etc/cursor/hooks.json';
  return join(places.scope === 'project' ? places.project : places.home, '.cursor/hooks.json');
}

const planCursor = (places: HookPlaces): HookPlan =>
  plan(
    [settings(fileOf(places), cursorHook(places))],
    [
      'the hook denies each command and names the one to call instead; we have not tried whether Cursor runs a command that a hook rewrote',
    ],
  );

const isOwn = (entry: unknown): boolean =>
  isObject(entry) && typeof entry['command'] === 'string' && looksLikeHookLine(entry['command']);

function settings(path: string, entry: object): HookFile {
  const strip = (text: string): Result<string, Failure> =>
    steps(path, text, EVENTS, (now, event) => removeItems(now, ['hooks', event], isOwn));
  return {
    path,
    strip,
    apply: (text) => {
      const clean = strip(textOr(text, EMPTY_OBJECT));
      if (!clean.ok) return clean;
      const unknown = unknownEvents(clean.value)[0];
      if (unknown !== undefined) return failed(unknownEvent(path, unknown));
      const version = valueAt(clean.value, ['version']);
      if (!version.ok) return failed(brokenFile(path, version.failure));
      const versioned =
        version.value === undefined
          ? setMember(clean.value, ['version'], 1)
          : ({ ok: true, value: clean.value } as const);
      if (!versioned.ok) return failed(brokenFile(path, versioned.failure));
      return steps(path, versioned.value, EVENTS, (now, event) => appendItem(now, ['hooks', event], entry));
    },
    lines: (text) => {
      const entries = valueAt(text, ['hooks', CURSOR_GATE]);
      if (!entries.ok || !Array.isArray(entries.value)) return [];
      return entries.value.filter(isOwn).map((each) => (each as { command: string }).command);
    },
  };
}

const unknownEvent = (path: string, event: string): Failure =>
  failure(
    'configuration',
    `${path} has the event ${event}, which Cursor does not know: Cursor then ignores the whole file, with our hook, and reports nothing`,
    'remove this event from the file, and call again; nothing was changed',
  );

function unknownEvents(text: string): readonly string[] {
  const hooks = valueAt(text, ['hooks']);
  return hooks.ok && isObject(hooks.value) ? Object.keys(hooks.value).filter((event) => !KNOWN.has(event)) : [];
}

function voidFiles(places: HookPlaces): readonly string[] {
  const path = fileOf(places);
  try {
    return unknownEvents(readFileSync(path, 'utf8')).map(
      (event) => `${path}: Cursor does not know the event ${event}, and therefore ignores the whole file`,
    );
  } catch {
    return []; // another check reports a missing file
  }
}

export const cursorInstallation: HarnessInstallation = {
  scopes: ['user', 'project', 'managed'],
  plan: planCursor,
  projectPlaces: cursorPlaces,
  settingsFiles: () => [],
  openings: voidFiles,
  gaps: [
    {
      what: 'we have not tried Cursor: only the documentation says that Cursor calls the hook before each tool and obeys it',
      closedBy: null,
    },
    {
      what: 'if hooks.json names an event that Cursor does not know, Cursor silently ignores the whole file',
      closedBy: 'apes hooks check cursor: it finds such a file',
    },
    {
      what: 'a version without failClosed runs the tool when the hook fails',
      closedBy: 'a version that documents failClosed',
    },
    {
      what: 'with third-party hooks on, Cursor also calls hooks of Claude Code: our entry for Claude Code then denies each tool of Cursor',
      closedBy: 'switch third-party hooks off in Cursor',
    },
  ],
};
