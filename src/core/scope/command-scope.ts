/** Types of scopes for commands: how far an approval reaches beyond the exact bytes of a line. Only the approver chooses a scope. */

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
 * Which values of a resource fit.
 * - `exact`: this value; the value of the resource must be known exactly
 * - `below`: for paths: this directory (absolute, resolved) and everything below it, by whole components
 * - `glob`:  for hosts, URLs, refs, packages and the like, never for paths: `*` is any text without a separator, `**` is any text.
 *            `/` is a separator; in hosts, `.`, `@` and `:` are separators, too
 * - `any`:   any value
 */
export type ValuePattern = Shape<typeof ValuePatternSchema>;

/** @property access at least one access, without duplicates */
export type ResourcePattern = Shape<typeof ResourcePatternSchema>;

/**
 * What one simple command may do. The pattern covers a command only if every property fits.
 * @property operations  at least one exact operation (`git log`); or `reading`: every operation of `tool` that only reads (see
 *                       `isReadingPermission`). `tool` null: every tool
 * @property options     `any`, or the only options that the command may have, in their canonical form
 * @property resources   every resource of the command must fit one of these patterns
 * @property highestRisk the highest risk of a command that the pattern covers; never `critical`
 * @property programs    `listed`: real paths of programs that may run, wrappers included. With `rootOwned`, other programs may run too,
 *                       if only root can change them. A program that the user can change must be listed
 */
export type CommandPattern = Shape<typeof CommandPatternSchema>;

/**
 * @property from     minutes after midnight, 0 to 1439; this minute is included
 * @property to       minutes after midnight, 1 to 1440; this minute is excluded. Never equal to `from`. A `to` less than `from` is on the
 *                    next day
 * @property days     the days on which the hours begin, 0 (Sunday) to 6; at least one day
 * @property timeZone IANA name
 */
export type Hours = Shape<typeof HoursSchema>;

/**
 * The conditions under which a scope covers a line.
 * @property host        the exact name of the host on which the line runs
 * @property user        the user as whom the line runs
 * @property cwdBelow    the line starts in this directory or below it; null: anywhere
 * @property hours       the hours in which the scope covers lines, by the server's clock; null: always
 * @property environment variables that change what programs do. The line must have exactly these variables, with the same values as the
 *                       approved request
 * @property confinement the lowest confinement level that the host may have; 0 is "not confined". The approver saw this level. An old scope
 *                       has no level and counts as level 1, because its approver never saw "not confined"
 */
export type ScopeConditions = Shape<typeof ScopeConditionsSchema>;

/**
 * @property patterns at least one pattern. A line is covered if each required permission of the line fits a pattern of this scope, or a
 *                    pattern of another standing grant of the same requester
 * @property mostUses how many lines may use the grant, 1 to 1,000,000; null: no limit
 */
export type CommandScope = Shape<typeof CommandScopeSchema>;

/** A scope that covers calls of tools and no command lines. The permit for such a call contains the scope. */
export type CallScope = FileScope | ToolScope | FetchScope;

/**
 * The approved parts of a plan. Each part is approved by its exact bytes (`scope` is null) or with a scope. Each part has its own number of
 * uses.
 * @property part        the number of the part in the filed plan, from 1
 * @property fingerprint the fingerprint of the part's own line, not the fingerprint of the plan
 */
export type PlanScope = Shape<typeof PlanScopeSchema>;

export type GrantScope = CallScope | CommandScope | PlanScope;

/**
 * A scope that the server offers for a request.
 * @property id    a stable word: `exact` (no scope), `narrow`, `operation`, `reading`, …
 * @property title one line for the approver: `git log with any options, reading below /home/u/app`
 * @property held  the confinement of the request under this scope; null: no confinement. The confinement of `exact` takes effect only
 *                 if the approver chooses it
 */
export type Proposal = Omit<ProposalView, 'wouldHaveCovered' | 'scope'> & { readonly scope: CommandScope | null };

/** A rule that forbids lines, with or without a grant. Exactly one of `text` and `pattern` is null. */
export interface DenyRule {
  readonly id: string;
  /** `null` means every requester. */
  readonly requesterId: string | null;
  /**
   * Compared with each text in the `DenySubject` of the line, such as the whole line and each of its commands. `*` is any text; case
   * counts.
   */
  readonly text: string | null;
  /**
   * Forbids a command that has one of the operations. If the pattern names resources, at least one resource of the command must fit, too.
   */
  readonly pattern: DenyPattern | null;
  /** The reason to show to the requester. */
  readonly reason: string;
}

/**
 * @property operations each operation is exact or ends in `*` (`git push`, `git *`, `*`); `rm` also fits an `rm` on another host or as
 *                      another user (`on web: rm`)
 * @property resources  empty: the resources of the command do not matter
 */
export type DenyPattern = Shape<typeof DenyPatternSchema>;
