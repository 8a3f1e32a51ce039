/**
 * Describes which files of a project a harness reads that can make it run something that our hook does not see, or switch the hook off.
 * Each harness has one table of them (`project-places.ts` in its folder). `project-findings.ts` looks at the files. A file that no row of
 * the table names is reported if it is in a folder of the harness. So a row that is missing or wrong never hides a file.
 */
import type { ReadToml } from '../platform/toml.ts';
import type { HookPlaces } from './hook-file.ts';

/** What an examiner needs besides the text. */
export interface Reading {
  readonly places: HookPlaces;
  readonly readToml: ReadToml;
}

/**
 * Returns one phrase for each thing in the text that can run, or that the examiner does not understand. Returns an empty list only if it
 * understands the whole text and finds nothing that runs.
 */
export type Examiner = (text: string, reading: Reading) => readonly string[];

/**
 * A row of a table. `paths` are relative to the project or to a directory above it. In a path, `*` is any part of a name, and `**` is any
 * number of folders; a path that ends with `**` is everything in that folder. The first row that fits a file decides.
 * - `harmless`: such a file makes nothing run. A link counts as harmless only if its path has no `*` in it, or ends with `**`
 * - `reported`: each such file or folder is reported. `can` says what it can do
 * - `examined`: such a file is reported unless `examine` finds nothing that runs
 *
 * `isClosedByManaged`: `apes hooks install --managed` prevents what such a file can do
 */
export type PlaceRow =
  | { readonly kind: 'harmless'; readonly paths: readonly string[] }
  | { readonly kind: 'reported'; readonly paths: readonly string[]; readonly can: string }
  | {
      readonly kind: 'examined';
      readonly paths: readonly string[];
      readonly examine: Examiner;
      readonly isClosedByManaged?: true;
    };

/**
 * @property folders  the folders in which the harness keeps its files in a project
 * @property isNested true: the harness reads these folders in the directories below the project too
 * @property rows     the rows of the table, also of files outside of `folders`
 */
export interface ProjectPlaces {
  readonly folders: readonly string[];
  readonly isNested?: true;
  readonly rows: readonly PlaceRow[];
}

export const harmless = (...paths: readonly string[]): PlaceRow => ({ kind: 'harmless', paths });

export const reported = (can: string, ...paths: readonly string[]): PlaceRow => ({ kind: 'reported', paths, can });

export const examined = (examine: Examiner, ...paths: readonly string[]): PlaceRow => ({
  kind: 'examined',
  paths,
  examine,
});

export const closedByManaged = (row: PlaceRow): PlaceRow =>
  row.kind === 'examined' ? { ...row, isClosedByManaged: true } : row;
