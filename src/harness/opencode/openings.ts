/**
 * Finds programs and code of a project that opencode or Kilo CLI would run past the gate. The places are those that opencode 1.18.33 and
 * Kilo CLI 7.7.9 were seen to read.
 */

import { join } from 'node:path';
import { foundObject, foundText, namesIn } from '../found-files.ts';
import type { HookPlaces } from '../hook-file.ts';
import { projectFolders } from '../project-servers.ts';
import { type OpencodeFamily, settingsIn } from './family.ts';
import { PLUGIN, pluginText } from './plugin.ts';

/**
 * Returns one line for each finding. With `--managed`, formatters, language servers and MCP servers that a project's settings name are
 * switched off, so they are no findings. Plugins and tools of the project are findings also with `--managed`.
 */
export function openingsOf(family: OpencodeFamily, places: HookPlaces): readonly string[] {
  const variable = (name: string): string => places.environment.get(`${family.prefix}_${name}`)?.toString('utf8') ?? '';
  const found =
    variable('PURE') === '' ? [] : [`${family.prefix}_PURE is set: it leaves the plugin out, and file tools are open`];
  for (const directory of projectFolders(places)) {
    const folders = family.projectFolders.map((folder) => join(directory, folder));
    for (const file of [directory, ...folders].flatMap((folder) => settingsIn(family, folder)))
      found.push(...namedIn(file, places.scope === 'managed').map((what) => `${file}: ${what}`));
    for (const folder of folders)
      for (const file of ['plugin', 'plugins', 'tool', 'tools'].flatMap((kind) => programsIn(join(folder, kind))))
        if (!isOurs(file, family, places))
          found.push(`${file}: code of the project that runs inside of ${family.title}`);
  }
  return found;
}

function namedIn(file: string, isManaged: boolean): readonly string[] {
  const settings = foundObject(file);
  if (settings === null) return [];
  const plugins = ['plugin', 'plugins'].some((name) => isNamed(settings[name]));
  const found = plugins ? ['names plugins, which run ungated'] : [];
  if (isManaged) return found;
  for (const [name, what] of [
    ['formatter', 'names formatters, which run after each write'],
    ['lsp', 'names language servers, which start at the first read'],
    ['mcp', 'names MCP servers, which start with the harness'],
  ] as const)
    if (isNamed(settings[name])) found.push(`${what}, ungated`);
  return found;
}

const isNamed = (value: unknown): boolean =>
  value === true || (typeof value === 'object' && value !== null && Object.keys(value).length > 0);

/** Whether this is the file that `apes hooks install --project` writes, by its name and by its text. */
const isOurs = (file: string, family: OpencodeFamily, places: HookPlaces): boolean =>
  file.endsWith(`/${PLUGIN}`) && foundText(file) === pluginText(family, { ...places, scope: 'project' });

const programsIn = (folder: string): readonly string[] =>
  namesIn(folder)
    .filter((name) => /\.[cm]?[jt]s$/.test(name))
    .map((name) => join(folder, name));
