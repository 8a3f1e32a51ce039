/**
 * Installs hooks where Codex reads them (seen in 0.169.0). Codex silently skips the hooks in a `hooks.json` until a human trusts them in
 * `/hooks`. Codex runs hooks in `/etc/codex/requirements.toml` without this trust. `requirements.toml` can also switch features of Codex
 * off.
 */
import { join } from 'node:path';
import { type Failure, failure } from '../../core/failure.ts';
import { looksLikeHookLine } from '../../core/grant/own-call.ts';
import { withBlock, withoutBlock } from '../../core/text/marked-block.ts';
import { loadTomlReader, type ReadToml } from '../../platform/toml.ts';
import type { HarnessInstallation } from '../harness-installation.ts';
import { type HookEntry, type HookFile, type HookPlaces, type HookPlan, jsonHookFile, plan } from '../hook-file.ts';
import { guardLineFor, reportLineFor } from '../own-lines.ts';
import { tomlBlockFile } from '../toml-block-file.ts';
import { isObject } from '../tool-call.ts';
import { CODEX_GATE, codexHookAt, DAY_S } from './entries.ts';
import { codexFolder, codexOpenings } from './openings.ts';
import { codexPlaces } from './project-places.ts';

const REPORTED = [
  ...['SessionStart', 'SessionEnd', 'UserPromptSubmit', 'PostToolUse', 'PermissionRequest', 'Stop'],
  'Interrupt',
];

function planCodex(places: HookPlaces, readToml: ReadToml): HookPlan {
  if (places.scope === 'managed') {
    const guard = guardLineFor(places, 'codex');
    const report = reportLineFor(places, 'codex');
    return plan(
      [requirements(places.dist, guard, report, readToml), pinnedVariables(readToml)],
      ['--managed also pins the variables that make a shell or the loader start a program: a project cannot set them'],
    );
  }
  const entries = [CODEX_GATE, ...REPORTED].map((event): HookEntry => ({ event, hook: codexHookAt(event, places) }));
  const folder = places.scope === 'project' ? join(places.project, '.codex') : codexFolder(places);
  return plan(
    [jsonHookFile(join(folder, 'hooks.json'), CODEX_GATE, entries, 'plain')],
    [
      'NOT GATED YET: Codex skips these hooks in silence until you trust them: start codex, type /hooks, trust them',
      'as root, `apes hooks install codex --managed` needs no trust and also closes write_stdin',
    ],
  );
}

const TOP = 'hooks: only what the administrator set';
const TABLES = 'hooks';

const VARIABLES = 'variables';

/**
 * A shell runs the gated call (own-call.ts). The pinned variables can make this shell, or the loader of this shell, run other code first.
 * A trusted project can set the variables in `shell_environment_policy`. No setting in `requirements.toml` prevents this.
 * `managed_config.toml` can set the variables too, and overrides the settings of the user, the project and the command line (seen in
 * 0.169.0).
 */
const PINNED_VARIABLES = [
  ...['BASH_ENV', 'ENV', 'SHELLOPTS', 'PS4'],
  ...['LD_PRELOAD', 'LD_AUDIT', 'LD_LIBRARY_PATH', 'GCONV_PATH', 'LOCPATH'],
];

/** Makes the file that sets each pinned variable to the empty string. */
function pinnedVariables(readToml: ReadToml): HookFile {
  const path = '/etc/codex/managed_config.toml';
  const pins = PINNED_VARIABLES.map((name) => `${name} = ""\n`).join('');
  const block = `# else a project starts programs with them, before the gate is asked\n[shell_environment_policy.set]\n${pins}`;
  const without = (text: string): string => withoutBlock(text, VARIABLES);
  const withOurs = (clean: string): string => withBlock(clean, VARIABLES, block, 'end');
  return { ...tomlBlockFile({ path, without, withOurs, clash: ownVariables(path) }, readToml), lines: () => [] };
}

/**
 * Makes `requirements.toml` with two blocks of ours. The first block has a top-level key: TOML requires top-level keys before the first
 * table.
 */
function requirements(dist: string, guard: string, report: string, readToml: ReadToml): HookFile {
  const path = '/etc/codex/requirements.toml';
  const hook = (event: string, command: string, timeout: number): string =>
    `[[hooks.${event}]]\n[[hooks.${event}.hooks]]\ntype = "command"\ncommand = ${JSON.stringify(command)}\ntimeout = ${timeout}\n`;
  const tables = [
    '# a tty session takes text that no hook sees (write_stdin); without hooks nothing is gated\n[features]\nhooks = true\nunified_exec_tty = false\n',
    `[hooks]\nmanaged_dir = ${JSON.stringify(join(dist, 'bin'))}\n`,
    hook(CODEX_GATE, guard, DAY_S),
    ...REPORTED.map((event) => hook(event, report, 10)),
  ].join('\n');
  const without = (text: string): string => withoutBlock(withoutBlock(text, TOP), TABLES);
  const withOurs = (clean: string): string =>
    withBlock(withBlock(clean, TABLES, tables, 'end'), TOP, 'allow_managed_hooks_only = true', 'start');
  return {
    ...tomlBlockFile({ path, without, withOurs, clash: ownTables(path) }, readToml),
    lines: (text) => {
      const read = readToml(text);
      const hooks = read.ok && isObject(read.value) ? read.value['hooks'] : null;
      return isObject(hooks) ? commandsIn(hooks[CODEX_GATE]) : [];
    },
  };
}

const ownTables = (path: string): Failure =>
  failure(
    'configuration',
    `${path} has [hooks], [features] or allow_managed_hooks_only of its own, which TOML allows only once`,
    'put our lines into it by hand (see docs/harnesses.md); nothing was changed',
  );

const ownVariables = (path: string): Failure =>
  failure(
    'configuration',
    `${path} has [shell_environment_policy] with a \`set\` of its own, which TOML allows only once`,
    `write these variables into it by hand, each with the value "": ${PINNED_VARIABLES.join(', ')}; nothing was changed`,
  );

function commandsIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(commandsIn);
  if (!isObject(value)) return [];
  const command = value['command'];
  return [
    ...(typeof command === 'string' && looksLikeHookLine(command) ? [command] : []),
    ...commandsIn(value['hooks']),
  ];
}

export const codexInstallation: HarnessInstallation = {
  scopes: ['user', 'project', 'managed'],
  plan: async (places) => planCodex(places, await loadTomlReader()),
  projectPlaces: codexPlaces,
  settingsFiles: () => [],
  openings: async (places) => codexOpenings(places, await loadTomlReader()),
  gaps: [
    {
      what: 'hooks of the user or a project are skipped in silence until they are trusted',
      closedBy: 'apes hooks install codex --managed, or /hooks in codex',
    },
    {
      what: '`[features] hooks = false` of the user or a trusted project, and `codex --disable hooks`, switch the hooks off',
      closedBy: '--managed (hooks = true)',
    },
    {
      what: 'another PreToolUse hook that changes the input takes the place of ours',
      closedBy: '--managed (allow_managed_hooks_only)',
    },
    {
      what: '`shell_environment_policy` of the user or a trusted project sets variables of the shell around each command (BASH_ENV, LD_PRELOAD), and these can start programs ungated',
      closedBy: '--managed (managed_config.toml)',
    },
    {
      what: 'MCP servers that the user or a trusted project names are started ungated',
      closedBy: null,
    },
    {
      what: 'write_stdin types into a running program past every hook',
      closedBy: '--managed (unified_exec_tty = false), or codex --disable unified_exec_tty',
    },
    {
      what: 'if the shell that runs the hook does not start or is killed, or if the hook exceeds its time, the tool runs (0.169.0 has no setting against this)',
      closedBy: null,
    },
  ],
};
