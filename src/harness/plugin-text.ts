/**
 * The texts of our plugins as `apes hooks install` writes them, for harnesses that load JavaScript and call no hook program.
 * Each is one file, made from `plugin.js` of the harness's folder, since a harness loads every file in its folder of plugins as
 * a plugin. They run inside the harness, so they use only Node's own modules (Bun has them too). Without a clear answer of the
 * guard they throw: opencode, openclaw and pi then deny the tool.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { guardLine, type InstallationWords, ownOptions } from '../core/grant/own-call.ts';
import type { HookPlaces } from './hook-file.ts';
import { wordsOf } from './own-lines.ts';

/** The folder of the plugins: that of this file, or `dist/harness` once it is bundled. */
const BESIDE = fileURLToPath(new URL('./', import.meta.url));
const BUILT = fileURLToPath(new URL('../harness/', import.meta.url));

/** The line of a plugin with what differs from host to host. */
const OWN = /^const OWN = \{.*\};$/m;
const CLIENT_IMPORT = /^import \{.*\} from '\.\.\/guard-client\.js';$/m;

/** The plugin that asks the guard of this installation before each tool, and reports events to the session. */
export const gatePluginText = (places: HookPlaces, harness: 'opencode' | 'openclaw' | 'kilo' | 'pi'): string =>
  fileText(`${harness === 'kilo' ? 'opencode' : harness}/plugin.js`).replace(CLIENT_IMPORT, () =>
    guardClientText(join(places.dist, 'bin/hook-guard'), places.dist, harness, wordsOf(places)),
  );

/** The functions `askGuard(event)` and `report(event)`, without `export`: opencode calls whatever a plugin exports. */
export const guardClientText = (guard: string, dist: string, harness: string, words: InstallationWords): string =>
  filled(fileText('guard-client.js').replaceAll(/^export /gm, ''), {
    guardLine: guardLine(guard, harness, words),
    report: [join(dist, 'bin/apes'), ...ownOptions(words), 'hooks', 'report', harness],
  });

/** The plugin for opencode's own window, which takes messages of `apes send`. */
export const windowPluginText = (dist: string): string =>
  filled(fileText('opencode/window-plugin.js'), { apes: join(dist, 'bin/apes') });

/** Whether a file on disk is this plugin, in any version: its first 30 characters are the same. */
export const isOfPlugin = (now: string, text: string): boolean => now.startsWith(text.slice(0, 30));

const filled = (text: string, own: Readonly<Record<string, string | readonly string[]>>): string =>
  text.replace(OWN, () => `const OWN = ${JSON.stringify(own)};`);

function fileText(name: string): string {
  const beside = join(BESIDE, name);
  return readFileSync(existsSync(beside) ? beside : join(BUILT, name), 'utf8');
}
