/** The paths and names that differ between opencode and its fork Kilo CLI. */
import { join } from 'node:path';
import { type HookPlaces, hookPlaceOf } from '../hook-file.ts';

/**
 * @property folder         the folder of the user's settings, below the configuration directory
 * @property machine        the folder of the settings of the whole machine
 * @property projectFolders the folders of settings in a project and in each directory above the project
 * @property settings       the names of settings files, without `.json` or `.jsonc`; `apes hooks install` writes the file with the
 *                          first name
 * @property schema         the address of the schema that a new settings file names
 * @property prefix         the prefix of the harness's environment variables
 * @property hasWindow      whether a plugin in the harness's window can take messages of `apes send`
 */
export interface OpencodeFamily {
  readonly name: 'opencode' | 'kilo';
  readonly title: string;
  readonly folder: string;
  readonly machine: string;
  readonly projectFolders: readonly string[];
  readonly settings: readonly string[];
  readonly schema: string;
  readonly prefix: string;
  readonly hasWindow: boolean;
}

export const OPENCODE: OpencodeFamily = {
  name: 'opencode',
  title: 'opencode',
  folder: 'opencode',
  machine: '/etc/opencode',
  projectFolders: ['.opencode'],
  settings: ['opencode'],
  schema: 'https://opencode.ai/config.json',
  prefix: 'OPENCODE',
  hasWindow: true,
};

/** Kilo also reads files with the names of opencode. */
export const KILO: OpencodeFamily = {
  name: 'kilo',
  title: 'Kilo CLI',
  folder: 'kilo',
  machine: '/etc/kilo',
  projectFolders: ['.kilo', '.kilocode'],
  settings: ['kilo', 'opencode'],
  schema: 'https://app.kilo.ai/config.json',
  prefix: 'KILO',
  hasWindow: false,
};

export const userFolder = (family: OpencodeFamily, places: HookPlaces): string =>
  join(hookPlaceOf(places, 'XDG_CONFIG_HOME', join(places.home, '.config')), family.folder);

/** Returns the paths in `folder` at which the harness looks for settings. */
export const settingsIn = (family: OpencodeFamily, folder: string): readonly string[] =>
  family.settings.flatMap((name) => [join(folder, `${name}.json`), join(folder, `${name}.jsonc`)]);
