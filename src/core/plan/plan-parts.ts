/**
 * Decides which scopes an approver may give to a part of a plan. These are the scopes that the part's line could get without the plan.
 * A scope that is wider than the requested scope is left out.
 */

import type { Assessment } from '../effects/assess-line.ts';
import { type Fault, fault } from '../fault.ts';
import type { ExecutionRequest } from '../grant/request.ts';
import { failed, type Result, success } from '../result.ts';
import type { CommandPattern, CommandScope, PlanScope, ResourcePattern } from '../scope/command-scope.ts';
import { confineUnder } from '../scope/confine-covered.ts';
import { atPlace, type ProposalPlace, proposeScopes } from '../scope/propose.ts';
import { commandScopeFault } from '../scope/scope-fault.ts';
import { forbidden, type ScopeFault, unfit } from '../scope/unfit.ts';
import { isAtOrBelow } from '../text/path.ts';
import type { PartOffer, Plan, PlanPart } from '../wire/plan.ts';

/**
 * @property request    the request that `ape-shell -c` would make for the line of this part
 * @property assessment null: the line was not assessed
 */
export interface PartReading {
  readonly part: PlanPart;
  readonly request: ExecutionRequest;
  readonly assessment: Assessment | null;
  readonly place: ProposalPlace;
}

/**
 * Returns the scopes to offer: the narrowest scope first, the requested scope last. Fails if the requested scope cannot be offered. The
 * caller puts "part N: " before the message.
 */
export function offersFor({ part, request, assessment, place }: PartReading): Result<readonly PartOffer[], Fault> {
  const proposals = proposeScopes({ request, assessment }, place);
  const wanted = proposals.findIndex(({ id }) => id === part.as);
  const [exact] = proposals;
  if (wanted < 0 && proposals.length === 1)
    return failed(
      fault(
        `only its exact bytes can be approved (${exact?.title ?? 'exactly this'}); write "line" in place of "like"`,
      ),
    );
  if (wanted < 0)
    return failed(
      fault(`its line has no scope "${part.as}"; write one of ${proposals.map(({ id }) => id).join(', ')}`),
    );
  if (part.paths === undefined) return success(proposals.slice(0, wanted + 1).map(offerOf));
  const narrowed: PartOffer[] = [];
  for (const proposal of proposals.slice(0, wanted + 1)) {
    const scope = proposal.scope === null ? null : cutBelow(proposal.scope, part.paths);
    const isFit = scope !== null && commandScopeFault(scope, atPlace({ request, assessment }, place), false) === null;
    if (proposal.scope === null) narrowed.push(offerOf(proposal));
    else if (isFit) {
      const held = confineUnder(scope, assessment?.requiredPermissions ?? [], place.confinementLevel);
      narrowed.push({
        ...offerOf(proposal),
        title: `${proposal.title}, but only paths below ${part.paths.join(', ')}`,
        scope,
        held,
      });
    } else if (proposal.id === part.as)
      return failed(fault('its "paths" leave out a path that its own example touches; add that path'));
  }
  return success(narrowed);
}

const offerOf = ({ id, title, scope, held }: PartOffer): PartOffer => ({ id, title, scope, held });

/** Limits the path patterns of the scope to `paths` and to what is below `paths`. A path pattern that cannot be limited is removed. */
function cutBelow(scope: CommandScope, paths: readonly string[]): CommandScope {
  const patterns: CommandPattern[] = [];
  for (const pattern of scope.patterns) {
    const resources = pattern.resources.flatMap((resource) => cutDown(resource, paths));
    patterns.push({ ...pattern, resources });
  }
  return { ...scope, patterns };
}

function cutDown(resource: ResourcePattern, paths: readonly string[]): readonly ResourcePattern[] {
  const { kind, values } = resource;
  if (kind !== 'path') return [resource];
  if (values.match === 'exact') return paths.some((path) => isAtOrBelow(values.value, path)) ? [resource] : [];
  if (values.match !== 'below') return [];
  if (paths.some((path) => isAtOrBelow(values.value, path))) return [resource];
  return paths
    .filter((path) => isAtOrBelow(path, values.value))
    .map((value) => ({ ...resource, values: { match: 'below', value } }));
}

/**
 * Returns why an approver may not give `scope` for the plan; null: the approver may give it. Checks that:
 * - `scope` lists only parts of the plan, each at most once, in the order of the plan
 * - `scope.order` is true if `order` of the plan is true
 * - each part has the fingerprint of its line
 * - each part has a scope that was offered for this part
 * - no part has more uses than the requester asked for
 * @param fingerprints the fingerprint of each part's line, in the order of the plan
 * @param offers the offered scopes of each part, in the order of the plan
 */
export function planScopeFault(
  scope: PlanScope,
  { order, parts }: Plan,
  fingerprints: readonly string[],
  offers: readonly (readonly PartOffer[])[],
): ScopeFault | null {
  if (order && !scope.order) return unfit('the parts of this plan run in order, and the approval must keep that order');
  let last = 0;
  for (const { part, fingerprint, scope: given, uses } of scope.parts) {
    const wanted = parts[part - 1];
    if (part <= last || wanted === undefined)
      return unfit('the approval has to name parts of the plan, in the order of the plan, each once');
    last = part;
    if (fingerprint !== fingerprints[part - 1]) return unfit(`approval and plan differ in the line of part ${part}`);
    if (uses > wanted.uses) return unfit(`part ${part} may have at most ${wanted.uses} uses, as the requester asked`);
    const text = JSON.stringify(sorted(given));
    if (!(offers[part - 1] ?? []).some((offer) => JSON.stringify(sorted(offer.scope)) === text))
      return forbidden(`part ${part} has a scope that the server does not offer for it; read the plan again`);
  }
  return null;
}

/** Returns a copy in which the members of each object are sorted by name. So equal values have the same JSON. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, member]) => [name, sorted(member)]),
  );
}
