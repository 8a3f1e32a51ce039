/**
 * Finds what can get past our hooks or switch them off, in the places that Claude Code 2.1.330 reads: settings and hooks of the machine, the
 * user and the project, and skills and commands whose text runs programs.
 */

import { dirname, join } from 'node:path';
import { foundObject, foundText, namesIn, notWholeLine, pathsBelow } from '../found-files.ts';
import { type HookPlaces, hookPlaceOf } from '../hook-file.ts';
import { isWrittenBy, likenessOf, othersIn } from '../own-hooks.ts';
import { projectFolders, serversOfProject } from '../project-servers.ts';
import { isObject, type JsonObject } from '../tool-call.ts';
import { GATE, hookAt } from './entries.ts';

const MACHINE = '/etc/claude-code';
const SETTINGS = ['settings.json', 'settings.local.json'];

/**
 * Returns the settings files whose hooks Claude Code calls; some may not exist. With `--managed` these are only the files of the machine.
 */
export function settingsFiles(places: HookPlaces): readonly string[] {
  const dropIns = namesIn(join(MACHINE, 'managed-settings.d')).filter((name) => name.endsWith('.json'));
  const machine = [
    join(MACHINE, 'managed-settings.json'),
    ...dropIns.map((name) => join(MACHINE, 'managed-settings.d', name)),
  ];
  if (places.scope === 'managed') return machine;
  return [...machine, ...folders(places).flatMap((folder) => SETTINGS.map((name) => join(folder, name)))];
}

/** Returns the folders `.claude` of the user, of the project, and of each directory above it, where Claude Code looks for skills too. */
function folders(places: HookPlaces): readonly string[] {
  const user = hookPlaceOf(places, 'CLAUDE_CONFIG_DIR', join(places.home, '.claude'));
  const found = [user];
  for (let at = places.project; ; at = dirname(at)) {
    found.push(join(at, '.claude'));
    if (at === dirname(at)) return [...new Set(found)];
  }
}

/**
 * Returns one line for each finding: the file, and then how the file lets something get past the gate. Leaves out files that cannot be read.
 */
export function findOpenings(places: HookPlaces): readonly string[] {
  const hooks = settingsFiles(places).flatMap((file) => {
    const settings = foundObject(file);
    return settings === null ? [] : hooksIn(settings, places).map((what) => `${file}: ${what}`);
  });
  const started = [...serversOfProject(places, '.mcp.json'), ...programsOfProject(places)];
  // With `--managed`, Claude Code does not run the commands in the texts of skills and slash commands.
  return places.scope === 'managed'
    ? [...hooks, ...started]
    : [...hooks, ...started, ...folders(places).flatMap(textsThatRun)];
}

/** Settings that name a command which Claude Code starts by itself. Claude Code reads these settings in a project's files too. */
const PROGRAMS = [
  ...[
    'apiKeyHelper',
    'awsAuthRefresh',
    'awsCredentialExport',
    'gcpAuthRefresh',
    'otelHeadersHelper',
    'proxyAuthHelper',
  ],
  ...['statusLine', 'subagentStatusLine', 'fileSuggestion'],
];

const programsOfProject = (places: HookPlaces): readonly string[] =>
  projectFolders(places)
    .flatMap((folder) => SETTINGS.map((name) => join(folder, '.claude', name)))
    .flatMap((file) => {
      const settings = foundObject(file);
      const named = PROGRAMS.filter((name) => (settings?.[name] ?? null) !== null);
      return named.length === 0 ? [] : [`${file}: names programs that start ungated: ${named.join(', ')}`];
    });

function hooksIn(settings: JsonObject, places: HookPlaces): readonly string[] {
  const found: string[] = [];
  const events = settings['hooks'];
  for (const [event, groups] of Object.entries(isObject(events) ? events : {})) {
    const others = othersIn(groups, (hook) => isWrittenBy((each) => hookAt(event, each), places, hook));
    const [first] = others;
    if (first === undefined) continue;
    const does = event === GATE ? 'can change a command after the gate has seen it, and runs ungated' : 'runs ungated';
    const more = others.length > 1 ? ` (and ${others.length - 1} more)` : '';
    found.push(`another ${event} hook ${does}: ${shown(calledBy(first))}${more}${likenessOf(others)}`);
  }
  const plugins = settings['enabledPlugins'];
  const enabled = isObject(plugins) ? Object.keys(plugins).filter((name) => plugins[name] !== false) : [];
  if (enabled.length > 0) found.push(`plugins can bring hooks and skills that run ungated: ${enabled.join(', ')}`);
  return found;
}

/** Returns the command of the hook. For a hook that has no command, returns its address, or else its type. */
const calledBy = (hook: JsonObject): string => String(hook['command'] ?? hook['url'] ?? hook['type'] ?? '?');

const shown = (command: string): string => JSON.stringify(command.length > 60 ? `${command.slice(0, 60)}…` : command);

/**
 * Matches `!` in front of a text in backquotes, or a block that begins with three backquotes and `!`. Claude Code runs the quoted commands when
 * it loads the text.
 */
const RUNS = /!`[^`]+`|^[ \t]*```!/m;
/** Matches a skill or an agent whose head declares hooks. */
const HAS_HOOKS = /^---\r?\n(?:(?!---)[^\n]*\n)*?hooks:/;

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
