/** How the gate is installed into one harness, and what stays open there. */
import { join } from 'node:path';
import type { HookPlaces, HookPlan, Scope } from './hook-file.ts';

/** What was seen to stay open. @property closedBy what closes it; null if nothing in the harness does */
export interface Gap {
  readonly what: string;
  readonly closedBy: string | null;
}

/**
 * @property scopes        the settings that the hooks can be put into
 * @property plan          the files with the hooks
 * @property settingsFiles files in which a project or the user could switch hooks off; `apes hooks check` reads them
 * @property openings      what else bypasses the gate with the present settings: one line each, with the file
 * @property line          the line that the harness runs before a tool, if it is not that of `guardLineFor`
 */
export interface HarnessInstallation {
  readonly scopes: readonly Scope[];
  readonly plan: (places: HookPlaces) => HookPlan | Promise<HookPlan>;
  readonly settingsFiles: (places: HookPlaces) => readonly string[];
  readonly openings?: (places: HookPlaces) => readonly string[] | Promise<readonly string[]>;
  readonly line?: (places: HookPlaces) => string;
  readonly gaps: readonly Gap[];
}

export const NOT_A_SANDBOX: Gap = {
  what: 'an approved program (interpreter, make, a server) does what it likes; MCP servers, their start and their tools (see apes mcp-proxy), and web searches are not gated',
  closedBy: 'a sandbox, and no MCP servers that run code',
};

/** Returns the files of these names in the project's folder, then in the user's. */
export const inSettings =
  (folder: string, ...names: readonly string[]) =>
  ({ project, home }: HookPlaces): readonly string[] =>
    [project, home].flatMap((place) => names.map((name) => join(place, folder, name)));
