/**
 * Describes the files of a project that can make a harness run something past our hook, or switch the hook off. Each harness has one table
 * of such files (`project-places.ts` in its folder). `project-findings.ts` searches for the files. A file in a folder of the harness is
 * reported even if no row names the file. So a missing row hides no file in these folders.
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
 * A row of a table. `paths` are relative to the project or to a directory above it. `*` matches any part of a name, and `**` matches any
 * number of folders. A path that ends with `**` matches everything in that folder. The first row that fits a file decides.
 * - `harmless`: such a file makes nothing run. A link or folder is harmless only if the path of the row has no `*`, or ends with `**`
 * - `reported`: each such file or folder is reported. `can` says what such a file can do
 * - `examined`: such a file is reported if `examine` returns a phrase, or if the file cannot be read
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
