/** Compares what a call did with its assessment. Each effect that the assessment does not contain is a fault. */
import { closeSync, existsSync, lstatSync, openSync, readlinkSync, readSync, realpathSync } from 'node:fs';
import path from 'node:path';
import type { Access, Permission, Resource } from '../../src/core/effects/permission.ts';
import { type Base, isInterpreter } from './base.ts';
import type { Covered } from './judge-calls.ts';
import type { Stage } from './stage.ts';
import type { Effect, Happening } from './tracer.ts';

/** One access of a call to one path or address. */
export interface TracedAccess {
  readonly what: string;
  readonly path: string;
  readonly error: number;
}

export const describe = ({ what, path, error }: TracedAccess): string =>
  `${what} ${path}${error === 0 ? '' : ` (refused, ${error})`}`;

/** Returns the accesses that the assessment does not contain. */
export function faultsOf(covered: Covered, happening: Happening, stage: Stage, base: Base): readonly string[] {
  const resources = covered.demands.flatMap(({ permission }) => permission.resources);
  const tools = new Set(
    covered.demands.flatMap(({ permission, programs }) => [
      permission.tool,
      ...programs.map(({ name }) => path.basename(name)),
    ]),
  );
  const programs = new Set(
    covered.demands.flatMap(({ programs }) => programs.flatMap(({ realPath }) => realPath ?? [])),
  );
  const accesses = happening.effects.flatMap(accessesOf);
  const passing = passingIn(accesses, resources, stage);
  const isContent = (access: TracedAccess): boolean =>
    runsContent(resources) &&
    (access.what === 'execute' || access.path === covered.cwd || access.path.startsWith(`${covered.cwd}/`));
  const isSaid = (access: TracedAccess): boolean =>
    base.allows({ ...access, path: ownProcess(access.path) }, tools) ||
    isClaimed(access, resources) ||
    isNamedInSentence(access, covered, stage) ||
    isEmptyParent(access, covered) ||
    isContacted(access, covered) ||
    isRecord(access, covered, stage.project) ||
    passing.has(access.path) ||
    (happening.end === 'timeout' && isBegunArchive(access, tools, resources)) ||
    mayStart(access, programs, tools, base) ||
    isContent(access) ||
    isOwnDirectory(access, tools, covered) ||
    isDirectoryOfFile(access, tools, covered);
  return [...new Set(accesses.filter((access) => isOnMachine(access) && !isSaid(access)).map(describe))];
}

/** Whether the tool only opened its working directory, to return to it or to learn what the file system supports. It lists nothing there. */
const isOwnDirectory = (
  { what, path: place }: TracedAccess,
  tools: ReadonlySet<string>,
  { cwd, line }: Covered,
): boolean =>
  what === 'read' &&
  (place === cwd || place === path.resolve(cwd, /^cd (\S+) && /.exec(line)?.[1] ?? '.')) &&
  ['find', 'fd', 'rm', 'chmod', 'chown', 'du', 'df', 'cp', 'mkdir', 'mv', 'tar', 'xargs', 'rsync'].some((tool) =>
    tools.has(tool),
  );

/** gzip and tar open the directory of a file, to open the file relative to it. pylint lists that directory, and works if that fails. */
function isDirectoryOfFile({ what, path: place }: TracedAccess, tools: ReadonlySet<string>, covered: Covered): boolean {
  if (what !== 'read' || !['gzip', 'zcat', 'tar', 'pylint'].some((tool) => tools.has(tool))) return false;
  const resources = covered.demands.flatMap(({ permission }) => permission.resources);
  return (
    resources.some(({ kind, value }) => kind === 'path' && path.dirname(value) === place) ||
    covered.line.split(/\s+/).some((word) => path.resolve(covered.cwd, path.dirname(word)) === place)
  );
}

export function accessesOf({ what, path: first, other, error }: Effect): readonly TracedAccess[] {
  if (what === 'rename')
    return [
      { what: 'delete', path: first, error },
      { what: 'write', path: other, error },
    ];
  // A hard link to a symbolic link reads no file. The assessment names the target of the symbolic link.
  if (what === 'link')
    return [
      { what: 'read', path: behindLink(first), error },
      { what: 'write', path: other, error },
    ];
  return [{ what, path: first, error }];
}

function behindLink(place: string): string {
  if (!isThere(place) || !lstatSync(place).isSymbolicLink()) return place;
  return existsSync(place) ? realpathSync(place) : path.resolve(path.dirname(place), readlinkSync(place));
}

/** Whether a path is on this machine. Pipes, sockets and files without a name are the call's own. */
export const isOnMachine = ({ what, path }: TracedAccess): boolean =>
  !['read', 'write', 'mode', 'owner', 'time', 'attribute'].includes(what) ||
  (path.startsWith('/') && !path.startsWith('/memfd:') && !path.endsWith(' (deleted)'));

/** Writes `/proc/1234/maps` as `/proc/self/maps`: a call can see no other processes than its own. */
const ownProcess = (path: string): string =>
  path.replace(
    /^\/proc\/(?:self|\d+)\/(?=(?:maps|status|stat|mountinfo|mounts|cgroup|cmdline|exe|fd|task|attr|loginuid|oom_score_adj|limits|auxv|comm|statm|coredump_filter|net)(?:\/|$))/,
    '/proc/self/',
  );

const NEEDED: Readonly<Record<string, readonly Access[]>> = {
  read: ['read', 'write', 'delete', 'execute'],
  write: ['write'],
  create: ['write'],
  mkdir: ['write'],
  symlink: ['write'],
  mode: ['write'],
  owner: ['write'],
  time: ['write'],
  attribute: ['write'],
  delete: ['delete', 'write'],
  execute: ['execute'],
};

/** The tools that a server's answer may lead to any other address, with the options with which they follow it; `null`: always. */
const FOLLOWING: ReadonlyMap<string, readonly string[] | null> = new Map([
  ['curl', ['--location']],
  ['wget', null],
  ['git', null],
]);

function followsAnswers({ tool, options, resources }: Permission): boolean {
  const following = FOLLOWING.get(tool);
  if (following === undefined || !resources.some(({ access }) => access === 'contact')) return false;
  return following === null || following.some((option) => options.includes(option));
}

/** Whether the card names the address, or the call follows answers of the server to other addresses. */
const isContacted = ({ what, path: address }: TracedAccess, { demands: requiredPermissions }: Covered): boolean =>
  (what === 'connect' || what === 'send') &&
  requiredPermissions.some(
    ({ permission }) =>
      mayContact(address, permission.resources) || (address.startsWith('inet ') && followsAnswers(permission)),
  );

function isClaimed(access: TracedAccess, resources: readonly Resource[]): boolean {
  const needed = NEEDED[access.what];
  if (needed !== undefined)
    return resources.some((each) => each.kind === 'path' && needed.includes(each.access) && holds(each, access.path));
  if (access.what === 'bind')
    return (
      access.path.endsWith(' 0') ||
      (access.path.startsWith('inet ') && resources.some(isAnyService)) ||
      resources.some((each) => each.kind === 'path' && each.access === 'write' && holds(each, access.path))
    );
  if (access.what === 'signal') return resources.some(({ kind, access }) => kind === 'process' && access !== 'read');
  return false;
}

/** `contact service *`: the profile of such a call has all TCP ports, also to listen on (`c *` in bin/confinement.h). */
const isAnyService = ({ kind, access, isExact }: Resource): boolean =>
  kind === 'service' && access === 'contact' && !isExact;

const sentencesOf = ({ demands }: Covered): string => demands.map(({ permission }) => permission.sentence).join(' ');

/** Whether a sentence of the card names the file that the tool itself reads, as `Logs in with ~/.netrc` does. */
const isNamedInSentence = ({ what, path: place }: TracedAccess, covered: Covered, { home }: Stage): boolean =>
  what === 'read' &&
  [...sentencesOf(covered).matchAll(/~(\/[\w./-]*[\w/])/g)].some(([, below = '']) =>
    below.endsWith('/') ? place.startsWith(home + below) || `${place}/` === home + below : place === home + below,
  );

/** Whether git deleted a directory whose last file it deleted. No system call deletes a directory that is not empty. */
const isEmptyParent = ({ what, path: place }: TracedAccess, { demands }: Covered): boolean =>
  what === 'delete' &&
  demands.some(
    ({ permission: { sentence, resources } }) =>
      sentence.includes('directories that become empty') &&
      resources.some(
        ({ kind, access, value }) => kind === 'path' && access === 'delete' && value.startsWith(`${place}/`),
      ),
  );

/** Whether the path is in .git and the assessment writes refs or remotes. The paths in .git that decide which programs run have to be named. */
function isRecord({ what, path: place }: TracedAccess, covered: Covered, top: string): boolean {
  const resources = covered.demands.flatMap(({ permission }) => permission.resources);
  const record = `${top}/.git/`;
  if (NEEDED[what] === undefined || what === 'execute' || !place.startsWith(record)) return false;
  const written = resources.filter(
    ({ kind, access }) => (kind === 'ref' && access !== 'read') || (kind === 'remote' && access !== 'read'),
  );
  if (written.length === 0) return false;
  return (
    !/^(?:config|hooks|info|modules)/.test(place.slice(record.length)) ||
    (sentencesOf(covered).includes('.git/config') && /^config(?:\.lock)?$/.test(place.slice(record.length)))
  );
}

const holds = ({ value, isExact }: Resource, place: string): boolean =>
  place === value || (!isExact && (value === '/' || place.startsWith(`${value}/`)));

/** Whether the card allows the address. Hosts are not compared, only ports: the sandbox knows no name but those of the loopback. */
function mayContact(address: string, resources: readonly Resource[]): boolean {
  const places = resources.filter((each) => each.access === 'contact' || isFetched(each));
  if (places.length === 0) return false;
  const [family, , port] = address.split(' ');
  if (family !== 'inet') return false;
  return places.some(({ kind, value, isExact }) => {
    if (kind === 'remote' || kind === 'package' || !isExact || value === '*') return true;
    const named = /^[a-z]+:\/\/(?:[^/@]*@)?(?:\[[^\]]*\]|[^/:?#]*):(\d+)/.exec(value)?.[1];
    return kind === 'url' && named !== undefined ? port === named || port === '53' : true;
  });
}

/**
 * A package that a call installs, or runs without installing it, comes from its registry. Its name on the card says so, and the
 * profile of such a call allows the network (src/core/confinement/ports.ts).
 */
const isFetched = ({ kind, access }: Resource): boolean =>
  kind === 'package' && (access === 'write' || access === 'execute');

/** The files that the call made and removed again, beside a file that it may write. Editors and packers replace a file in this way. */
function passingIn(
  accesses: readonly TracedAccess[],
  resources: readonly Resource[],
  stage: Stage,
): ReadonlySet<string> {
  const gone = new Set(accesses.flatMap(({ what, path, error }) => (what === 'delete' && error === 0 ? [path] : [])));
  const written = resources
    .filter(({ kind, access }) => kind === 'path' && (access === 'write' || access === 'delete'))
    .map(({ value }) => path.dirname(value));
  const isBeside = (place: string): boolean =>
    /^\/(?:(?:var\/)?tmp|dev\/shm)\//.test(place) && !place.startsWith(stage.root)
      ? true
      : written.includes(path.dirname(place));
  return new Set([...gone].filter((place) => isBeside(place) && !isThere(place)));
}

/** zip writes a file `zi??????` beside its archive and renames it at the end. Our time limit may kill it in between. */
const isBegunArchive = (
  { what, path: place }: TracedAccess,
  tools: ReadonlySet<string>,
  resources: readonly Resource[],
): boolean =>
  what === 'write' &&
  tools.has('zip') &&
  /^zi[A-Za-z0-9]{6}$/.test(path.basename(place)) &&
  resources.some(
    ({ kind, access, value }) => kind === 'path' && access === 'write' && path.dirname(value) === path.dirname(place),
  );

/** Whether the path existed before the call. Calls change only a layer of their own over the stage. */
function isThere(place: string): boolean {
  if (existsSync(place)) return true;
  try {
    lstatSync(place);
    return true;
  } catch {
    return false;
  }
}

/** Whether the call may start the program: a program of the line, bash, a helper of the tool, or the interpreter of a script. */
function mayStart(
  { what, path: program }: TracedAccess,
  programs: ReadonlySet<string>,
  tools: ReadonlySet<string>,
  base: Base,
): boolean {
  if (what !== 'execute') return false;
  if (programs.has(program) || program === '/usr/bin/bash' || base.mayStart(program, tools)) return true;
  return isInterpreter(program) && [...programs].some(isSystemScript);
}

/** Whether the line runs a file of the project. Such a file may do anything in the directory in which it runs. */
const runsContent = (resources: readonly Resource[]): boolean =>
  resources.some(
    ({ kind, access, isExact }) => access === 'execute' && (kind === 'target' || (kind === 'path' && isExact)),
  );

const scripts = new Map<string, boolean>();

/** Whether the file begins with `#!`. */
function isSystemScript(program: string): boolean {
  const known = scripts.get(program);
  if (known !== undefined) return known;
  const is = beginsWithMark(program);
  scripts.set(program, is);
  return is;
}

function beginsWithMark(program: string): boolean {
  const file = openSync(program, 'r');
  const start = Buffer.alloc(2);
  readSync(file, start);
  closeSync(file);
  return start.toString() === '#!';
}
