/** What a confinement must let one command of a line do: what the approver was shown, and nothing else. */

import type { RequiredPermission } from '../effects/assess-line.ts';
import { isHooks } from '../effects/git-hooks.ts';
import type { Permission, Resource } from '../effects/permission.ts';
import { isAtOrBelow, isPlainPath } from '../files/file-operation.ts';
import type { EnvironmentEntry } from '../grant/request.ts';
import { failed, type Result, success } from '../result.ts';
import { mayBeOffered } from '../scope/areas.ts';
import { SYSTEM_PROGRAMS } from './confinement.ts';
import { type HeldPaths, heldPaths, isDangerousTree, type PathSetting, repositoryWritten } from './held-paths.ts';
import { whyNeverHeld } from './never-held.ts';
import { type Ports, portsOf, unitedPorts } from './ports.ts';

/**
 * @property programs `listed`: only the programs of the command; `system`: those, and all that only root can change
 * @property hasProxy whether connections go through a proxy, which may be at any port
 */
export interface HoldSetting extends PathSetting {
  readonly programs: 'listed' | 'system';
  readonly hasProxy: boolean;
}

/**
 * @property repositories tops of the git repositories whose `.git` is written
 * @property runsCode     whether it runs code of the project or of a package; git does so in a repository whose settings such code may
 *                        write. A scope covers a git command that may run hooks only where no hooks are, so git's hooks do not count
 */
export interface Hold extends HeldPaths {
  readonly connect: Ports;
  readonly repositories: readonly string[];
  readonly tools: readonly string[];
  readonly runsCode: boolean;
}

/** Variables in which programs find their proxy; curl(1) and others take them in lower and in upper case. */
const PROXY = /^(?:https?|ftp|all)_proxy$/i;
export const usesProxy = (environment: readonly EnvironmentEntry[]): boolean =>
  environment.some(({ name, value }) => PROXY.test(name) && value !== '');

/** Keeps results, because a line is tried with many scopes. Objects can be the keys: permissions and settings never change in place. */
const cache = new WeakMap<RequiredPermission, WeakMap<HoldSetting, Result<Hold, string>>>();

/** Fails with the reason why the command cannot be confined, as the end of a sentence that begins "it …". */
export function holdRequired(required: RequiredPermission, setting: HoldSetting): Result<Hold, string> {
  const bySetting = cache.get(required) ?? new WeakMap<HoldSetting, Result<Hold, string>>();
  cache.set(required, bySetting);
  const result = bySetting.get(setting) ?? hold(required, setting);
  bySetting.set(setting, result);
  return result;
}

function hold(required: RequiredPermission, setting: HoldSetting): Result<Hold, string> {
  const { permission } = required;
  const place = placeOf(permission);
  if (place === 'privileged') return failed('changes its user or its root directory, which no confined program can do');
  const never = whyNeverHeld(permission);
  if (never !== null) return failed(never);
  const local = place === 'away' ? [] : permission.resources.filter(({ kind }) => kind === 'path');
  const held = heldPaths(local, setting);
  if (!held.ok) return held;
  const paths = held.value;
  const runsProject =
    place === 'here' && permission.resources.some(({ kind, access }) => access === 'execute' && RUN_HERE.has(kind));
  const project = runsProject ? projectTree(setting) : null;
  if (project !== null && !project.ok) return project;
  const tree = project === null ? [] : [project.value];
  const top = place === 'here' ? repositoryWritten(permission) : null;
  const listed = programsOf(required);
  if (!listed.every(isPlainPath)) return failed('runs a program whose path is not resolved');
  const isOfSystem = project !== null || setting.programs === 'system';
  const tools = toolsOf(required);
  const connect = unitedPorts(permission.resources.map((resource) => portsOf(tools, resource)));
  return success({
    read: [...paths.read, ...tree, ...listed.flatMap((path) => installationOf(path, setting))],
    trees: [...paths.trees, ...tree],
    files: paths.files,
    claims: paths.claims,
    absent: [
      ...(makesOneLevel(permission) ? neverMade(paths.absent) : paths.absent),
      ...tree.map((path) => ({ path, below: null, isNeeded: true })),
    ],
    execute: [...paths.execute, ...tree, ...listed, ...(isOfSystem ? SYSTEM_PROGRAMS : [])],
    connect: setting.hasProxy && (connect === 'any' || connect.length > 0) ? 'any' : connect,
    repositories: top === null ? [] : [top],
    tools,
    runsCode:
      place !== 'away' &&
      (permission.resources.some((resource) => isCode(resource, permission.tool)) || runsSettings(permission, setting)),
  });
}

/** Whether the command is a mkdir that makes only the last directory: mkdir itself then reports a missing parent. */
const makesOneLevel = ({ tool, options }: Permission): boolean => tool === 'mkdir' && !options.includes('--parents');
const neverMade = (absent: Hold['absent']): Hold['absent'] => absent.map((tree) => ({ ...tree, isNeeded: false }));

/** A package's own code runs when it is executed, and when it is installed. */
const isCode = (resource: Resource, tool: string): boolean =>
  (resource.access === 'execute' && !(tool === 'git' && isHooks(resource))) ||
  (resource.kind === 'package' && resource.access === 'write');

/**
 * Whether git may run what settings name that code of a project wrote. The kernel keeps the settings of the repository in which the work
 * is, but the code may make another one below that directory.
 */
function runsSettings({ tool, resources }: Permission, { workDirectory }: HoldSetting): boolean {
  const trees = resources.filter(({ kind, isExact }) => kind === 'path' && !isExact);
  const isInner = ({ value }: Resource): boolean =>
    value === '/' || workDirectory === null || (value !== workDirectory && isAtOrBelow(value, workDirectory));
  return tool === 'git' && trees.length > 0 && trees.every(isInner);
}

/** Kinds of resources whose execution is a run of a project's own code. */
const RUN_HERE: ReadonlySet<string> = new Set(['path', 'target']);

/**
 * `on web: …` and `in CONTAINER: …` run away from here; `as root: …` and the like need rights that a confined run never
 * has.
 */
function placeOf({ tool, operation }: Permission): 'here' | 'away' | 'privileged' {
  if (operation === tool || operation.startsWith(`${tool} `)) return 'here';
  return /^(?:on|in) /.test(operation) && !operation.startsWith('in another namespace: ') ? 'away' : 'privileged';
}

/** Returns the tree for a command that runs a project's own code. The approver was shown that the command does so, and where. */
function projectTree(setting: HoldSetting): Result<string, string> {
  const { workDirectory: tree, homes } = setting;
  const home = homes[0] ?? null;
  if (tree === null) return failed('runs the code of a project, and the approval names no directory for it');
  return mayBeOffered(tree, home) && !isDangerousTree(tree, setting)
    ? success(tree)
    : failed(`runs the code of a project, and ${tree} holds more than one`);
}

const programsOf = ({ programs }: RequiredPermission): readonly string[] =>
  programs.flatMap(({ realPath }) => realPath ?? []);

/** Returns the installation of a program that has its library beside it: `…/v20` for `…/v20/bin/node`; else the program alone. */
function installationOf(path: string, setting: HoldSetting): readonly string[] {
  if (SYSTEM_PROGRAMS.some((system) => isAtOrBelow(path, system))) return [path];
  const root = /^(.+?)\/(?:lib\/node_modules|s?bin)\//.exec(path)?.[1];
  const isOwn = root !== undefined && mayBeOffered(root, setting.homes[0] ?? null) && !isDangerousTree(root, setting);
  return [isOwn ? root : path];
}

const toolsOf = ({ permission, programs }: RequiredPermission): readonly string[] => {
  const own = permission.tool === 'shell' || permission.tool === 'program' ? [] : [permission.tool];
  const names = programs.flatMap(({ name, realPath }) =>
    realPath === null ? [] : name.slice(name.lastIndexOf('/') + 1),
  );
  return [...own, ...names.filter((name) => name !== '')];
};
