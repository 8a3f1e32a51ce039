/**
 * Installs hooks where Kimi Code reads them (seen in 2.1.0): in `[[hooks]]` of the user's config.toml. The keys are event, command, matcher
 * and timeout (seconds). If one entry has an unknown key or event, Kimi Code ignores all hooks and prints a warning.
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Failure, failure } from '../../core/failure.ts';
import { type Fault, fault } from '../../core/fault.ts';
import { looksLikeHookLine } from '../../core/grant/own-call.ts';
import { withBlock, withoutBlock } from '../../core/text/marked-block.ts';
import { loadTomlReader, type ReadToml } from '../../platform/toml.ts';
import type { HarnessInstallation } from '../harness-installation.ts';
import { type HookFile, type HookPlaces, type HookPlan, hookPlaceOf, plan } from '../hook-file.ts';
import { guardLineFor, reportLineFor } from '../own-lines.ts';
import { tomlBlockFile } from '../toml-block-file.ts';
import { isObject, type JsonObject } from '../tool-call.ts';
import { kimiPlaces } from './project-places.ts';

const GATE = 'PreToolUse';
const REPORTED = [
  ...['SessionStart', 'SessionEnd', 'UserPromptSubmit', 'PostToolUse', 'PostToolUseFailure'],
  ...['PermissionRequest', 'PermissionResult', 'Stop', 'StopFailure', 'Interrupt'],
];
/** The events that Kimi Code 2.1.0 knows. */
const EVENTS: ReadonlySet<unknown> = new Set([
  GATE,
  ...REPORTED,
  ...['UserPromptQueued', 'TurnStarted', 'SessionHeartbeat', 'SubagentStart', 'SubagentStop', 'TaskStarted'],
  ...['PreCompact', 'PostCompact', 'Notification'],
]);
const KEYS: ReadonlySet<string> = new Set(['event', 'matcher', 'command', 'timeout']);

const fileOf = (places: HookPlaces): string =>
  join(hookPlaceOf(places, 'KIMI_CODE_HOME', join(places.home, '.kimi-code')), 'config.toml');

function planKimi(places: HookPlaces, readToml: ReadToml): HookPlan {
  return plan(
    [settings(fileOf(places), entriesFor(places), readToml)],
    [
      'the hook denies each command and names the command to call instead: Kimi Code runs /bin/bash, and ignores a new input from a hook',
    ],
  );
}

/** The longest time-out of a hook that Kimi Code accepts. After the time-out, Kimi Code runs the tool. */
const MAX_SECONDS = 600;

function entriesFor(places: HookPlaces): string {
  const entry = (event: string, command: string, timeout: number): string =>
    `[[hooks]]\nevent = "${event}"\ncommand = ${JSON.stringify(command)}\ntimeout = ${timeout}\n`;
  const report = reportLineFor(places, 'kimi');
  return [
    entry(GATE, guardLineFor(places, 'kimi'), MAX_SECONDS),
    ...REPORTED.map((event) => entry(event, report, 10)),
  ].join('\n');
}

const BLOCK = 'hooks';

function settings(path: string, entries: string, readToml: ReadToml): HookFile {
  const without = (text: string): string => withoutOwnTables(withoutBlock(text, BLOCK), readToml);
  const withOurs = (clean: string): string => withBlock(clean, BLOCK, entries, 'end');
  return {
    ...tomlBlockFile({ path, without, withOurs, clash: ownHooks(path) }, readToml),
    lines: (text) => {
      const read = readToml(text);
      return read.ok
        ? hooksIn(read.value)
            .filter(isGateEntry)
            .map(({ command }) => String(command))
            .filter(looksLikeHookLine)
        : [];
    },
    // Only the entries are compared: Kimi Code drops our marks when it rewrites its settings.
    isWhole: (text) => {
      const read = readToml(text);
      const wanted = readToml(entries);
      if (!read.ok || !wanted.ok) return false;
      const there = hooksIn(read.value).map(memberText);
      return hooksIn(wanted.value).every((entry) => there.includes(memberText(entry)));
    },
  };
}

const memberText = (entry: JsonObject): string =>
  JSON.stringify(Object.entries(entry).sort(([a], [b]) => (a < b ? -1 : 1)));

const ownHooks = (path: string): Failure =>
  failure(
    'configuration',
    `${path} has hooks = […] of its own; TOML does not allow [[hooks]] in the same file`,
    'write these hooks as [[hooks]] tables and call again; nothing was changed',
  );

const hooksIn = (settings: JsonObject): readonly JsonObject[] => {
  const { hooks } = settings;
  return Array.isArray(hooks) ? hooks.filter(isObject) : [];
};

/** Whether Kimi Code calls this hook before every tool. */
const isGateEntry = ({ event, matcher }: JsonObject): boolean => event === GATE && (matcher ?? '') === '';

const TABLE = /^\s*\[/;

/**
 * Returns the text without our tables. Finds each of our tables by its command, because our marks are comments and may be missing: when a
 * person changes a setting, Kimi Code writes the file again without comments. A table that is not TOML by itself stays.
 */
function withoutOwnTables(text: string, readToml: ReadToml): string {
  const pieces: string[] = [];
  for (const line of text.split(/(?<=\n)/)) {
    if (TABLE.test(line) || pieces.length === 0) pieces.push(line);
    else pieces.push((pieces.pop() ?? '') + line);
  }
  return pieces.map((piece) => (isOwnTable(piece, readToml) ? remarksAtEnd(piece) : piece)).join('');
}

/** Returns the comments at the end of a table, which belong to the next table. Returns an empty text if there is no comment. */
function remarksAtEnd(piece: string): string {
  const lines = piece.split(/(?<=\n)/);
  const end = lines.slice(lines.findLastIndex((line) => !/^\s*(?:#|$)/.test(line)) + 1).join('');
  return end.includes('#') ? end.replace(/^\s*\n/, '') : '';
}

function isOwnTable(piece: string, readToml: ReadToml): boolean {
  if (!/^\s*\[\[hooks\]\]/.test(piece)) return false;
  const read = readToml(piece);
  const [hook] = read.ok ? hooksIn(read.value) : [];
  return typeof hook?.['command'] === 'string' && looksLikeHookLine(hook['command']);
}

/** Returns one line for each hook whose fault makes Kimi Code ignore all hooks. If the file is not TOML, returns only a line about this. */
function voidHooks(places: HookPlaces, readToml: ReadToml): readonly string[] {
  const path = fileOf(places);
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    return []; // another check reports a missing file
  }
  const read = readToml(text);
  if (!read.ok) return [`${path}: this file is not TOML, so Kimi Code ignores the file and all its hooks`];
  return hooksIn(read.value).flatMap((hook, at) => {
    const wrong = faultOf(hook);
    return wrong === null ? [] : [`${path}: hook ${at + 1}: ${wrong.message}, so Kimi Code 2.1.0 ignores all hooks`];
  });
}

function faultOf(hook: JsonObject): Fault | null {
  const other = Object.keys(hook).find((key) => !KEYS.has(key));
  if (other !== undefined) return fault(`the key ${other} is not known`);
  if (!EVENTS.has(hook['event'])) return fault(`the event ${JSON.stringify(hook['event'])} is not known`);
  if (typeof hook['command'] !== 'string' || hook['command'] === '') return fault('it has no command');
  if (!['string', 'undefined'].includes(typeof hook['matcher'])) return fault('its matcher is not a text');
  const timeout = hook['timeout'] ?? 30;
  const isWhole = typeof timeout === 'bigint' || Number.isInteger(timeout);
  return isWhole && Number(timeout) >= 1 && Number(timeout) <= MAX_SECONDS
    ? null
    : fault(`its timeout is not from 1 to ${MAX_SECONDS}`);
}

export const kimiInstallation: HarnessInstallation = {
  scopes: ['user'],
  plan: async (places) => planKimi(places, await loadTomlReader()),
  projectPlaces: kimiPlaces,
  settingsFiles: () => [],
  openings: async (places) => voidHooks(places, await loadTomlReader()),
  gaps: [
    {
      what: 'one [[hooks]] entry with a key or an event that this version does not know makes Kimi Code ignore all hooks, with a warning',
      closedBy: 'apes hooks check kimi finds this entry',
    },
    {
      what: 'the tool runs if the sh of the hook does not start or is killed, or if this sh and our program `deadline` are suspended for 600 s',
      closedBy: null,
    },
    { what: 'another KIMI_CODE_HOME has other settings, without our hooks', closedBy: null },
  ],
};
