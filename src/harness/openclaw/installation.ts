/**
 * Installs the gate for openclaw (observed in 2026.9.6). openclaw runs commands with `$SHELL`. openclaw's settings cannot set `$SHELL`. If
 * `$SHELL` is ape-shell, every command is gated. A plugin gates the file tools. If `$SHELL` is another shell, the plugin also gates
 * commands. Only openclaw's Gateway calls the plugin.
 */
import { join } from 'node:path';
import { success } from '../../core/result.ts';
import { appendItem, removeItems, removeMember, setMember } from '../../core/text/jsonc-edit.ts';
import type { HarnessInstallation } from '../harness-installation.ts';
import {
  EMPTY_OBJECT,
  type HookFile,
  type HookPlaces,
  type HookPlan,
  hookPlaceOf,
  plan,
  steps,
  textOr,
} from '../hook-file.ts';
import { guardLineFor } from '../own-lines.ts';
import { gatePluginText } from '../plugin-text.ts';
import { openclawPlaces } from './project-places.ts';

const ID = 'ape-shell-gate';

function planOpenclaw(places: HookPlaces): HookPlan {
  const state = hookPlaceOf(places, 'OPENCLAW_STATE_DIR', join(places.home, '.openclaw'));
  const folder = join(state, 'ape-shell-gate');
  return plan(
    [
      whole(join(folder, 'openclaw.plugin.json'), manifest()),
      whole(
        join(folder, 'package.json'),
        `${JSON.stringify({ name: ID, version: '1.0.0', type: 'module', openclaw: { extensions: ['./index.js'] } }, null, 2)}\n`,
      ),
      {
        ...whole(join(folder, 'index.js'), gatePluginText(places, 'openclaw')),
        lines: (now) => (now === gatePluginText(places, 'openclaw') ? [guardLineFor(places, 'openclaw')] : []),
        plugin: 'openclaw',
      },
      settings(hookPlaceOf(places, 'OPENCLAW_CONFIG_PATH', join(state, 'openclaw.json')), folder),
    ],
    [
      `start every openclaw (Gateway, agent) with SHELL=${join(places.dist, 'bin/ape-shell')}: that is the gate for commands`,
      'the plugin is called by the Gateway only: `openclaw agent --local` and `agent exec` do not gate file tools',
      'tools that are not known (of plugins, MCP servers) are denied until you name them in hooks.ungated_tools of config.toml',
    ],
  );
}

const manifest = (): string =>
  `${JSON.stringify({ id: ID, name: 'ape-shell gate', description: 'Gates tools through ape-shell', activation: { onStartup: true }, configSchema: { type: 'object', additionalProperties: false } }, null, 2)}\n`;

/** Describes a file that contains only our text. */
const whole = (path: string, text: string): HookFile => ({
  path,
  apply: () => success(text),
  strip: () => success(''),
  lines: () => [],
});

function settings(path: string, folder: string): HookFile {
  const paths = ['plugins', 'load', 'paths'];
  const entry = ['plugins', 'entries', ID];
  const strip = (text: string) =>
    steps(path, text, ['paths', 'entry'], (now, part) =>
      part === 'paths' ? removeItems(now, paths, (item) => item === folder) : removeMember(now, entry),
    );
  return {
    path,
    strip,
    apply: (text) => {
      const clean = strip(textOr(text, EMPTY_OBJECT));
      if (!clean.ok) return clean;
      return steps(path, clean.value, ['paths', 'entry'], (now, part) =>
        part === 'paths' ? appendItem(now, paths, folder) : setMember(now, entry, { enabled: true }),
      );
    },
    lines: () => [],
  };
}

export const openclawInstallation: HarnessInstallation = {
  scopes: ['user'],
  plan: planOpenclaw,
  projectPlaces: openclawPlaces,
  settingsFiles: () => [],
  gaps: [
    {
      what: 'without SHELL=ape-shell, commands are gated only in the Gateway',
      closedBy: 'SHELL in its service file',
    },
    {
      what: 'the plugin is called by the Gateway only',
      closedBy: 'use the Gateway',
    },
    {
      what: 'another plugin runs in the same process, and can do anything; so can tools that you name in hooks.ungated_tools',
      closedBy: null,
    },
  ],
};
