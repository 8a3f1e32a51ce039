/** The plugin that gates the tools of opencode and Kilo CLI: where it is, and its text. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { HookPlaces } from '../hook-file.ts';
import { gatePluginText } from '../plugin-text.ts';
import { type OpencodeFamily, settingsIn } from './family.ts';

/** The path of the plugin below the folder of the settings. */
export const PLUGIN = 'plugin/ape-shell.js';

/** Returns the `file:` URL of the plugin that all users of the machine run. */
export const machinePlugin = (family: OpencodeFamily): string => pathToFileURL(join(family.machine, PLUGIN)).href;

export const pluginText = (family: OpencodeFamily, places: HookPlaces): string =>
  gatePluginText(places, family.name).replace(PLACE, () => placeLine(family, places));

const PLACE = /^const PLACE = .*$/m;

/** Returns the line `const PLACE` of the plugin. Paths of user settings are relative: all users run the same machine plugin. */
function placeLine(family: OpencodeFamily, places: HookPlaces): string {
  const place = {
    isManaged: places.scope === 'managed',
    shell: join(places.dist, 'bin/ape-shell'),
    prefix: family.prefix,
    machine: settingsIn(family, family.machine),
    machinePlugin: machinePlugin(family),
    user: [...settingsIn(family, family.folder), join(family.folder, 'config.json')],
    project: family.projectFolders,
  };
  return `const PLACE = ${JSON.stringify(place)};`;
}
