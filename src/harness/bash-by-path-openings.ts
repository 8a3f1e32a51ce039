/** Searches the files of the user and the machine for settings that let a call of Gemini CLI or Qwen Code get past our hooks. */

import { join } from 'node:path';
import { type BashByPath, isOurGuard } from './bash-by-path.ts';
import { foundObject, foundText, notWholeLine, pathsBelow } from './found-files.ts';
import type { HookPlaces } from './hook-file.ts';
import { likenessOf, othersIn } from './own-hooks.ts';
import { doesSteer, namesInEnvironmentText } from './steering-variables.ts';
import { isObject } from './tool-call.ts';

/** Returns one line for each finding: the file, and how the file lets a call get past the hooks. Does not read the files of projects. */
export function bashByPathOpenings(harness: BashByPath, places: HookPlaces): readonly string[] {
  const folder = join(places.home, harness.folder);
  return [
    ...(places.scope === 'managed' ? unpinned(harness) : []),
    ...inSettings(join(folder, 'settings.json'), harness, places),
    ...[join(places.home, '.env'), join(folder, '.env')].flatMap((file) => inEnvironmentFile(file, harness)),
    ...commandsWithShell(join(folder, 'commands')),
  ];
}

/**
 * Returns one line for each pinned setting that is missing in the machine's settings or has a wrong value there. Without the pinned
 * settings, a project could switch hooks off, or name commands that the harness runs.
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

const inEnvironmentFile = (file: string, harness: BashByPath): string[] =>
  namesInEnvironmentText(foundText(file) ?? '')
    .filter((name) => doesSteer(name) || harness.switches.includes(name))
    .map((name) => `${file}: sets ${name}`);

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
