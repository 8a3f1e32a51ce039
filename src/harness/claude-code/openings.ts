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
import { hasOddLineEnds, hookPhrase, namesInHead } from '../project-examiners.ts';
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
  // `--managed` sets `disableSkillShellExecution`: Claude Code then runs no commands in the texts of skills and slash commands.
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
function textsThatRun(folder: string): readonly string[] {
  return ['skills', 'commands', 'agents'].flatMap((kind) => {
    const { paths, isWhole } = pathsBelow(join(folder, kind));
    const found = paths.filter((path) => path.endsWith('.md')).flatMap((file) => textThatRuns(file, kind));
    return isWhole ? found : [...found, notWholeLine(join(folder, kind))];
  });
}

/**
 * Returns the first part of the head that declares hooks or that is unclear. The head is YAML, which can write the key `hooks` in many ways.
 * So each member whose name is not plain counts as unclear.
 */
const perhapsHooksIn = (text: string): string | undefined =>
  hasOddLineEnds(text)
    ? 'an unknown end of a line'
    : namesInHead(text).find((name) => name === 'hooks' || !/^[A-Za-z_][\w-]*$/.test(name));

function textThatRuns(file: string, kind: string): readonly string[] {
  const text = foundText(file);
  if (text === null) return [];
  const unclear = perhapsHooksIn(text);
  if (unclear === 'hooks') return [`${file}: has hooks of its own, which run ungated`];
  if (unclear !== undefined)
    return [
      `${file}: has hooks of its own, or a head that this check cannot read: ${JSON.stringify(unclear.slice(0, 60))}`,
    ];
  return kind !== 'agents' && RUNS.test(text) ? [`${file}: runs \`!\` commands ungated while it is loaded`] : [];
}
