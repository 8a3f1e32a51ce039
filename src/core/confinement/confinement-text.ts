/** A confinement in words, for people. The caller escapes the values. */
import { beginsWithDirectory } from '../text/path.ts';
import { type Confinement, type ConfinementLevel, SYSTEM_PROGRAMS, type Unconfined } from './confinement.ts';

/** A text names at most this many paths of a list. Of the other paths, the text gives only the number. */
const SHOWN = 6;

const LEVEL: Readonly<Record<ConfinementLevel, string>> = {
  0: 'level 0 (nothing)',
  1: 'level 1 (files)',
  2: 'level 2 (files and TCP)',
  3: 'level 3 (files, TCP and places kept read-only)',
};
export const levelText = (level: ConfinementLevel): string => LEVEL[level];

/** Returns, for example, `reads /home/u/app; writes /home/u/app/build; runs /usr/bin/git; no TCP; level 3 (…)`. */
export function confinementText(held: Confinement | Unconfined): string {
  if (held.level === 0)
    return 'nothing (not confined on this host; the effects of the command are known only from the rule files)';
  const kept =
    held.level < 3 || held.readOnly.length === 0 ? [] : [`keeps ${placesIn(held)} read-only if they are there`];
  return [
    held.read.length === 0 ? 'reads no files of its own' : `reads ${few(held.read)}`,
    held.write.length === 0
      ? 'writes no files'
      : `writes ${few(held.write.map((path) => path + absentText(held, path)))}`,
    ...kept,
    programsText(held.execute),
    networkText(held),
    levelText(held.level),
  ].join('; ');
}

/**
 * Returns a sentence for the approver about each thing that the kernel of the host does not confine. Returns an empty list if the kernel
 * confines everything that the confinement names.
 */
export function unconfinedTexts(held: Confinement | Unconfined): readonly string[] {
  if (held.level === 0) return ['Not confined: the kernel of this host cannot confine anything.'];
  const open: string[] = [];
  if (held.level < 3 && held.readOnly.length > 0)
    open.push(
      `This host cannot keep ${placesIn(held)} read-only: the commands of the line can change these places, which decide what runs later.`,
    );
  if (held.level < 2)
    open.push('This host cannot confine network connections: the commands of the line can contact any address.');
  return open;
}

/**
 * Says in parentheses which directory may be written while `path` does not exist (`AbsentPlace`). Returns an empty text if there is no
 * such directory.
 */
function absentText({ absent = [] }: Confinement, path: string): string {
  const below = absent.find((place) => place.path === path)?.below ?? null;
  return below === null ? '' : ` (while it does not exist: the nearest directory above it, up to ${below})`;
}

function programsText(execute: readonly string[]): string {
  const own = execute.filter((path) => !SYSTEM_PROGRAMS.includes(path));
  const isOfSystem = own.length < execute.length;
  if (own.length === 0) return isOfSystem ? 'runs programs of the system' : 'runs no program';
  return `runs ${few(own)}${isOfSystem ? ' and programs of the system' : ''}`;
}

function networkText({ level, connect }: Confinement): string {
  if (level < 2) return 'network not confined';
  if (connect === 'any') return 'network over any TCP port, and may listen on one';
  if (connect.length === 0) return 'no TCP';
  return `network over TCP ${connect.length === 1 ? 'port' : 'ports'} ${connect.join(', ')}`;
}

function few(paths: readonly string[]): string {
  const more = paths.length - SHOWN;
  return more <= 0 ? paths.join(', ') : `${paths.slice(0, SHOWN).join(', ')} and ${more} more`;
}

/**
 * The places that people know. If a confinement keeps one of these places read-only, a text does not name the unknown read-only places:
 * most of them do not exist.
 */
const KNOWN = ['.git/config', '.git/hooks', '.git', '.claude', '.envrc', '.vscode'];

function placesIn({ readOnly, write, absent = [] }: Confinement): string {
  const named = KNOWN.filter((name) => readOnly.some((path) => path.endsWith(`/${name}`)));
  const trees = write.filter((tree) => readOnly.some((path) => beginsWithDirectory(path, tree)));
  const above = absent.flatMap(({ path, below }) => (trees.includes(path) && below !== null ? below : []));
  const places = [...new Set([...trees, ...above])];
  return `${named.length === 0 ? few(readOnly) : `${named.join(', ')} and similar places`} in ${few(places)}`;
}
