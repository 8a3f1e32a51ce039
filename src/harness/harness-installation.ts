/** How the gate is installed into one harness, and which ways past the gate stay open there. */
import { join } from 'node:path';
import type { HookPlaces, HookPlan, Scope } from './hook-file.ts';

/** A way past the gate that stays open. @property closedBy what closes it; null: nothing in the harness does */
export interface Gap {
  readonly what: string;
  readonly closedBy: string | null;
}

/**
 * @property scopes        the kinds of settings into which the hooks can be put
 * @property plan          returns the files with the hooks
 * @property settingsFiles returns the files in which a project or the user could switch hooks off; `apes hooks check` reads them
 * @property openings      returns a text for each way past the gate in the present settings; the text names the file. Switches in
 *                         `settingsFiles` are left out. Absent: no such way is looked for
 * @property line          returns the line that the harness runs before a tool; absent: it is the line of `guardLineFor`
 * @property gaps          the ways past the gate that stay open after the installation
 */
export interface HarnessInstallation {
  readonly scopes: readonly Scope[];
  readonly plan: (places: HookPlaces) => HookPlan | Promise<HookPlan>;
  readonly settingsFiles: (places: HookPlaces) => readonly string[];
  readonly openings?: (places: HookPlaces) => readonly string[] | Promise<readonly string[]>;
  readonly line?: (places: HookPlaces) => string;
  readonly gaps: readonly Gap[];
}

/** The gap of every harness, in addition to `HarnessInstallation.gaps`. */
export const NOT_A_SANDBOX: Gap = {
  what: 'an approved program (interpreter, make, a server) does what it likes; MCP servers, their start and their tools (see apes mcp-proxy), and web searches are not gated',
  closedBy: 'a sandbox, and no MCP servers that run code',
};

/** Returns the files of these names in the folder of the project, then in the folder of the user. */
export const settingsFilesIn =
  (folder: string, ...names: readonly string[]) =>
  ({ project, home }: HookPlaces): readonly string[] =>
    [project, home].flatMap((place) => names.map((name) => join(place, folder, name)));
