/**
 * Makes the texts of our plugins, for harnesses that load JavaScript and call no hook program. `apes hooks install` writes these texts.
 * Each plugin is a single file: a harness loads every file in its plugin folder as a plugin. A plugin's source is `plugin.js` in the
 * harness's folder. The plugins run inside the harness, and use only Node's own modules (Bun has these modules too).
 *
 * If the guard gives no clear answer, `askGuard` rejects, and the tool does not run. In this case, the plugins of openclaw and pi answer
 * with a denial. The plugin that opencode and Kilo CLI share passes the error on.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { guardLine, type InstallationWords, ownOptions } from '../core/grant/own-call.ts';
import type { HookPlaces } from './hook-file.ts';
import { installationWordsFor } from './own-lines.ts';

/**
 * The folders in which the texts can be:
 * - the folder of this file
 * - `dist/harness`, seen from a bundle of the build
 * - `dist/harness`, seen from this file in `src`; needed because only the build makes some of the texts
 */
const FOLDERS = ['./', '../harness/', '../../dist/harness/'].map((folder) =>
  fileURLToPath(new URL(folder, import.meta.url)),
);

/** Matches the line `const OWN = {…};` of a plugin. `filled` puts the values of this installation into this line. */
const OWN = /^const OWN = \{.*\};$/m;
const FRAMES_IMPORT = /^import \{.*\} from '\.\.\/frames\.ts';$/m;
/** Matches the exports of a file that the build has made. */
const EXPORTS = /^export \{[^}]*\};\n/m;
const CLIENT_IMPORT = /^import \{.*\} from '\.\.\/guard-client\.js';$/m;

/** Returns the plugin that asks the guard of this installation before each tool, and reports events to the session. */
export const gatePluginText = (places: HookPlaces, harness: 'opencode' | 'openclaw' | 'kilo' | 'pi'): string =>
  fileText(`${harness === 'kilo' ? 'opencode' : harness}/plugin.js`).replace(CLIENT_IMPORT, () =>
    guardClientText(join(places.dist, 'bin/hook-guard'), places.dist, harness, installationWordsFor(places)),
  );

/**
 * Returns the source of the functions `askGuard(event)` and `report(event)`. The source contains no `export`, because opencode calls
 * everything that a plugin exports.
 * @param words the words that name this installation in the calls of our programs
 */
export const guardClientText = (guard: string, dist: string, harness: string, words: InstallationWords): string =>
  filled(fileText('guard-client.js').replaceAll(/^export /gm, ''), {
    guardLine: guardLine(guard, harness, words),
    report: [join(dist, 'bin/apes'), ...ownOptions(words), 'hooks', 'report', harness],
  });

/** Returns the plugin that takes messages of `apes send` in opencode's own window. */
export const windowPluginText = (dist: string): string =>
  filled(
    fileText('opencode/window-plugin.js').replace(FRAMES_IMPORT, () => fileText('frames.js').replace(EXPORTS, '')),
    { apes: join(dist, 'bin/apes') },
  );

/** Whether `now`, the text of a file on disk, is an old or new version of the plugin `text`. The first 30 characters decide. */
export const isOfPlugin = (now: string, text: string): boolean => now.startsWith(text.slice(0, 30));

const filled = (text: string, own: Readonly<Record<string, string | readonly string[]>>): string =>
  text.replace(OWN, () => `const OWN = ${JSON.stringify(own)};`);

/** @throws if the file is in none of the folders */
function fileText(name: string): string {
  const path = FOLDERS.map((folder) => join(folder, name)).find((each) => existsSync(each));
  if (path === undefined) throw new Error(`${name} is missing in this installation`);
  return readFileSync(path, 'utf8');
}
