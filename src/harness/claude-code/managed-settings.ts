/**
 * The settings that `--managed` adds to the settings of the whole machine. No project can change the settings of the machine. Without the
 * added settings, a project's hooks, skills and variables can get past the gate. In a test with Claude Code 2.1.330, each setting closed
 * one way past the gate. Without the setting, this way was open.
 */
import { type Failure, failure } from '../../core/failure.ts';
import { failed, type Result, success } from '../../core/result.ts';
import { type Path, setMember, valueAt } from '../../core/text/jsonc-edit.ts';
import { brokenFile, type HookFile } from '../hook-file.ts';
import { takeBackMember } from '../own-member.ts';

/**
 * @property isFixed true: another value would open the gate, and is refused; false: a value of the administrator is kept
 */
interface Member {
  readonly path: Path;
  readonly value: unknown;
  readonly isFixed: boolean;
}

/**
 * If a project's `env` could set these variables, Claude Code could start the project's programs. A value in the settings of the machine
 * wins over a project's value. The list is not complete: for example, a project can still set `GIT_CONFIG_GLOBAL`, which names a file with
 * settings of git.
 */
export const PINNED_VARIABLES: Readonly<Record<string, string>> = {
  CLAUDE_CODE_SHELL: '/bin/bash',
  CLAUDE_CODE_SHELL_PREFIX: '',
  CLAUDE_ENV_FILE: '',
  BASH_ENV: '',
  ENV: '',
  LD_PRELOAD: '',
  LD_LIBRARY_PATH: '',
  LD_AUDIT: '',
  NODE_OPTIONS: '',
  GIT_CONFIG_COUNT: '0',
  GIT_CONFIG_PARAMETERS: '',
  GIT_EXEC_PATH: '',
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
};

const MEMBERS: readonly Member[] = [
  { path: ['allowManagedHooksOnly'], value: true, isFixed: true },
  { path: ['disableSkillShellExecution'], value: true, isFixed: true },
  ...Object.entries(PINNED_VARIABLES).map(([name, value]) => ({ path: ['env', name], value, isFixed: false })),
];

/**
 * Returns a copy of `file`. The copy's `apply` also adds these settings, and the copy's `strip` also removes these settings. `apply` also
 * fails if the text has another value for a fixed setting, or if `disableAllHooks` is true.
 */
export function withManagedMembers(file: HookFile): HookFile {
  return {
    ...file,
    apply: (text) => {
      const clean = text === null ? success(null) : takeMembers(file.path, text, null);
      const applied = clean.ok ? file.apply(clean.value) : clean;
      return applied.ok ? putMembers(file.path, applied.value) : applied;
    },
    strip: (text, original) => {
      const stripped = file.strip(text, original);
      return stripped.ok ? takeMembers(file.path, stripped.value, original) : stripped;
    },
  };
}

function putMembers(path: string, text: string): Result<string, Failure> {
  const off = valueAt(text, ['disableAllHooks']);
  if (off.ok && off.value === true) return failed(conflict(path, 'disableAllHooks', true));
  let now = text;
  for (const { path: member, value, isFixed } of MEMBERS) {
    const there = valueAt(now, member);
    if (!there.ok) return failed(brokenFile(path, there.failure));
    if (there.value !== undefined && isFixed && there.value !== value)
      return failed(conflict(path, member.join('.'), there.value));
    if (there.value !== undefined) continue;
    const put = setMember(now, member, value);
    if (!put.ok) return failed(brokenFile(path, put.failure));
    now = put.value;
  }
  return success(now);
}

function takeMembers(path: string, text: string, original: string | null): Result<string, Failure> {
  let now: Result<string, Failure> = success(text);
  for (const { path: member, value } of MEMBERS)
    if (now.ok) now = takeBackMember(path, now.value, member, value, original);
  return now;
}

const conflict = (path: string, name: string, value: unknown): Failure =>
  failure(
    'configuration',
    `${path}: ${name} is ${JSON.stringify(value)}, which leaves the gate open`,
    'remove this setting and call again; nothing was changed',
  );
