/**
 * Installs the gate for opencode (seen in 1.18.33) and Kilo CLI (seen in 7.7.9). The setting `shell` makes ape-shell the shell. A plugin
 * gates the file tools. The plugin also replaces each command by `ape-shell -c …`, so that commands are gated even if another shell is set.
 * If both the plugin and the shell gate a command, ape-shell asks only once. A second plugin, for opencode's window (its terminal
 * interface), takes messages of `apes send`.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { success } from '../../core/result.ts';
import { appendItem, removeItems, setMember } from '../../core/text/jsonc-edit.ts';
import type { Gap, HarnessInstallation } from '../harness-installation.ts';
import { type HookFile, type HookPlaces, type HookPlan, plan, steps, textOr } from '../hook-file.ts';
import { guardLineFor } from '../own-lines.ts';
import { takeBackMember } from '../own-member.ts';
import { isOfPlugin, windowPluginText } from '../plugin-text.ts';
import { OPENCODE, type OpencodeFamily, userFolder } from './family.ts';
import { openingsOf } from './openings.ts';
import { machinePlugin, PLUGIN, pluginText } from './plugin.ts';
import { familyPlaces } from './project-places.ts';

export function planFamily(family: OpencodeFamily, places: HookPlaces): HookPlan {
  const folder = folderOf(family, places);
  const gate = [
    settings(family, existing(folder, family.settings[0] ?? ''), membersOf(family, places)),
    plugin(family, join(folder, PLUGIN), places),
  ];
  const window = join(folder, 'ape-shell-window.js');
  return plan(
    // We have not tried whether the window reads the machine's settings. Without the window's plugin, messages are typed as keys.
    places.scope === 'managed' || !family.hasWindow
      ? gate
      : [...gate, windowSettings(existing(folder, 'tui'), window), windowPlugin(window, places.dist)],
    places.scope === 'managed'
      ? [
          'formatters, language servers and MCP servers of projects are switched off; a project with plugins or tools of its own is denied every tool',
        ]
      : [
          `formatters, servers and plugins of a project run ungated; to stop them, call as root: \`apes hooks install ${family.name} --managed\``,
        ],
  );
}

function folderOf(family: OpencodeFamily, places: HookPlaces): string {
  if (places.scope === 'managed') return family.machine;
  if (places.scope === 'project') return join(places.project, family.projectFolders[0] ?? '');
  return userFolder(family, places);
}

/** Returns the path of the settings file with this name: with `.jsonc` if that file exists, else with `.json`. */
const existing = (folder: string, name: string): string => {
  const commented = join(folder, `${name}.jsonc`);
  return existsSync(commented) ? commented : join(folder, `${name}.json`);
};

/**
 * The settings that we write. opencode reads the machine's settings after a project's settings. So the machine's settings can switch off
 * programs that the project names. opencode does not search the machine's folder for plugins. So the machine's settings name the plugin.
 * @property set    pairs of name and value
 * @property plugin null: the settings do not name the plugin
 */
interface Members {
  readonly set: readonly (readonly [string, unknown])[];
  readonly plugin: string | null;
}

function membersOf(family: OpencodeFamily, places: HookPlaces): Members {
  const shell = ['shell', join(places.dist, 'bin/ape-shell')] as const;
  if (places.scope !== 'managed') return { set: [shell], plugin: null };
  return { set: [shell, ['formatter', false], ['lsp', false]], plugin: machinePlugin(family) };
}

function settings(family: OpencodeFamily, path: string, { set, plugin: named }: Members): HookFile {
  const withoutPlugin = (text: string) =>
    steps(path, text, named === null ? [] : [named], (now, own) =>
      removeItems(now, ['plugin'], (item) => item === own),
    );
  return {
    path,
    apply: (text) => {
      const empty = `{\n  "$schema": ${JSON.stringify(family.schema)}\n}\n`;
      const clean = withoutPlugin(textOr(text, empty));
      if (!clean.ok) return clean;
      const changed = steps(path, clean.value, set, (now, [name, value]) => setMember(now, [name], value));
      if (!changed.ok || named === null) return changed;
      return steps(path, changed.value, [named], (now, own) => appendItem(now, ['plugin'], own));
    },
    strip: (text, original) => {
      let clean = withoutPlugin(text);
      for (const [name, value] of set) if (clean.ok) clean = takeBackMember(path, clean.value, [name], value, original);
      return clean;
    },
    lines: () => [],
  };
}

const EMPTY_WINDOW = '{\n  "$schema": "https://opencode.ai/tui.json"\n}\n';

function windowSettings(path: string, plugin: string): HookFile {
  const strip = (text: string) =>
    steps(path, text, [plugin], (now, own) => removeItems(now, ['plugin'], (item) => item === own));
  return {
    path,
    strip,
    apply: (text) => {
      const clean = strip(textOr(text, EMPTY_WINDOW));
      return clean.ok ? steps(path, clean.value, [plugin], (now, own) => appendItem(now, ['plugin'], own)) : clean;
    },
    lines: () => [],
  };
}

function windowPlugin(path: string, dist: string): HookFile {
  const text = windowPluginText(dist);
  return {
    path,
    apply: () => success(text),
    strip: (now) => success(isOfPlugin(now, text) ? '' : now),
    lines: () => [],
  };
}

function plugin(family: OpencodeFamily, path: string, places: HookPlaces): HookFile {
  const text = pluginText(family, places);
  return {
    path,
    apply: () => success(text),
    strip: (now) => success(isOfPlugin(now, text) ? '' : now),
    lines: (now) => (now === text ? [guardLineFor(places, family.name)] : []),
    plugin: family.name,
  };
}

/** Returns the ways past the gate that stay open in opencode and in Kilo CLI. */
export const familyGaps = (family: OpencodeFamily): readonly Gap[] => [
  {
    what: 'formatters, language servers and MCP servers that a project names are started ungated',
    closedBy: `apes hooks install ${family.name} --managed`,
  },
  {
    what: `plugins and tools of a project (${family.projectFolders.map((folder) => `${folder}/plugin, ${folder}/tool`).join(', ')}) run inside of ${family.title} when it starts; so do agents, commands and skills whose front matter begins with \`---js\`, and packages that \`provider\` names; ${family.prefix}_DISABLE_PROJECT_CONFIG=1 prevents none of this; with --managed, every tool is denied in such a project`,
    closedBy: null,
  },
  {
    what: `${family.title} obeys tsconfig.json and jsconfig.json of the directory in which it starts, and loads esprima from node_modules there: both can run programs when it starts`,
    closedBy: null,
  },
  {
    what: `\`--pure\` and ${family.prefix}_PURE leave the plugin out: file tools are then ungated, but commands stay gated (\`shell\` is ape-shell)`,
    closedBy: null,
  },
  {
    what: `${family.title} does not show the model the exit status (75), so only the text says that a command waits`,
    closedBy: null,
  },
];

export const opencodeInstallation: HarnessInstallation = {
  scopes: ['user', 'project', 'managed'],
  plan: (places) => planFamily(OPENCODE, places),
  projectPlaces: familyPlaces(OPENCODE),
  settingsFiles: () => [],
  openings: (places) => openingsOf(OPENCODE, places),
  gaps: familyGaps(OPENCODE),
};
