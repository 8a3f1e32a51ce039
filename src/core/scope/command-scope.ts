/** How far an approval of a command reaches beyond its exact bytes: types only. The approver's choice alone. */

import type { FileScope } from '../files/file-scope.ts';
import type { FetchScope } from '../tools/fetch.ts';
import type { ToolScope } from '../tools/mcp-scope.ts';
import type { DenyPatternSchema } from '../wire/policy.ts';
import type { ProposalView } from '../wire/proposals.ts';
import type { Shape } from '../wire/schema-parts.ts';
import type {
  CommandPatternSchema,
  CommandScopeSchema,
  HoursSchema,
  PlanScopeSchema,
  ResourcePatternSchema,
  ScopeConditionsSchema,
  ValuePatternSchema,
} from '../wire/scope.ts';

/**
 * Which values a resource may have.
 * - `exact`: this value; the resource's own value must be known exactly
 * - `below`: for paths: this directory (absolute, resolved) and everything in it, by whole components
 * - `glob`:  for hosts, URLs, refs, packages and the like, never for paths: `*` is any text without the separators `/` and
 *            (of hosts) `.`, `**` any text
 * - `any`:   whatever it is
 */
export type ValuePattern = Shape<typeof ValuePatternSchema>;

/** @property access not empty, none twice */
export type ResourcePattern = Shape<typeof ResourcePatternSchema>;

/**
 * What one simple command may do. It is covered when all of it fits.
 * @property operations  exact ones (`git log`), not empty; or `reading`: whatever only reads (see `isReadingPermission`), of
 *                       `tool`, or of any tool when `tool` is null
 * @property options     `any`, or the canonical options that may be given (each may be left away)
 * @property resources   every resource of the command fits one of them
 * @property highestRisk never `critical`
 * @property programs    real paths that may run, wrappers included; `root-owned` besides lets any run that only root can
 *                       change. A program that the user can change is covered only when it is listed by its path.
 */
export type CommandPattern = Shape<typeof CommandPatternSchema>;

/**
 * @property from     minutes after midnight, 0 to 1439, included
 * @property to       minutes after midnight, 1 to 1440, excluded; less than `from`: over midnight
 * @property days     0 (Sunday) to 6, on which it begins; not empty
 * @property timeZone IANA name
 */
export type Hours = Shape<typeof HoursSchema>;

/**
 * What must hold around a covered line.
 * @property host        where; equal
 * @property user        the user it runs as; must be equal
 * @property cwdBelow    the line's directory is this one or below it; null: anywhere
 * @property hours       by the server's clock; null: always
 * @property environment the variables that change what programs do: exactly these, as they were in the request it was given for
 * @property confinement the least that the kernel there must hold the line to, as the approver was shown; 0 is "not
 *                       confined". Absent, in scopes from before there were levels: 1, for "not confined" was never shown
 */
export type ScopeConditions = Shape<typeof ScopeConditionsSchema>;

/**
 * @property patterns at least one; a line is covered when each of its demands fits a pattern of this scope, or of another
 *                    standing grant of the same requester
 * @property mostUses lines it may be used for; null: any number
 */
export type CommandScope = Shape<typeof CommandScopeSchema>;

/** What a permit can name as covering a call of a tool. */
export type Reach = FileScope | ToolScope | FetchScope;

/**
 * What was given of a plan: each part has its own bytes (`scope` null) or reach, and its own number of uses.
 * @property part        its place in the plan as it was filed, from 1
 * @property fingerprint of the part's own line
 */
export type PlanScope = Shape<typeof PlanScopeSchema>;

export type GrantScope = Reach | CommandScope | PlanScope;

/**
 * A scope the server offers, computed from the request.
 * @property id    `exact` comes first and is no scope; the others are `narrow`, `operation`, `reading`, …: stable words
 * @property title one line for the approver: `git log, any options, in this repository`
 * @property held  what the kernel would hold the request to; of `exact`: could hold it to, null where it cannot
 */
export type Proposal = Omit<ProposalView, 'wouldHaveCovered' | 'scope'> & { readonly scope: CommandScope | null };

/** An effect that no line may have, whatever grants there are. One of `text` and `pattern` is not null. */
export interface DenyRule {
  readonly id: string;
  /** Null: every requester. */
  readonly requesterId: string | null;
  /** `*` is any text: the whole line, each command's source and each unwrapped form are tried; case counts. */
  readonly text: string | null;
  /** Vetoes a command of which ANY part fits: one of the operations, and (if there are resource patterns) any one resource. */
  readonly pattern: DenyPattern | null;
  /** Shown to the requester. */
  readonly reason: string;
}

/** @property operations exact or ending in `*` (`git push`, `git *`, `*`); also fits what runs elsewhere (`on web: rm`) */
export type DenyPattern = Shape<typeof DenyPatternSchema>;
