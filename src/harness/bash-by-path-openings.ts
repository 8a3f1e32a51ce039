/** Finds what lets a call get past our hooks for Gemini CLI and Qwen Code, in files of the project, the user and the machine. */

import { join } from 'node:path';
import { PLACE_VARIABLES } from '../platform/paths.ts';
import { type BashByPath, isOurGuard } from './bash-by-path.ts';
import { foundObject, foundText, notWholeLine, pathsBelow } from './found-files.ts';
import type { HookPlaces } from './hook-file.ts';
import { likenessOf, othersIn } from './own-hooks.ts';
import { serversOfProject } from './project-servers.ts';
import { isObject } from './tool-call.ts';

/**
 * Variables that decide which ape-shell programs or which shell start, or what these load. Both harnesses read variables from a project's
 * files.
 */
const STEERING: ReadonlySet<string> = new Set([...PLACE_VARIABLES, 'SHELL', 'BASH_ENV', 'LD_PRELOAD', 'NODE_OPTIONS']);

/** Returns one line for each finding: the file, and how the file lets a call get past the hooks. */
export function bashByPathOpenings(harness: BashByPath, places: HookPlaces): readonly string[] {
  const folders = [places.project, places.home].map((place) => join(place, harness.folder));
  const environmentFiles = [join(places.project, '.env'), ...folders.map((folder) => join(folder, '.env'))];
  return [
    ...(places.scope === 'managed' ? unpinned(harness) : []),
    ...folders.flatMap((folder) => inSettings(join(folder, 'settings.json'), harness, places)),
    ...environmentFiles.flatMap((file) => inEnvironmentFile(file, harness)),
    ...folders.flatMap((folder) => commandsWithShell(join(folder, 'commands'))),
    ...(places.scope === 'managed' ? [] : commandsAtStart(join(places.project, harness.folder, 'settings.json'))),
    ...serversOfProject(places, `${harness.folder}/settings.json`),
  ];
}

/**
 * Returns one line for each pinned setting that the machine's settings lack or change. Without these settings, a project could switch hooks
 * off, or name commands that run.
 */
function unpinned({ machine, pins }: BashByPath): string[] {
  const settings = foundObject(machine) ?? {};
  const settingAt = (path: readonly string[]): unknown =>
    path.reduce<unknown>((value, name) => (isObject(value) ? value[name] : undefined), settings);
  return pins
    .filter(([path, value, kind]) =>
      kind === 'default' ? typeof settingAt(path) !== 'string' : settingAt(path) !== value,
    )
    .map(([path, value]) => `${machine}: ${path.join('.')} is not ${JSON.stringify(value)}; a project can change it`);
}

function inSettings(file: string, harness: BashByPath, places: HookPlaces): string[] {
  const settings = foundObject(file);
  if (settings === null) return [];
  const variables = isObject(settings['env']) ? Object.keys(settings['env']) : [];
  const { hooks } = settings;
  const others = othersIn(isObject(hooks) ? hooks[harness.gate] : null, (hook) => isOurGuard(harness, places, hook));
  return [
    ...others.map(
      (hook) =>
        `${file}: another hook before tools, ${shown(String(hook['name'] ?? hook['command'] ?? hook['type']))}: it can replace the input of a call, and its input can win over ours${likenessOf([hook])}`,
    ),
    ...variables.filter((name) => harness.switches.includes(name)).map((name) => `${file}: env sets ${name}`),
  ];
}

/** Settings whose value is a command that the harness runs when it starts. */
const AT_START = [
  ['tools', 'discoveryCommand'],
  ['tools', 'callCommand'],
  ['mcp', 'serverCommand'],
] as const;

function commandsAtStart(file: string): string[] {
  const settings = foundObject(file) ?? {};
  return AT_START.filter(([outer, name]) => {
    const inner = settings[outer];
    return isObject(inner) && typeof inner[name] === 'string' && inner[name] !== '';
  }).map(([outer, name]) => `${file}: ${outer}.${name} names a command that runs ungated`);
}

const ASSIGNED = /^\s*(?:export\s+)?([A-Za-z_]\w*)\s*[=:]/;

function inEnvironmentFile(file: string, harness: BashByPath): string[] {
  const names = (foundText(file) ?? '').split('\n').map((line) => ASSIGNED.exec(line)?.[1] ?? '');
  return names
    .filter((name) => STEERING.has(name) || harness.switches.includes(name))
    .map((name) => `${file}: sets ${name}`);
}

/** Finds slash commands with `!{COMMAND}`. COMMAND runs without a hook when a human or `-p` calls the slash command. */
function commandsWithShell(folder: string): string[] {
  const { paths, isWhole } = pathsBelow(folder);
  return [
    ...paths
      .filter((file) => /\.(toml|md)$/.test(file) && foundText(file)?.includes('!{') === true)
      .map((file) => `${file}: it runs !{…} without the hook; only the PATH shim gates that`),
    ...(isWhole ? [] : [notWholeLine(folder)]),
  ];
}

const shown = (text: string): string => JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
