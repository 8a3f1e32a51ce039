/**
 * Finds what can get past our hooks in Codex (0.169.0), or switch the hooks off. Reads the `config.toml` and `hooks.json` of the user.
 * Also finds each hook of ours that Codex does not call, because a human has not trusted the hook or has switched the hook off. Our hooks
 * are in the `hooks.json` of the user or of the project. Codex records in the user's `config.toml` which hooks it trusts.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { listOf } from '../../core/shape.ts';
import type { ReadToml } from '../../platform/toml.ts';
import { type HookPlaces, hookPlaceOf } from '../hook-file.ts';
import { isWrittenBy } from '../own-hooks.ts';
import { guardLineFor } from '../own-lines.ts';
import { hookPhrase } from '../project-examiners.ts';
import { doesSteer } from '../steering-variables.ts';
import { isObject, type JsonObject } from '../tool-call.ts';
import { CODEX_GATE, codexHookAt } from './entries.ts';

export const codexFolder = (places: HookPlaces): string =>
  hookPlaceOf(places, 'CODEX_HOME', join(places.home, '.codex'));

/**
 * Returns one line for each finding. With `--managed` there are no findings: `requirements.toml` fixes the features, allows only our hooks
 * and needs no trust. A file that cannot be read counts as empty.
 */
export function codexOpenings(places: HookPlaces, readToml: ReadToml): readonly string[] {
  if (places.scope === 'managed') return [];
  const user = codexFolder(places);
  const settings = readSettings(user, readToml);
  const file = join(user, 'config.toml');
  return [
    ...switchesIn(settings).map((what) => `${file}: ${what}`),
    ...otherHooks(file, memberOf(settings, 'hooks'), places),
    ...otherHooks(join(user, 'hooks.json'), hooksOfFile(user), places),
    ...untrusted(
      places,
      places.scope === 'project' ? join(places.project, '.codex') : user,
      memberOf(memberOf(settings, 'hooks'), 'state'),
    ),
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
  if (settings['bypass_hook_trust'] === true) found.push('bypass_hook_trust is true: untrusted hooks of a project run');
  const set = Object.keys(memberOf(memberOf(settings, 'shell_environment_policy'), 'set'));
  const steering = set.filter(doesSteer);
  if (steering.length > 0)
    found.push(`shell_environment_policy sets ${steering.join(', ')} for the programs that commands run`);
  return found;
}

const otherHooks = (file: string, hooks: JsonObject, places: HookPlaces): readonly string[] =>
  hookPhrase(CODEX_GATE, CODEX_GATE, hooks[CODEX_GATE], (hook) =>
    isWrittenBy((each) => codexHookAt(CODEX_GATE, each), places, hook),
  ).map((phrase) => `${file}: ${phrase}`);

/** Finds our hooks that Codex does not call. Codex calls a hook only if a human has trusted the hash of the hook in `/hooks`. */
function untrusted(places: HookPlaces, folder: string, trust: JsonObject): readonly string[] {
  const file = join(folder, 'hooks.json');
  const groups = listOf(hooksOfFile(folder)['PreToolUse']);
  return groups.flatMap((group, at) =>
    listOf(isObject(group) ? group['hooks'] : null).flatMap((hook, index) => {
      if (!isObject(hook) || !isGuard(hook['command'], places)) return [];
      const state = memberOf(trust, `${file}:pre_tool_use:${at}:${index}`);
      if (state['enabled'] === false) return [`${file}: the hook of ape-shell is switched off in Codex (/hooks)`];
      if (state['trusted_hash'] === trustedHash(hook)) return [];
      return [
        `${file}: Codex skips the hook of ape-shell until you trust the hook: start codex, type /hooks, trust the hook`,
      ];
    }),
  );
}

/** Whether the command is our line that decides about a tool. The other members of the hook do not matter here. */
const isGuard = (command: unknown, places: HookPlaces): boolean =>
  isWrittenBy((each) => guardLineFor(each, 'codex'), places, command);

/** Returns the hash that Codex makes of a hook (seen in 0.169.0). Codex fills in default values, and sorts the members by name. */
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
    return {}; // Codex cannot read this file either
  }
}

function readSettings(folder: string, readToml: ReadToml): JsonObject {
  try {
    const read = readToml(readFileSync(join(folder, 'config.toml'), 'utf8'));
    return read.ok ? read.value : {};
  } catch {
    return {}; // Usually, the file does not exist.
  }
}

function memberOf(object: JsonObject, name: string): JsonObject {
  const value = Object.hasOwn(object, name) ? object[name] : undefined;
  return isObject(value) ? value : {};
}
