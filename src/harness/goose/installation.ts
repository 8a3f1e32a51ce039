/**
 * Installs our hook as a plugin of Goose. A plugin is a folder below `.agents/plugins` of the home directory or of a project. According to
 * Goose's source code, Goose reads the hooks of a plugin from `hooks/hooks.json`. Goose's configuration, and the settings of the user or of
 * a project, can switch a plugin off. With `on_failure: block`, Goose denies the call if a hook does not answer. A plugin of a project
 * replaces a plugin of the user if both have the same name.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { valueAt } from '../../core/text/jsonc-edit.ts';
import type { HarnessInstallation } from '../harness-installation.ts';
import { type HookEntry, type HookPlaces, type HookPlan, jsonHookFile, plan } from '../hook-file.ts';
import { guardLineFor } from '../own-lines.ts';
import { goosePlaces } from './project-places.ts';

const GATE = 'PreToolUse';
const NAME = 'ape-shell-gate';

const folderOf = (places: HookPlaces): string =>
  join(places.scope === 'project' ? places.project : places.home, '.agents/plugins', NAME);

function planGoose(places: HookPlaces): HookPlan {
  const command = guardLineFor(places, 'goose');
  const entry: HookEntry = { event: GATE, hook: { type: 'command', command, timeout: 60, on_failure: 'block' } };
  return plan(
    [jsonHookFile(join(folderOf(places), 'hooks/hooks.json'), GATE, [entry], 'plain')],
    [
      'each command is denied, and the denial names the command to call instead: a hook of Goose cannot change the input of a tool',
    ],
  );
}

/** Returns one line if the user's settings switch our plugin off. */
function switchedOff({ home }: HookPlaces): readonly string[] {
  const file = join(home, '.config/goose/settings.json');
  return disablesUs(file) ? [`${file}: disabledPlugins names ${NAME}`] : [];
}

function disablesUs(file: string): boolean {
  try {
    const disabled = valueAt(readFileSync(file, 'utf8'), ['disabledPlugins']);
    return disabled.ok && Array.isArray(disabled.value) && disabled.value.includes(NAME);
  } catch {
    return false; // The file does not exist, or cannot be read.
  }
}

export const gooseInstallation: HarnessInstallation = {
  scopes: ['user', 'project'],
  plan: planGoose,
  projectPlaces: goosePlaces,
  settingsFiles: () => [],
  openings: switchedOff,
  gaps: [
    {
      what: 'we have not tried Goose: only the source says that Goose calls the hook before each tool and obeys it',
      closedBy: null,
    },
    {
      what: 'a version without on_failure runs the tool when the hook fails',
      closedBy: 'a version that knows on_failure',
    },
    {
      what: '`disabledPlugins` of a project, `plugins` in config.yaml, or a project plugin of the same name switch our plugin off',
      closedBy: null,
    },
    { what: 'tools of extensions (MCP servers) are not gated', closedBy: 'no extensions that run code' },
  ],
};
