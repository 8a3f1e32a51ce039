/**
 * Installs the gate for pi (seen in 0.74.2 and 0.87.1). The setting `shellPath` makes ape-shell the shell of pi. An extension gates the
 * file tools. The extension also gates commands, because a project can set another shell. If the extension and the shell both gate a
 * command, ape-shell asks only once. pi has no settings for the whole machine.
 */

import { join } from 'node:path';
import { success } from '../../core/result.ts';
import { setMember } from '../../core/text/jsonc-edit.ts';
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
import { takeBackMember } from '../own-member.ts';
import { gatePluginText, isOfPlugin } from '../plugin-text.ts';
import { piPlaces } from './project-places.ts';

/**
 * pi runs extensions in the order of their names. Each extension can change the tool call. The name of our extension sorts last, so that
 * our extension sees the changes of the others. `gaps` names the exception.
 */
const EXTENSION = 'extensions/zz-ape-shell.js';

function planPi(places: HookPlaces): HookPlan {
  const folder = folderOf(places);
  return plan(
    [settings(join(folder, 'settings.json'), shellOf(places)), extension(join(folder, EXTENSION), places)],
    places.scope === 'project'
      ? ['from 0.80 on, pi loads these files only if you trust the project; --user installs the gate for every project']
      : ['`pi --no-extensions` gates commands only; file tools are open then'],
  );
}

const folderOf = (places: HookPlaces): string =>
  places.scope === 'project'
    ? join(places.project, '.pi')
    : hookPlaceOf(places, 'PI_CODING_AGENT_DIR', join(places.home, '.pi/agent'));

const shellOf = (places: HookPlaces): string => join(places.dist, 'bin/ape-shell');

function settings(path: string, shell: string): HookFile {
  return {
    path,
    apply: (text) =>
      steps(path, textOr(text, EMPTY_OBJECT), [shell], (now, value) => setMember(now, ['shellPath'], value)),
    strip: (text, original) => takeBackMember(path, text, ['shellPath'], shell, original),
    lines: () => [],
  };
}

function extension(path: string, places: HookPlaces): HookFile {
  const text = gatePluginText(places, 'pi');
  return {
    path,
    apply: () => success(text),
    strip: (now) => success(isOfPlugin(now, text) ? '' : now),
    lines: (now) => (now === text ? [guardLineFor(places, 'pi')] : []),
    plugin: 'pi',
  };
}

export const piInstallation: HarnessInstallation = {
  scopes: ['user', 'project'],
  plan: planPi,
  projectPlaces: piPlaces,
  settingsFiles: () => [],
  gaps: [
    {
      what: 'extensions and packages of a project run inside of pi: before 0.80 without a question, later where you trust the project',
      closedBy: 'look at .pi first; `pi --no-approve` (later versions) leaves them out',
    },
    { what: 'an extension that is called after ours can change the call again', closedBy: 'no other extensions' },
    {
      what: 'with `pi --no-extensions`, or without our extension, file tools are not gated (commands are, by shellPath)',
      closedBy: null,
    },
    { what: 'pi reads no settings of the whole machine, so there is no --managed', closedBy: null },
  ],
};
