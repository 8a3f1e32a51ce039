/** What opencode and Kilo CLI, which is made from it, have in common, and where they differ. */
import { join } from 'node:path';
import { type HookPlaces, hookPlaceOf } from '../hook-file.ts';

/**
 * @property folder         of the user's settings, below the configuration directory
 * @property machine        of the machine's
 * @property projectFolders in a project, and in what it lies in
 * @property settings       names of a file with settings, without the end; ours go into the first
 * @property schema         what a new file names as its schema
 * @property prefix         of its variables
 * @property hasWindow      it lets a plugin of its window take messages
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

/** It reads the names of opencode too. */
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

/** Every file of a folder that is read for settings. */
export const settingsIn = (family: OpencodeFamily, folder: string): readonly string[] =>
  family.settings.flatMap((name) => [join(folder, `${name}.json`), join(folder, `${name}.jsonc`)]);
