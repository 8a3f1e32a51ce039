/**
 * Describes the files of a project that can make a harness run something past our hook, or switch the hook off. Each harness has one table
 * of such files (`project-places.ts` in the harness's folder). `project-findings.ts` searches for the files. A file in one of `folders` is
 * reported even if no row names the file. So a missing row hides no file in `folders`.
 */
import type { ReadToml } from '../platform/toml.ts';
import type { HookPlaces } from './hook-file.ts';

/** What an examiner needs besides the text. */
export interface Reading {
  readonly places: HookPlaces;
  readonly readToml: ReadToml;
}

/**
 * Returns one phrase for each thing in the text that can run, or that the examiner does not understand. Returns an empty list only if the
 * examiner understands the whole text and finds nothing that runs.
 */
export type Examiner = (text: string, reading: Reading) => readonly string[];

/**
 * A row of a table. `paths` are relative to the project or to a directory above the project. `*` matches an arbitrary part of a name. `**`
 * matches arbitrarily many folders. A path that ends with `**` matches everything in that folder. The first row that fits a file decides:
 * - `harmless`: the file makes nothing run. A link or folder is harmless only if the path of the row has no `*`, or ends with `**`
 * - `reported`: the file or folder is reported. `can` says what the file can do
 * - `examined`: the file is reported if `examine` returns a phrase, or if the file cannot be read
 *
 * `isClosedByManaged`: `apes hooks install --managed` prevents what the file can do
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
 * @property isNested true: the harness also reads these folders in the directories below the project
 * @property rows     the rows of the table, also rows for files outside of `folders`
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
