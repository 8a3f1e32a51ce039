/**
 * Installs a hook for Grok Build. According to the documentation of Grok Build, Grok reads each JSON file of ~/.grok/hooks. Grok also calls
 * the hooks in the settings of Claude Code and Cursor, unless Grok's own settings switch these hooks off. Grok runs the tool unless a hook
 * clearly denies the call. A hook whose entry has no time-out gets five seconds. Grok expands `$NAME` in a command.
 *
 * Grok's event differs from Claude Code's event. So our entry for Claude Code denies each call of Grok (exit 2), and no tool of Grok runs.
 * A human has to switch the hooks for Claude Code off in Grok's settings. The entry for Claude Code must not allow calls of Grok: an
 * allowed call would use up a `once` grant, and our entry for Grok would then deny the same call.
 */

import { join } from 'node:path';
import { isHookLineOf, looksLikeHookLine } from '../../core/grant/own-call.ts';
import { loadTomlReader, type ReadToml } from '../../platform/toml.ts';
import { foundText } from '../found-files.ts';
import type { HarnessInstallation } from '../harness-installation.ts';
import { type HookEntry, type HookPlaces, type HookPlan, hookPlaceOf, jsonHookFile, plan } from '../hook-file.ts';
import { LIKENESS } from '../own-hooks.ts';
import { guardLineFor } from '../own-lines.ts';
import { isObject } from '../tool-call.ts';
import { grokPlaces } from './project-places.ts';

const GATE = 'PreToolUse';

const folderOf = (places: HookPlaces): string => hookPlaceOf(places, 'GROK_HOME', join(places.home, '.grok'));

function planGrok(places: HookPlaces): HookPlan {
  const entry: HookEntry = {
    event: GATE,
    hook: { type: 'command', command: guardLineFor(places, 'grok'), timeout: 60 },
  };
  return plan(
    [jsonHookFile(join(folderOf(places), 'hooks/ape-shell.json'), GATE, [entry], 'plain')],
    [
      'the hook denies each command, and the denial names the command to call instead; we have not tried whether Grok runs a command that a hook replaced',
      ...vendorsWith(places, isOurLine(places)).map((vendor) => `${sharedEntry(vendor)}; ${remedy(vendor, places)}`),
    ],
  );
}

type Vendor = 'claude' | 'cursor';
const SETTINGS: Readonly<Record<Vendor, readonly string[]>> = {
  claude: ['.claude/settings.json', '.claude/settings.local.json'],
  cursor: ['.cursor/hooks.json'],
};
const TITLES: Readonly<Record<Vendor, string>> = { claude: 'Claude Code', cursor: 'Cursor' };

/** Returns the vendors whose user settings contain a text that `isWanted` accepts. */
const vendorsWith = ({ home }: HookPlaces, isWanted: (line: string) => boolean): readonly Vendor[] =>
  (['claude', 'cursor'] as const).filter((vendor) =>
    SETTINGS[vendor].flatMap((name) => textsIn(foundText(join(home, name)) ?? '')).some(isWanted),
  );

const isOurLine =
  ({ dist, environment }: HookPlaces) =>
  (line: string): boolean =>
    isHookLineOf(line, dist, (name) => environment.get(name)?.toString('utf8'));

/** Returns each text in the JSON, but not the names of members. */
function textsIn(json: string): readonly string[] {
  try {
    return textsOf(JSON.parse(json));
  } catch {
    return [];
  }
}

function textsOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsOf) : [];
}

const sharedEntry = (vendor: Vendor): string =>
  `Grok also calls our entry for ${TITLES[vendor]}, which denies each tool of Grok`;
const remedy = (vendor: Vendor, places: HookPlaces): string =>
  `write [compat.${vendor}] hooks = false into ${join(folderOf(places), 'config.toml')}`;

function blockedBy(places: HookPlaces, readToml: ReadToml): readonly string[] {
  const settings = readToml(foundText(join(folderOf(places), 'config.toml')) ?? '');
  const compat = settings.ok ? settings.value['compat'] : null;
  const isOff = (vendor: Vendor): boolean => {
    const one = isObject(compat) ? compat[vendor] : null;
    return isObject(one) && one['hooks'] === false;
  };
  const isOurs = isOurLine(places);
  const called = (isWanted: (line: string) => boolean) => vendorsWith(places, isWanted).filter((each) => !isOff(each));
  return [
    ...called(isOurs).map((vendor) => `nothing runs ungated, but ${sharedEntry(vendor)}; ${remedy(vendor, places)}`),
    ...called((line) => looksLikeHookLine(line) && !isOurs(line)).map(
      (vendor) => `Grok also calls a hook for ${TITLES[vendor]} that ${LIKENESS}; ${remedy(vendor, places)}`,
    ),
  ];
}

export const grokInstallation: HarnessInstallation = {
  scopes: ['user'],
  plan: planGrok,
  projectPlaces: grokPlaces,
  settingsFiles: () => [],
  openings: async (places) => blockedBy(places, await loadTomlReader()),
  gaps: [
    {
      what: 'we have not tried Grok: only the documentation says that Grok calls the hook before each tool and obeys it',
      closedBy: null,
    },
    { what: 'if the sh of the hook is killed, or is stopped for 60 s, the tool runs', closedBy: null },
    { what: 'a person can switch the hook off in /hooks', closedBy: '/etc/grok/requirements.toml, set by hand' },
    {
      what: 'if only our entries for Claude Code or Cursor are installed, each tool of Grok is denied',
      closedBy: 'apes hooks install grok',
    },
  ],
};
