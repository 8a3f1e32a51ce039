/** Finds what a confinement must permit for one command of a line. The result contains only what the approver saw. */

import type { RequiredPermission } from '../effects/assess-line.ts';
import { isHooks } from '../effects/git-hooks.ts';
import { writesRecord } from '../effects/git-records.ts';
import type { Permission, Resource } from '../effects/permission.ts';
import { placeOfRun } from '../effects/where-it-runs.ts';
import { type Fault, fault } from '../fault.ts';
import type { EnvironmentEntry } from '../grant/request.ts';
import { failed, type Result, success } from '../result.ts';
import { mayBeOffered } from '../scope/areas.ts';
import { baseName, isAtOrBelow, isPlainPath } from '../text/path.ts';
import { SYSTEM_PROGRAMS } from './confinement.ts';
import { whyNeverConfined } from './never-confined.ts';
import { isDangerousTree, type PathNeeds, type PathSetting, pathNeedsOf } from './path-needs.ts';
import { type Ports, portsOf, unitedPorts } from './ports.ts';

/**
 * @property programs which programs the command may start. `listed`: only the programs in the command's permission. `system`: all programs
 *                    below `SYSTEM_PROGRAMS`, too. For a command that runs a project's own code, `listed` means the same as `system`
 * @property hasProxy whether connections go through a proxy. The port of the proxy is not known, so a command that connects at all may
 *                    connect to any port
 */
export interface NeedsSetting extends PathSetting {
  readonly programs: 'listed' | 'system';
  readonly hasProxy: boolean;
}

/**
 * What one command needs.
 * @property connect      the TCP ports to which the command connects
 * @property repositories the top directories of the git repositories whose `.git` the command writes
 * @property tools        the name of the command's rule file, if there is a rule file, and the names of the found programs and wrappers
 * @property runsCode     whether the command runs code of the project or of a package. Also true for git if the code of a project can
 *                        write git's settings for the repository: these settings name programs that git runs. Git's hooks do not count:
 *                        no scope covers a git command that may run existing hooks. False for a command that runs on another host or in a
 *                        container
 */
export interface CommandNeeds extends PathNeeds {
  readonly connect: Ports;
  readonly repositories: readonly string[];
  readonly tools: readonly string[];
  readonly runsCode: boolean;
}

/** Variables in which programs find their proxy; curl(1) and others accept the names in lower and in upper case. */
const PROXY = /^(?:https?|ftp|all)_proxy$/i;
export const usesProxy = (environment: readonly EnvironmentEntry[]): boolean =>
  environment.some(({ name, value }) => PROXY.test(name) && value !== '');

/**
 * Keeps results, because a line is tried with many scopes. The objects themselves are the keys, because permissions and settings are never
 * changed in place.
 */
const cache = new WeakMap<RequiredPermission, WeakMap<NeedsSetting, Result<CommandNeeds, Fault>>>();

/** Fails if the command cannot be confined. The message is the reason: the end of a sentence that begins "it …". */
export function needsOfCommand(required: RequiredPermission, setting: NeedsSetting): Result<CommandNeeds, Fault> {
  const bySetting = cache.get(required) ?? new WeakMap<NeedsSetting, Result<CommandNeeds, Fault>>();
  cache.set(required, bySetting);
  const result = bySetting.get(setting) ?? computeNeeds(required, setting);
  bySetting.set(setting, result);
  return result;
}

function computeNeeds(required: RequiredPermission, setting: NeedsSetting): Result<CommandNeeds, Fault> {
  const { permission } = required;
  const place = placeOfRun(permission);
  if (place === 'privileged')
    return failed(fault('changes its user or its root directory, which no confined program can do'));
  const never = whyNeverConfined(permission);
  if (never !== null) return failed(fault(never));
  const local = place === 'away' ? [] : permission.resources.filter(({ kind }) => kind === 'path');
  const outcome = pathNeedsOf(local, setting);
  if (!outcome.ok) return outcome;
  const paths = outcome.value;
  const runsProject =
    place === 'here' && permission.resources.some(({ kind, access }) => access === 'execute' && RUN_HERE.has(kind));
  const project = runsProject ? projectTree(setting) : null;
  if (project !== null && !project.ok) return project;
  const tree = project === null ? [] : [project.value];
  const top = place === 'here' && writesRecord(permission.resources) ? required.repository : null;
  const listed = programsOf(required);
  if (!listed.every(isPlainPath)) return failed(fault('runs a program whose path is not resolved'));
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
      (permission.resources.some((resource) => isCode(resource, permission.tool)) || runsSettings(required, setting)),
  });
}

/** Whether the command is a mkdir that makes only the last directory. Such a mkdir itself reports a missing parent. */
const makesOneLevel = ({ tool, options }: Permission): boolean => tool === 'mkdir' && !options.includes('--parents');
const neverMade = (absent: CommandNeeds['absent']): CommandNeeds['absent'] =>
  absent.map((tree) => ({ ...tree, isNeeded: false }));

/** Whether the access to the resource runs code. The code of a package runs when the package is executed or installed. */
const isCode = (resource: Resource, tool: string): boolean =>
  (resource.access === 'execute' && !(tool === 'git' && isHooks(resource))) ||
  (resource.kind === 'package' && resource.access === 'write');

/**
 * Whether git may run programs that the code of a project has named in git's settings. The confinement keeps that code from writing the
 * settings of the repository at the work directory. But the code may make another repository below the work directory. What counts is the
 * repository in which git runs, not the paths in git's operands. True if git's repository or the work directory is not known.
 */
function runsSettings(
  { permission: { tool }, repository }: RequiredPermission,
  { workDirectory }: NeedsSetting,
): boolean {
  if (tool !== 'git') return false;
  if (repository === null || workDirectory === null) return true;
  return repository !== workDirectory && isAtOrBelow(repository, workDirectory);
}

/** Kinds of resources that are a project's own code: a command that executes such a resource runs this code. */
const RUN_HERE: ReadonlySet<string> = new Set(['path', 'target']);

/**
 * Returns the directory of the project. A command that runs the project's own code may read, write and execute everything in this
 * directory. The approver saw the directory, and saw that the command runs this code. Fails if the directory is not known or may contain
 * several projects.
 */
function projectTree(setting: NeedsSetting): Result<string, Fault> {
  const { workDirectory: tree, homes } = setting;
  const home = homes[0] ?? null;
  if (tree === null) return failed(fault('runs the code of a project, and the approval names no directory for it'));
  return mayBeOffered(tree, home) && !isDangerousTree(tree, setting)
    ? success(tree)
    : failed(fault(`runs the code of a project, and ${tree} may contain several projects`));
}

const programsOf = ({ programs }: RequiredPermission): readonly string[] =>
  programs.flatMap(({ realPath }) => realPath ?? []);

/**
 * Returns the root of an installation that has programs and libraries in one directory: `…/v20` for `…/v20/bin/node`. Returns the path of
 * the program itself in four cases: the program is in no such installation, the program belongs to the system, no scope may be offered
 * for the root, or the root is dangerous (`isDangerousTree`).
 */
function installationOf(path: string, setting: NeedsSetting): readonly string[] {
  if (SYSTEM_PROGRAMS.some((system) => isAtOrBelow(path, system))) return [path];
  const root = /^(.+?)\/(?:lib\/node_modules|s?bin)\//.exec(path)?.[1];
  const isOwn = root !== undefined && mayBeOffered(root, setting.homes[0] ?? null) && !isDangerousTree(root, setting);
  return [isOwn ? root : path];
}

const toolsOf = ({ permission, programs }: RequiredPermission): readonly string[] => {
  const own = permission.tool === 'shell' || permission.tool === 'program' ? [] : [permission.tool];
  const names = programs.flatMap(({ name, realPath }) => (realPath === null ? [] : baseName(name)));
  return [...own, ...names.filter((name) => name !== '')];
};
