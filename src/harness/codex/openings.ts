/**
 * Finds what can get past our hooks in Codex or switch them off, in the places that 0.169.0 reads: `config.toml` and `hooks.json` of the user
 * and of the project, and the trust in hooks that Codex records in the user's `config.toml`.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ReadToml } from '../../platform/toml.ts';
import { type HookEntry, type HookPlaces, hookPlaceOf } from '../hook-file.ts';
import { isWrittenBy, likenessOf, othersIn } from '../own-hooks.ts';
import { guardLineFor } from '../own-lines.ts';
import { projectFolders, serversLine } from '../project-servers.ts';
import { isObject, type JsonObject } from '../tool-call.ts';

export const codexFolder = (places: HookPlaces): string =>
  hookPlaceOf(places, 'CODEX_HOME', join(places.home, '.codex'));

/**
 * Returns one line for each finding. With `--managed`, only MCP servers are findings: `requirements.toml` fixes the features, allows only
 * our hooks and needs no trust, but does not stop servers that a project names. A file that cannot be read gives no finding.
 */
export function codexOpenings(places: HookPlaces, readToml: ReadToml): readonly string[] {
  const started = settingsFolders(places)
    .filter((folder) => folder !== codexFolder(places))
    .flatMap((folder) => serversIn(join(folder, 'config.toml'), readSettings(folder, readToml)));
  return places.scope === 'managed' ? started : [...started, ...switchesAndHooks(places, readToml)];
}

const settingsFolders = (places: HookPlaces): readonly string[] =>
  projectFolders(places).map((folder) => join(folder, '.codex'));

function serversIn(file: string, settings: JsonObject): readonly string[] {
  const names = Object.keys(memberOf(settings, 'mcp_servers'));
  return names.length === 0 ? [] : [serversLine(file, names)];
}

function switchesAndHooks(places: HookPlaces, readToml: ReadToml): readonly string[] {
  const user = codexFolder(places);
  const folders = [...new Set([user, ...settingsFolders(places)])];
  const settings = folders.map((folder) => [join(folder, 'config.toml'), readSettings(folder, readToml)] as const);
  const trust = memberOf(memberOf(settings[0]?.[1] ?? {}, 'hooks'), 'state');
  return [
    ...settings.flatMap(([file, value]) => switchesIn(value).map((what) => `${file}: ${what}`)),
    ...settings.flatMap(([file, value]) => otherHooks(file, memberOf(value, 'hooks'), places)),
    ...folders.flatMap((folder) => otherHooks(join(folder, 'hooks.json'), hooksOfFile(folder), places)),
    ...untrusted(places, places.scope === 'project' ? join(places.project, '.codex') : user, trust),
  ];
}

function switchesIn(settings: JsonObject): readonly string[] {
  const profiles = Object.values(memberOf(settings, 'profiles')).filter(isObject);
  const found: string[] = [];
  for (const features of [settings, ...profiles].map((each) => memberOf(each, 'features'))) {
    for (const name of ['hooks', 'codex_hooks'])
      if (features[name] === false) found.push(`features.${name} is false: no hook is called`);
    if (features['unified_exec_tty'] === true)
      found.push('features.unified_exec_tty is true: write_stdin types into programs past every hook');
  }
  if (settings['bypass_hook_trust'] === true) found.push('bypass_hook_trust is true: hooks of a project run unseen');
  const set = Object.keys(memberOf(memberOf(settings, 'shell_environment_policy'), 'set'));
  const steering = set.filter((name) => STEERS.test(name));
  if (steering.length > 0)
    found.push(`shell_environment_policy sets ${steering.join(', ')} for the programs that commands run`);
  return found;
}

/** Variables that change the loader, the start of a shell, git, or which installation of ape-shell is asked. */
const STEERS =
  /^(?:APES?_|XDG_|LD_|DYLD_|GIT_|BASH_FUNC_)|^(?:HOME|PATH|SHELL|SHELLOPTS|PS4|BASH_ENV|ENV|ZDOTDIR|NODE_OPTIONS|GCONV_PATH|LOCPATH)$/;

/** Codex runs the tool when a hook's time is over. With a time of one day, it waits even for a guard that hangs. */
export const DAY_S = 86_400;

/** Returns our hook that decides about a tool. */
export const codexGuard = (places: HookPlaces): HookEntry['hook'] => ({
  type: 'command',
  command: guardLineFor(places, 'codex'),
  timeout: DAY_S,
});

function otherHooks(file: string, hooks: JsonObject, places: HookPlaces): readonly string[] {
  const others = othersIn(hooks['PreToolUse'], (hook) => isWrittenBy(codexGuard, places, hook));
  return others.map(
    (hook) =>
      `${file}: another PreToolUse hook can change a command after the gate has seen it: ${JSON.stringify(String(hook['command'] ?? hook['type'] ?? '?').slice(0, 60))}${likenessOf([hook])}`,
  );
}

/**
 * Finds our hooks that Codex does not call. Codex calls a hook only if its hash is the hash that a human has trusted in `/hooks`.
 */
function untrusted(places: HookPlaces, folder: string, trust: JsonObject): readonly string[] {
  const file = join(folder, 'hooks.json');
  const groups = listOf(hooksOfFile(folder)['PreToolUse']);
  return groups.flatMap((group, at) =>
    listOf(isObject(group) ? group['hooks'] : null).flatMap((hook, index) => {
      if (!isObject(hook) || !isGuard(hook['command'], places)) return [];
      const state = memberOf(trust, `${file}:pre_tool_use:${at}:${index}`);
      if (state['enabled'] === false) return [`${file}: its hook is switched off in /hooks`];
      if (state['trusted_hash'] === trustedHash(hook)) return [];
      return [`${file}: Codex skips its hook until you trust it: start codex, type /hooks, trust it`];
    }),
  );
}

/** Whether the command is our line that decides about a tool. The other members of the hook do not matter here. */
const isGuard = (command: unknown, places: HookPlaces): boolean =>
  isWrittenBy((each) => guardLineFor(each, 'codex'), places, command);

/** Computes the hash of a hook as Codex does (seen in 0.169.0): with the default values, and the members sorted by name. */
export function trustedHash(hook: JsonObject): string {
  const { async = false, command, statusMessage, timeout = 600, type } = hook;
  const identity = {
    event_name: 'pre_tool_use',
    hooks: [{ async, command, ...(statusMessage === undefined ? {} : { statusMessage }), timeout, type }],
  };
  return `sha256:${createHash('sha256').update(JSON.stringify(identity)).digest('hex')}`;
}

function hooksOfFile(folder: string): JsonObject {
  try {
    const value: unknown = JSON.parse(readFileSync(join(folder, 'hooks.json'), 'utf8'));
    return isObject(value) ? memberOf(value, 'hooks') : {};
  } catch {
    return {}; // Codex cannot read it either
  }
}

function readSettings(folder: string, readToml: ReadToml): JsonObject {
  try {
    const read = readToml(readFileSync(join(folder, 'config.toml'), 'utf8'));
    return read.ok ? read.value : {};
  } catch {
    return {}; // the file does not exist
  }
}

function memberOf(object: JsonObject, name: string): JsonObject {
  const value = Object.hasOwn(object, name) ? object[name] : undefined;
  return isObject(value) ? value : {};
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
