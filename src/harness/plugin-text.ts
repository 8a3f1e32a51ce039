/**
 * Our plugins as they are written to a user's disk, for harnesses that take JavaScript in place of a hook program: `plugin.js` of
 * the harness's folder, each as one file, since a harness takes every file in its folder of plugins for a plugin. They run inside the
 * harness, so they need nothing but Node's own modules (Bun has them too), and throw for everything that is not an answer: a
 * thrown error is a denial in opencode, openclaw and pi.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { guardLine, type InstallationWords, ownOptions } from '../core/grant/own-call.ts';
import type { HookPlaces } from './hook-file.ts';
import { wordsOf } from './own-lines.ts';

/** Beside this file, or in `dist/harness` once it is bundled. */
const BESIDE = fileURLToPath(new URL('./', import.meta.url));
const BUILT = fileURLToPath(new URL('../harness/', import.meta.url));

/** Where a plugin says what is different on each host. */
const OWN = /^const OWN = \{.*\};$/m;
const CLIENT_IMPORT = /^import \{.*\} from '\.\.\/guard-client\.js';$/m;

/** The plugin that asks the guard of these places before each tool, and reports to the session what happens. */
export const gatePluginText = (places: HookPlaces, harness: 'opencode' | 'openclaw' | 'kilo' | 'pi'): string =>
  fileText(`${harness === 'kilo' ? 'opencode' : harness}/plugin.js`).replace(CLIENT_IMPORT, () =>
    guardClientText(join(places.dist, 'bin/hook-guard'), places.dist, harness, wordsOf(places)),
  );

/** The functions `ask(event)` and `report(event)`, not exported: opencode calls whatever a plugin exports. */
export const guardClientText = (guard: string, dist: string, harness: string, words: InstallationWords): string =>
  filled(fileText('guard-client.js').replaceAll(/^export /gm, ''), {
    guardLine: guardLine(guard, harness, words),
    report: [join(dist, 'bin/apes'), ...ownOptions(words), 'hooks', 'report', harness],
  });

/** The plugin for opencode's own window, which takes messages of `apes send`. */
export const windowPluginText = (dist: string): string =>
  filled(fileText('opencode/window-plugin.js'), { apes: join(dist, 'bin/apes') });

/** Whether a file on disk is this plugin, of whatever version of ours: it begins with the same words. */
export const isOfPlugin = (now: string, text: string): boolean => now.startsWith(text.slice(0, 30));

const filled = (text: string, own: Readonly<Record<string, string | readonly string[]>>): string =>
  text.replace(OWN, () => `const OWN = ${JSON.stringify(own)};`);

function fileText(name: string): string {
  const beside = join(BESIDE, name);
  return readFileSync(existsSync(beside) ? beside : join(BUILT, name), 'utf8');
}
