/**
 * How opencode is gated (seen in 1.18.33): the setting `shell` makes ape-shell its shell, and a plugin gates the file tools. The
 * plugin rewrites commands too, so that they are gated where somebody set another shell; ape-shell takes both for one.
 * A second plugin, of its window, takes messages of `apes send`.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { appendItem, removeItems, setMember } from '../core/jsonc-edit.ts';
import { guardLine } from '../core/own-call.ts';
import { success } from '../core/result.ts';
import { type HookFile, type HookPlaces, type HookPlan, hookPlaceOf, plan, steps } from './hook-file.ts';
import { apiPluginText, isApiPlugin } from './opencode-api.ts';
import { takeBackMember } from './own-member.ts';
import { askText, reportText } from './plugin-text.ts';

export function planOpencode(places: HookPlaces): HookPlan {
  const folder = folderOf(places);
  const shell = join(places.dist, 'bin/ape-shell');
  const gate = [
    settings(existing(folder, 'opencode'), shell),
    plugin(join(folder, 'plugin/ape-shell.js'), places.dist),
  ];
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

const windowPlugin = (path: string, dist: string): HookFile => ({
  path,
  apply: () => success(apiPluginText(dist)),
  strip: (now) => success(isApiPlugin(now) ? '' : now),
  lines: () => [],
});

const MARK =
  '// ape-shell: gates the tools of opencode. Written by `apes hooks install opencode`, which replaces it as a whole.';

function plugin(path: string, dist: string): HookFile {
  const text = `${MARK}
import { spawn } from 'node:child_process';
${askText(join(dist, 'bin/hook-guard'), 'opencode')}${reportText(join(dist, 'bin/apes'), 'opencode')}
const REPORTED = /^(session\\.idle|permission\\.(asked|replied)|question\\.(asked|replied|rejected)|server\\.instance\\.disposed)$/;
export const ApeShell = async ({ directory, worktree }) => {
  let servers = [];
  const project = directory || worktree || process.cwd();
  return {
    config: async (config) => { servers = Object.keys(config?.mcp ?? {}); },
    event: async ({ event }) => {
      if (REPORTED.test(event.type)) void report({ hook_event_name: 'event', cwd: project, event });
    },
    // What opencode puts into a prompt by itself is no part of what was submitted.
    'chat.message': async (_, output) => {
      const parts = (output.parts ?? []).filter(({ synthetic }) => synthetic !== true).map(({ type, text }) => ({ type, text }));
      await report({ hook_event_name: 'chat.message', cwd: project, parts });
    },
    'tool.execute.before': async (call, output) => {
      await report({ hook_event_name: 'tool.execute.before', cwd: project, tool_name: call.tool, tool_use_id: call.callID });
      const input = await ask({ tool: call.tool, input: output.args ?? {}, cwd: project, project, servers });
      if (input !== null) output.args = input;
    },
    'tool.execute.after': async (call) => {
      void report({ hook_event_name: 'tool.execute.after', cwd: project, tool_name: call.tool, tool_use_id: call.callID });
    },
  };
};
`;
  return {
    path,
    apply: () => success(text),
    strip: (now) => success(now.startsWith(MARK.slice(0, 30)) ? '' : now),
    lines: (now) => (now === text ? [guardLine(join(dist, 'bin/hook-guard'), 'opencode')] : []),
    plugin: 'opencode',
  };
}
