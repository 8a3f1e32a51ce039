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
 * @property line          what the harness runs before a tool, where that is not `guardLineFor`
 * @property findOpen      what else was found that leads past the gate, one line each; read by `apes hooks check`
 */
export interface HarnessInstallation {
  readonly scopes: readonly Scope[];
  readonly plan: (places: HookPlaces) => HookPlan | Promise<HookPlan>;
  readonly settingsFiles: (places: HookPlaces) => readonly string[];
  readonly line?: (places: HookPlaces) => string;
  readonly findOpen?: (places: HookPlaces) => readonly string[] | Promise<readonly string[]>;
  readonly gaps: readonly Gap[];
}

export const NOT_A_SANDBOX: Gap = {
  what: 'an approved program (interpreter, make, a server) does what it likes; MCP tools and web fetches are not gated',
  closedBy: 'a sandbox, and no MCP servers that run code',
};

/** Files of one folder, of the project first. */
export const inSettings =
  (folder: string, ...names: readonly string[]) =>
  ({ project, home }: HookPlaces): readonly string[] =>
    [project, home].flatMap((place) => names.map((name) => join(place, folder, name)));
