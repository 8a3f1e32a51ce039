/**
 * Finds what can get past our hooks. Searches files that Claude Code 2.1.330 reads and that are outside of a project. Finds:
 * - hooks and plugins in the settings of the machine and the user
 * - hooks in the user's skills, commands and agents
 * - the user's skills and commands that run programs while they are loaded
 */

import { join } from 'node:path';
import { foundObject, foundText, namesIn, notWholeLine, pathsBelow } from '../found-files.ts';
import { type HookPlaces, hookPlaceOf } from '../hook-file.ts';
import { isWrittenBy } from '../own-hooks.ts';
import { hookPhrase } from '../project-examiners.ts';
import { isObject, type JsonObject } from '../tool-call.ts';
import { GATE, hookAt } from './entries.ts';

const MACHINE = '/etc/claude-code';
const SETTINGS = ['settings.json', 'settings.local.json'];

/**
 * Returns the settings files with the hooks that Claude Code calls: the files of the machine, and the files of the user. With `--managed`,
 * leaves out the files of the user.
 */
export function settingsFiles(places: HookPlaces): readonly string[] {
  const dropIns = namesIn(join(MACHINE, 'managed-settings.d')).filter((name) => name.endsWith('.json'));
  const machine = [
    join(MACHINE, 'managed-settings.json'),
    ...dropIns.map((name) => join(MACHINE, 'managed-settings.d', name)),
  ];
  return places.scope === 'managed' ? machine : [...machine, ...SETTINGS.map((name) => join(userFolder(places), name))];
}

const userFolder = (places: HookPlaces): string =>
  hookPlaceOf(places, 'CLAUDE_CONFIG_DIR', join(places.home, '.claude'));

/**
 * Returns one line for each finding: the file, and then how the file lets something get past the gate. Leaves out files that cannot be read.
 */
export function findOpenings(places: HookPlaces): readonly string[] {
  const hooks = settingsFiles(places).flatMap((file) => {
    const settings = foundObject(file);
    return settings === null ? [] : hooksIn(settings, places).map((what) => `${file}: ${what}`);
  });
  // With `--managed`, Claude Code does not run the commands in the texts of skills and slash commands.
  return places.scope === 'managed' ? hooks : [...hooks, ...textsThatRun(userFolder(places))];
}

function hooksIn(settings: JsonObject, places: HookPlaces): readonly string[] {
  const events = settings['hooks'];
  const found = Object.entries(isObject(events) ? events : {}).flatMap(([event, groups]) =>
    hookPhrase(event, GATE, groups, (hook) => isWrittenBy((each) => hookAt(event, each), places, hook)),
  );
  const plugins = settings['enabledPlugins'];
  const enabled = isObject(plugins) ? Object.keys(plugins).filter((name) => plugins[name] !== false) : [];
  if (enabled.length > 0) found.push(`plugins can bring hooks and skills that run ungated: ${enabled.join(', ')}`);
  return found;
}

/**
 * Matches `!` in front of a text in backquotes, or a block that begins with three backquotes and `!`. Claude Code runs the quoted commands
 * when it loads the text.
 */
const RUNS = /!`[^`]+`|^[ \t]*```!/m;
/**
 * Matches a skill or an agent whose head may declare hooks. The head is YAML. YAML can write the key `hooks` in many ways: in quotes, with
 * blanks before the colon, in a flow mapping, with escapes or by an alias.
 */
const HAS_HOOKS =
  /^\ufeff?---[^\n]*\n(?:(?!---)[^\n]*\n)*?(?:(?!---)[^\n]*\bhooks["']?[ \t]*:|[ \t]*[?*{]|[ \t]*"[^"\n]*\\)/;

function textsThatRun(folder: string): readonly string[] {
  return ['skills', 'commands', 'agents'].flatMap((kind) => {
    const { paths, isWhole } = pathsBelow(join(folder, kind));
    const found = paths.filter((path) => path.endsWith('.md')).flatMap((file) => textThatRuns(file, kind));
    return isWhole ? found : [...found, notWholeLine(join(folder, kind))];
  });
}

function textThatRuns(file: string, kind: string): readonly string[] {
  const text = foundText(file);
  if (text === null) return [];
  if (HAS_HOOKS.test(text)) return [`${file}: has hooks of its own, which run ungated`];
  return kind !== 'agents' && RUNS.test(text) ? [`${file}: runs \`!\` commands ungated while it is loaded`] : [];
}
