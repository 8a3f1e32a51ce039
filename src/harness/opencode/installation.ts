/**
 * How opencode is gated (seen in 1.18.33): the setting `shell` makes ape-shell its shell, and a plugin gates the file tools. The
 * plugin rewrites commands too, so that they are gated where somebody set another shell; ape-shell takes both for one.
 * A second plugin, of its window, takes messages of `apes send`.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { appendItem, removeItems, setMember } from '../../core/jsonc-edit.ts';
import { success } from '../../core/result.ts';
import type { HarnessInstallation } from '../harness-installation.ts';
import { type HookFile, type HookPlaces, type HookPlan, hookPlaceOf, plan, steps } from '../hook-file.ts';
import { guardLineFor } from '../own-lines.ts';
import { takeBackMember } from '../own-member.ts';
import { gatePluginText, isOfPlugin, windowPluginText } from '../plugin-text.ts';

export function planOpencode(places: HookPlaces): HookPlan {
  const folder = folderOf(places);
  const shell = join(places.dist, 'bin/ape-shell');
  const gate = [settings(existing(folder, 'opencode'), shell), plugin(join(folder, 'plugin/ape-shell.js'), places)];
  const window = join(folder, 'ape-shell-window.js');
  return plan(
    // Whether the window reads settings of an administrator was not tried; messages go by keys without them.
    places.scope === 'managed'
      ? gate
      : [...gate, windowSettings(existing(folder, 'tui'), window), windowPlugin(window, places.dist)],
    places.scope === 'managed'
      ? []
      : ['an opencode.json of the project can set another shell; the plugin gates it all the same'],
  );
}

function folderOf(places: HookPlaces): string {
  if (places.scope === 'managed') return '/etc/opencode';
  if (places.scope === 'project') return join(places.project, '.opencode');
  return join(hookPlaceOf(places, 'XDG_CONFIG_HOME', join(places.home, '.config')), 'opencode');
}

/** With comments, where such a file lies there. */
const existing = (folder: string, name: string): string => {
  const commented = join(folder, `${name}.jsonc`);
  return existsSync(commented) ? commented : join(folder, `${name}.json`);
};

const EMPTY = '{\n  "$schema": "https://opencode.ai/config.json"\n}\n';

function settings(path: string, shell: string): HookFile {
  return {
    path,
    apply: (text) =>
      steps(path, text === null || text.trim() === '' ? EMPTY : text, [shell], (now, value) =>
        setMember(now, ['shell'], value),
      ),
    strip: (text, original) => takeBackMember(path, text, ['shell'], shell, original),
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
      const clean = strip(text === null || text.trim() === '' ? EMPTY_WINDOW : text);
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

function plugin(path: string, places: HookPlaces): HookFile {
  const text = gatePluginText(places, 'opencode');
  return {
    path,
    apply: () => success(text),
    strip: (now) => success(isOfPlugin(now, text) ? '' : now),
    lines: (now) => (now === text ? [guardLineFor(places, 'opencode')] : []),
    plugin: 'opencode',
  };
}

export const opencodeInstallation: HarnessInstallation = {
  scopes: ['user', 'project', 'managed'],
  plan: planOpencode,
  settingsFiles: () => [],
  gaps: [
    {
      what: 'a plugin that does not load is left out: file tools are open then (commands are not: `shell` is ape-shell)',
      closedBy: 'apes hooks install opencode --managed',
    },
    { what: 'opencode shows the model no exit status, so 75 is told by the text alone', closedBy: null },
  ],
};
