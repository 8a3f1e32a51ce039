/** How the gate is installed into one harness, and which ways past the gate stay open in this harness. */
import type { HookPlaces, HookPlan, Scope } from './hook-file.ts';
import type { ProjectPlaces } from './project-places.ts';

/**
 * A way past the gate that the installation leaves open.
 * @property closedBy what else closes this way; null: nothing closes this way
 */
export interface Gap {
  readonly what: string;
  readonly closedBy: string | null;
}

/**
 * @property scopes        the kinds of settings into which the hooks can be put
 * @property plan          returns the files with the hooks
 * @property projectPlaces which files of a project can make the harness run something past the gate
 * @property settingsFiles returns the files of the user and the machine in which hooks can be switched off
 * @property openings      returns one line for each way past the gate that is not in a project; the line says what opens the way. Does
 *                         not report a setting in `settingsFiles` that switches hooks off: `findSwitches` reports it. Absent: this
 *                         harness has no such check
 * @property line          returns the line that the harness runs before a tool; absent: `guardLineFor` returns this line
 * @property gaps          the ways past the gate that stay open after the installation
 */
export interface HarnessInstallation {
  readonly scopes: readonly Scope[];
  readonly plan: (places: HookPlaces) => HookPlan | Promise<HookPlan>;
  readonly projectPlaces: ProjectPlaces;
  readonly settingsFiles: (places: HookPlaces) => readonly string[];
  readonly openings?: (places: HookPlaces) => readonly string[] | Promise<readonly string[]>;
  readonly line?: (places: HookPlaces) => string;
  readonly gaps: readonly Gap[];
}

/** The gap of every harness, in addition to `HarnessInstallation.gaps`. */
export const NOT_A_SANDBOX: Gap = {
  what: 'an approved program (interpreter, make, a server) can do anything; web searches, the start of MCP servers and their tools are not gated (for MCP, see apes mcp-proxy)',
  closedBy: 'a sandbox, and no MCP servers that run code',
};
