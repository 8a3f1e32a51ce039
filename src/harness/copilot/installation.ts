/**
 * Installs hooks where GitHub Copilot CLI reads them (seen in 1.0.102). Copilot starts the guard without a shell (`exec`). Copilot denies
 * the tool if the program is missing or ends with another exit status than 0. But Copilot runs the tool after a time-out, and after an
 * answer that is not JSON. Our entry has a time-out of one day, because a guard can be stopped (SIGSTOP). A guard that is not stopped
 * answers within 25 s.
 *
 * Each hook gets the call as the previous hook has left it, and the last hook decides. The order is: machine (files sorted by name), user
 * (files in reverse order), settings of the user, project, plugins. The name of our file makes our hook the last hook of its folder, both
 * for the machine and for the user. Copilot can also call other hooks of the user before a tool call. `openings` lists the files of these
 * hooks. With `allowManagedHooksOnly`, no hook comes after our hook.
 */

import { join } from 'node:path';
import type { Failure } from '../../core/failure.ts';
import { failed, type Result, success } from '../../core/result.ts';
import { appendItem, removeItems, removeMember, setMember, valueAt } from '../../core/text/jsonc-edit.ts';
import { foundObject, namesIn, objectOfText } from '../found-files.ts';
import type { HarnessInstallation } from '../harness-installation.ts';
import {
  EMPTY_OBJECT,
  type HookFile,
  type HookPlaces,
  type HookPlan,
  hookPlaceOf,
  isStrict,
  notStrict,
  plan,
  type Scope,
  steps,
  textOr,
} from '../hook-file.ts';
import { isWrittenBy, LIKENESS } from '../own-hooks.ts';
import { guardLineFor } from '../own-lines.ts';
import { takeBackMember } from '../own-member.ts';
import { isObject } from '../tool-call.ts';
import { COPILOT_GATE, type CopilotHook, copilotHookAt } from './entries.ts';
import { copilotPlaces } from './project-places.ts';

const REPORTED = [
  ...['SessionStart', 'SessionEnd', 'UserPromptSubmit', 'PostToolUse', 'PostToolUseFailure', 'Notification', 'Stop'],
];
const MACHINE = '/etc/github-copilot';

interface Entry {
  readonly event: string;
  readonly hook: CopilotHook;
}

function planCopilot(places: HookPlaces): HookPlan {
  const entries = [COPILOT_GATE, ...REPORTED].map((event): Entry => ({ event, hook: copilotHookAt(event, places) }));
  const hooks = hookFile(fileOf(places), entries, places);
  return plan(places.scope === 'managed' ? [hooks, onlyManaged()] : [hooks], ADVICE[places.scope]);
}

function fileOf(places: HookPlaces): string {
  if (places.scope === 'managed') return join(MACHINE, 'policy.d/zz-ape-shell.json');
  if (places.scope === 'project') return join(places.project, '.github/hooks/00-ape-shell.json');
  return join(homeOf(places), 'hooks/00-ape-shell.json');
}

const homeOf = (places: HookPlaces): string => hookPlaceOf(places, 'COPILOT_HOME', join(places.home, '.copilot'));

/** Describes the file with our entries. Entries of others in this file stay. */
function hookFile(path: string, entries: readonly Entry[], places: HookPlaces): HookFile {
  const events = [...new Set(entries.map(({ event }) => event))];
  const strip = (text: string): Result<string, Failure> => {
    const rest = steps(path, text, events, (now, event) => removeItems(now, ['hooks', event], looksLikeHook));
    return rest.ok && isBare(rest.value) ? success('') : rest;
  };
  const put = (text: string): Result<string, Failure> => {
    const start = steps(path, text === '' ? '{}\n' : text, [1], (now, version) => setMember(now, ['version'], version));
    if (!start.ok) return start;
    return steps(path, start.value, entries, (now, { event, hook }) => appendItem(now, ['hooks', event], hook));
  };
  return {
    path,
    strip,
    apply: (text) => {
      const clean = strip(textOr(text, EMPTY_OBJECT));
      const whole = clean.ok ? put(clean.value) : clean;
      return whole.ok && !isStrict(whole.value) ? failed(notStrict(path)) : whole;
    },
    lines: (text) => {
      const now = isStrict(text) ? objectOfText(text) : null;
      const listed = isObject(now?.['hooks']) ? now['hooks'][COPILOT_GATE] : null;
      const wanted = JSON.stringify(entries[0]?.hook);
      const isThere = Array.isArray(listed) && listed.some((hook) => JSON.stringify(hook) === wanted);
      const isOff = now?.['disableAllHooks'] === true || now?.['version'] !== 1;
      return isThere && !isOff ? [guardLineFor(places, 'copilot')] : [];
    },
  };
}

/**
 * Whether this hook looks like a hook of some version or copy of ape-shell. The program itself is not checked. Therefore the result has
 * only two uses: `apes hooks install` and `remove` delete such hooks from our own file, and `openings` mentions the likeness.
 */
function looksLikeHook(hook: unknown): boolean {
  if (!isObject(hook) || typeof hook['exec'] !== 'string' || !Array.isArray(hook['args'])) return false;
  const { exec, args } = hook;
  return exec.endsWith('/hook-guard') || (exec.endsWith('/apes') && args.includes('report'));
}

/** Whether the file can be deleted: it has no member except `version`, and no comment. */
function isBare(text: string): boolean {
  const now = objectOfText(text);
  return now !== null && Object.keys(now).every((name) => name === 'version') && !/\/[/*]/.test(text);
}

const ONLY = ['allowManagedHooksOnly'];

/**
 * Describes the file with the setting `allowManagedHooksOnly`: with this setting, Copilot calls no hook of a user, a project or a plugin.
 */
function onlyManaged(): HookFile {
  const path = join(MACHINE, 'managed-settings.json');
  return {
    path,
    apply: (text) => steps(path, textOr(text, EMPTY_OBJECT), [true], (now, value) => setMember(now, ONLY, value)),
    strip: (text, original) => {
      const before = original === null ? null : valueAt(original, ONLY);
      if (before?.ok === true && before.value !== undefined) return takeBackMember(path, text, ONLY, true, original);
      const rest = steps(path, text, [ONLY], (now, member) => removeMember(now, member));
      return rest.ok && original === null && isBare(rest.value) ? success('') : rest;
    },
    lines: () => [],
  };
}

const BY_ROOT = 'as root, `apes hooks install copilot --managed`';
const ADVICE: Readonly<Record<Scope, readonly string[]>> = {
  managed: [
    'no other hook of a user, a project or a plugin is called any more (allowManagedHooksOnly in managed-settings.json)',
  ],
  user: [
    `a project that you trust can switch this hook off (\`disableAllHooks\`), or override it with another hook. To prevent this: ${BY_ROOT}`,
  ],
  project: [
    `this hook is called only where you trust the project, and every user who can write the project can switch the hook off. To prevent this: ${BY_ROOT}`,
  ],
};

/**
 * Returns one line for each extension of the user, and for each file of the user that contains hooks other than ours. Only hooks that
 * Copilot calls before a tool call count: they can replace the call. With `--managed`, Copilot calls none of these hooks, so the result
 * lists only the extensions.
 */
function openings(places: HookPlaces): readonly string[] {
  const started = extensionsOf(places);
  if (places.scope === 'managed') return started;
  const folder = join(homeOf(places), 'hooks');
  const files = namesIn(folder)
    .filter(isJson)
    .map((name) => join(folder, name));
  const hooks = [...files, ...settingsOf(places)].flatMap((file) => {
    const others = otherHooks(file, places);
    const likeness = others.some(looksLikeHook) ? `; it ${LIKENESS}` : '';
    return others.length === 0
      ? []
      : [`${file}: another hook before a tool, which can replace the tool call${likeness}`];
  });
  return [...hooks, ...started];
}

const settingsOf = (places: HookPlaces): readonly string[] => [join(homeOf(places), 'settings.json')];

function extensionsOf(places: HookPlaces): readonly string[] {
  const folder = join(homeOf(places), 'extensions');
  return namesIn(folder).map((name) => `${join(folder, name)}: an extension runs inside of Copilot, past every hook`);
}

const isJson = (name: string): boolean => name.endsWith('.json');

/** Returns the hooks in this file that Copilot calls before a tool call. Our own hook is left out. */
function otherHooks(file: string, places: HookPlaces): readonly unknown[] {
  const hooks = foundObject(file)?.['hooks'];
  if (!isObject(hooks)) return [];
  return ['PreToolUse', 'preToolUse']
    .map((event) => hooks[event])
    .flatMap((listed): readonly unknown[] => (Array.isArray(listed) ? listed : []))
    .filter((hook) => !isWrittenBy((each) => copilotHookAt(COPILOT_GATE, each), places, hook));
}

export const copilotInstallation: HarnessInstallation = {
  scopes: ['user', 'project', 'managed'],
  plan: planCopilot,
  projectPlaces: copilotPlaces,
  settingsFiles: settingsOf,
  openings,
  gaps: [
    {
      what: 'a project that you trust can switch hooks of the user off (`disableAllHooks`), or override them with another hook before a tool',
      closedBy: 'apes hooks install copilot --managed',
    },
    {
      what: 'a project that you trust can bring extensions, MCP servers and language servers, which run without a question',
      closedBy: 'look at .github/extensions, .mcp.json and .github/lsp.json first',
    },
    { what: 'what you type after `!` in its window runs without the gate', closedBy: null },
    {
      what: 'if the guard is missing or was killed, Copilot itself denies the tool, and does not show the model why',
      closedBy: 'apes health',
    },
  ],
};
