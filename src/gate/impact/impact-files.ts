/** Counts the files and bytes that a command would touch right now. */
import type { Dirent, Stats } from 'node:fs';
import { type Impact, impact, MAX_ITEMS } from '../../core/impact/impact.ts';
import { matchesShellGlob } from '../../core/impact/pattern.ts';
import type { FileFilter, Question } from '../../core/impact/question.ts';
import { entriesOf, expandPlaces, expandTargets, joinBelow, look, lookThrough, type Walk } from './impact-walk.ts';

type Of<Kind extends Question['kind']> = Extract<Question, { readonly kind: Kind }>;

/** Counts files and directories, and the bytes of the regular files. Keeps the first `MAX_ITEMS` paths. */
export class Tally {
  count = 0;
  bytes = 0;
  readonly items: string[] = [];

  add(path: string, stats: Stats | null): void {
    this.count++;
    if (stats?.isFile() === true) this.bytes += stats.size;
    if (this.items.length < MAX_ITEMS) this.items.push(stats?.isDirectory() === true ? `${path}/` : path);
  }

  /** @param notes come before the notes of `walk`; each `false` is left out */
  toImpact(what: string, walk: Walk, notes: readonly (string | false)[] = []): Impact {
    const all = [
      ...notes.filter((note) => note !== false),
      ...walk.notes,
      ...(walk.isCut ? [`more than ${this.count.toLocaleString('en')}, counting stopped`] : []),
    ];
    const { items } = this;
    const [count, bytes] = this.count === 0 && walk.isBlind ? [null, null] : [this.count, this.bytes];
    return impact(what, { count, bytes, items, isCut: walk.isCut, note: all.length === 0 ? null : all.join('; ') });
  }
}

const notKnown = (unknown: readonly string[]): string | false =>
  unknown.length > 0 && `only known when it runs: ${unknown.slice(0, 4).join(' ')}`;

/** Counts the target files. The count is null if no target is known before the command runs. */
export async function lookAtFiles(question: Of<'files'>, walk: Walk): Promise<Impact> {
  const { what, targets, unknown, filter } = question;
  const tally = new Tally();
  const deleted = new Set<string>();
  for (const { path, isThrough, parentsBelow } of await expandPlaces(targets, walk)) {
    const own = look(path, walk);
    const isFollowed = own?.isSymbolicLink() === true && (isThrough || question.followsLinks);
    const stats = isFollowed ? lookThrough(path, walk) : own;
    if (stats === null || (isThrough && !stats.isDirectory())) continue;
    if (isFollowed && stats.isDirectory()) walk.notes.add('a link to a directory was followed');
    if (!stats.isDirectory()) {
      if (await passes(filter, path, stats, 0, walk)) tally.add(path, stats);
    } else if (question.isTree) await countTree(path, stats, filter, tally, walk);
    else if (question.countsDirectories) {
      tally.add(path, stats);
      if (parentsBelow !== null) await countEmptied(path, parentsBelow, deleted, tally, walk);
    }
    if (walk.isCut) break;
  }
  if (tally.count === 0 && targets.length === 0 && unknown.length > 0)
    return impact(what, { note: notKnown(unknown) || null });
  return tally.toImpact(what, walk, [
    tally.count === 0 && walk.notes.size === 0 && !walk.isCut && 'nothing is there',
    notKnown(unknown),
    filter?.isPartial === true && 'the expression of the command may choose fewer files',
  ]);
}

/**
 * Counts the parents of a directory that are below `top` and become empty when the directory is deleted. Stops at the first directory that
 * keeps an entry, because rmdir stops there.
 * @param deleted the directories that the command has deleted before; this function adds the directories that it finds
 */
async function countEmptied(path: string, top: string, deleted: Set<string>, tally: Tally, walk: Walk) {
  const isKept = async (directory: string) => {
    for await (const { name } of entriesOf(directory, walk)) if (!deleted.has(joinBelow(directory, name))) return true;
    return walk.isCut;
  };
  if (await isKept(path)) return;
  for (let at = path; ; ) {
    deleted.add(at);
    at = at.slice(0, at.lastIndexOf('/'));
    const stats = at.startsWith(joinBelow(top, '')) && !/\/\.{1,2}$/.test(at) ? look(at, walk) : null;
    if (stats?.isDirectory() !== true || deleted.has(at) || (await isKept(at))) return;
    tally.add(at, stats);
  }
}

async function countTree(top: string, stats: Stats, filter: FileFilter | null, tally: Tally, walk: Walk) {
  if (await passes(filter, top, stats, 0, walk)) tally.add(top, stats);
  const waiting: [string, number][] = [[top, 1]];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [directory, depth] = next;
    if (filter !== null && depth > filter.mostDepth) continue;
    for await (const entry of entriesOf(directory, walk)) {
      const path = joinBelow(directory, entry.name);
      if (entry.isDirectory() && !isElsewhere(filter, stats, path, walk)) waiting.push([path, depth + 1]);
      if (!mayPass(filter, entry, depth)) continue;
      const found = look(path, walk);
      if (found !== null && (await passes(filter, path, found, depth, walk))) tally.add(path, found);
    }
    if (walk.isCut) return;
  }
}

/** Whether `find` does not enter the directory, because it is on another file system than the starting point. */
const isElsewhere = (filter: FileFilter | null, top: Stats, path: string, walk: Walk): boolean =>
  filter?.isOneFileSystem === true && look(path, walk)?.dev !== top.dev;

/** Checks the conditions that need only the name and the depth, so that most files need no stat(2). */
const mayPass = (filter: FileFilter | null, { name }: Dirent, depth: number): boolean =>
  filter === null || (depth >= filter.leastDepth && (filter.name === null || matchesShellGlob(filter.name, name)));

async function passes(filter: FileFilter | null, path: string, stats: Stats, depth: number, walk: Walk) {
  if (filter === null) return true;
  if (depth < filter.leastDepth) return false;
  if (filter.name !== null && !matchesShellGlob(filter.name, path.split('/').at(-1) ?? '')) return false;
  if (filter.type === 'f' && !stats.isFile()) return false;
  if (filter.type === 'd' && !stats.isDirectory()) return false;
  if (filter.type === 'l' && !stats.isSymbolicLink()) return false;
  if (!filter.isEmpty) return true;
  return stats.isDirectory() ? isEmpty(path, walk) : stats.isFile() && stats.size === 0;
}

async function isEmpty(directory: string, walk: Walk): Promise<boolean> {
  for await (const _ of entriesOf(directory, walk)) return false;
  return true;
}

/** Matches each path that can lead to an open file of the process itself. The gate and the command get different files from such a path. */
const OWN_FILE = /^\/(?:dev\/(?:stdin|stdout|stderr|fd)|proc)(?:\/|$)/;

/**
 * Counts the files that the command would empty, and names the block devices. Follows links, as the command does. If there is no such file
 * and no block device:
 * - returns null if all targets are known now, and the walk missed no file (`isBlind`)
 * - otherwise, returns an impact without a count
 */
export async function lookAtEmptied(question: Of<'emptied'>, walk: Walk): Promise<Impact | null> {
  const tally = new Tally();
  const devices: string[] = [];
  for (const path of await expandTargets(question.targets, walk)) {
    if (OWN_FILE.test(path)) continue;
    const stats = lookThrough(path, walk);
    if (stats?.isBlockDevice() === true) devices.push(path);
    else if (stats?.isFile() === true && stats.size > 0) tally.add(path, stats);
  }
  if (tally.count === 0 && devices.length === 0 && question.unknown.length === 0)
    return walk.isBlind ? tally.toImpact(question.what, walk) : null;
  if (tally.count + devices.length === 0) return impact(question.what, { note: notKnown(question.unknown) || null });
  return tally.toImpact(question.what, walk, [
    devices.length > 0 && `all that is on the device ${devices.join(', ')}`,
    notKnown(question.unknown),
  ]);
}

/** Counts the files that the command would overwrite; null if the walk missed no file and found no such file. */
export async function lookAtReplaced(question: Of<'replaced'>, walk: Walk): Promise<Impact | null> {
  const tally = new Tally();
  const [target] = await expandTargets([question.target], walk);
  if (target === undefined) return walk.isBlind ? tally.toImpact(question.what, walk) : null;
  const place = lookThrough(target, walk); // if the target is a link to a directory, the files go into this directory
  for (const source of await expandTargets(question.sources, walk)) {
    const path = place?.isDirectory() === true ? joinBelow(target, source.split('/').at(-1) ?? '') : target;
    const stats = question.followsLinks ? lookThrough(path, walk) : look(path, walk);
    if (stats !== null && !stats.isDirectory() && look(source, walk) !== null) tally.add(path, stats);
  }
  return tally.count === 0 && !walk.isBlind ? null : tally.toImpact(question.what, walk);
}

/** Counts the files and directories that mirroring would delete: the target has them, but no source has them. */
export async function lookAtMirrored(question: Of<'mirrored'>, walk: Walk): Promise<Impact> {
  const tally = new Tally();
  const pairs = new Map<string, string[]>();
  for (const { directory, isInto } of question.sources) {
    const target = isInto ? joinBelow(question.target, directory.split('/').at(-1) ?? '') : question.target;
    pairs.set(target, [...(pairs.get(target) ?? []), directory]);
  }
  for (const [target, sources] of pairs) {
    const waiting = [''];
    for (let below = waiting.pop(); below !== undefined; below = waiting.pop()) {
      for await (const entry of entriesOf(target + below, walk)) {
        const name = `${below}/${entry.name}`;
        const stats = look(target + name, walk);
        if (entry.isDirectory()) waiting.push(name);
        if (!sources.some((source) => look(source + name, walk) !== null)) tally.add(target + name, stats);
      }
      if (walk.isCut) break;
    }
  }
  return tally.toImpact(question.what, walk, [question.isPartial && 'excluded files stay']);
}
