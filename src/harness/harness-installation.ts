/** How the gate comes into one harness, and what stays open there. */
import { join } from 'node:path';
import type { HookPlaces, HookPlan, Scope } from './hook-file.ts';

/** What stays open, as it was seen. @property closedBy null where nothing of the harness's own closes it */
export interface Gap {
  readonly what: string;
  readonly closedBy: string | null;
}

/**
 * @property scopes        whose settings it can be put into
 * @property plan          the files that hold the hooks
 * @property settingsFiles in which a project or the user could switch hooks off; read by `apes hooks check`
 * @property openings      what else passes the gate as the settings are now: one line each, with the file
 * @property line          what the harness runs before a tool, where that is not `guardLineFor`
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

/** Files of one folder, of the project first. */
export const inSettings =
  (folder: string, ...names: readonly string[]) =>
  ({ project, home }: HookPlaces): readonly string[] =>
    [project, home].flatMap((place) => names.map((name) => join(place, folder, name)));
