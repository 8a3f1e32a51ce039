/** How far an approval of a command reaches beyond its exact bytes. Only the approver chooses it. Types only. */

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
 * - `any`:   any value
 */
export type ValuePattern = Shape<typeof ValuePatternSchema>;

/** @property access at least one, each once */
export type ResourcePattern = Shape<typeof ResourcePatternSchema>;

/**
 * What one simple command may do. The pattern covers a command only when every property fits.
 * @property operations  at least one exact operation (`git log`); or `reading`: every operation of `tool` that only reads (see
 *                       `isReadingPermission`). `tool` null: every tool
 * @property options     `any`, or the only options that a command may have, in their canonical form
 * @property resources   every resource of the command must fit one of these patterns
 * @property highestRisk never `critical`
 * @property programs    `listed`: real paths of programs that may run, wrappers included; `rootOwned`: whether any program
 *                       that only root can change may run too. A program that the user can change must be listed.
 */
export type CommandPattern = Shape<typeof CommandPatternSchema>;

/**
 * @property from     minutes after midnight, 0 to 1439, included
 * @property to       minutes after midnight, 1 to 1440, excluded; less than `from`: on the next day
 * @property days     0 (Sunday) to 6: the days on which the hours begin; at least one
 * @property timeZone IANA name
 */
export type Hours = Shape<typeof HoursSchema>;

/**
 * What must hold around a covered line.
 * @property host        the host of the line, by its exact name
 * @property user        the user that the line runs as
 * @property cwdBelow    the line's directory is this one or below it; null: anywhere
 * @property hours       by the server's clock; null: always
 * @property environment the variables that change what programs do: the line must have exactly these, with the values of
 *                       the request that the scope was given for
 * @property confinement the least confinement level of the host, as the approver was shown it; 0 is "not confined". A
 *                       scope that was made before levels existed has no level. It counts as level 1, because its approver was
 *                       never shown "not confined"
 */
export type ScopeConditions = Shape<typeof ScopeConditionsSchema>;

/**
 * @property patterns at least one; a line is covered when each of its required permissions fits a pattern of this scope, or
 *                    of another standing grant of the same requester
 * @property mostUses how many lines may use it, 1 to 1,000,000; null: any number
 */
export type CommandScope = Shape<typeof CommandScopeSchema>;

/** A scope that covers calls of tools and no command lines. A permit contains it. */
export type CallScope = FileScope | ToolScope | FetchScope;

/**
 * The parts of a plan that were approved: each has its exact bytes (`scope` null) or a scope, and its own number of uses.
 * @property part        the number of the part in the plan as it was filed, from 1
 * @property fingerprint of the part's own line, not of the plan
 */
export type PlanScope = Shape<typeof PlanScopeSchema>;

export type GrantScope = CallScope | CommandScope | PlanScope;

/**
 * A scope the server offers, computed from the request.
 * @property id    a stable word: `exact` comes first and is no scope; the others are `narrow`, `operation`, `reading`, …
 * @property title one line for the approver: `git log with any options, reading below /home/u/app`
 * @property held  the confinement of the request under this scope; with `exact`: the confinement that the approver may choose,
 *                 or null if no confinement is possible
 */
export type Proposal = Omit<ProposalView, 'wouldHaveCovered' | 'scope'> & { readonly scope: CommandScope | null };

/** An effect that no line may have, whatever grants there are. One of `text` and `pattern` is not null. */
export interface DenyRule {
  readonly id: string;
  /** `null` means every requester. */
  readonly requesterId: string | null;
  /** Tried on the whole line, each command's source and each unwrapped form; `*` is any text; case counts. */
  readonly text: string | null;
  /** Vetoes a command that has one of the operations and, if the pattern names resources, ANY resource that fits. */
  readonly pattern: DenyPattern | null;
  /** Shown to the requester. */
  readonly reason: string;
}

/**
 * @property operations exact or ending in `*` (`git push`, `git *`, `*`); `rm` also fits an `rm` on another host or as
 *                      another user (`on web: rm`)
 */
export type DenyPattern = Shape<typeof DenyPatternSchema>;
