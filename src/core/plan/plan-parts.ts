/** How far the parts of a plan may reach: only what could be approved for their lines one by one, and no wider than asked for. */
import type { Assessment } from '../effects/assess-line.ts';
import { isAtOrBelow } from '../files/file-operation.ts';
import type { ScopeFault } from '../files/file-scope.ts';
import type { ExecutionRequest } from '../grant/request.ts';
import { failed, type Result, success } from '../result.ts';
import type { CommandPattern, CommandScope, PlanScope, ResourcePattern } from '../scope/command-scope.ts';
import { confineUnder } from '../scope/confine-covered.ts';
import { atPlace, type ProposalPlace, proposeScopes } from '../scope/propose.ts';
import { commandScopeFault } from '../scope/scope-fault.ts';
import { forbidden, unfit } from '../scope/shape.ts';
import type { PartOffer, Plan, PlanPart } from '../wire/plan.ts';

/** @property request of the part alone */
export interface PartReading {
  readonly part: PlanPart;
  readonly request: ExecutionRequest;
  readonly assessment: Assessment | null;
  readonly place: ProposalPlace;
}

/** The narrowest first, the one that was asked for last; fails with what is wrong with the wish. */
export function offersFor({ part, request, assessment, place }: PartReading): Result<readonly PartOffer[], string> {
  const proposals = proposeScopes({ request, assessment }, place);
  const wanted = proposals.findIndex(({ id }) => id === part.as);
  const [exact] = proposals;
  if (wanted < 0 && proposals.length === 1) return failed(`${exact?.title ?? 'exactly this'}; plan it as a line`);
  if (wanted < 0)
    return failed(`there is no "${part.as}" for this line; write one of ${proposals.map(({ id }) => id).join(', ')}`);
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
        title: `${proposal.title}, of it below ${part.paths.join(', ')}`,
        scope,
        held,
      });
    } else if (proposal.id === part.as) return failed('its paths leave out what its own line touches');
  }
  return success(narrowed);
}

const offerOf = ({ id, title, scope, held }: PartOffer): PartOffer => ({ id, title, scope, held });

/** The same scope, its paths cut down to what lies below one of these; null where nothing of a pattern is left. */
function cutBelow(scope: CommandScope, paths: readonly string[]): CommandScope | null {
  const patterns: CommandPattern[] = [];
  for (const pattern of scope.patterns) {
    const resources = pattern.resources.flatMap((each) => cutDown(each, paths));
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
 * Null when this may be given for that plan: some of its parts, each with a reach that was offered for it and no more uses than
 * were asked for; its order is kept.
 * @param offers of each part of the plan, in order
 */
export function planScopeFault(
  scope: PlanScope,
  { order, parts }: Plan,
  fingerprints: readonly string[],
  offers: readonly (readonly PartOffer[])[],
): ScopeFault | null {
  if (order && !scope.order) return unfit('the plan is in order; an approval keeps it');
  let last = 0;
  for (const { part, fingerprint, scope: given, uses } of scope.parts) {
    const wanted = parts[part - 1];
    if (part <= last || wanted === undefined) return unfit('the parts are those of the plan, in its order, each once');
    last = part;
    if (fingerprint !== fingerprints[part - 1]) return unfit(`part ${part} is another line`);
    if (uses > wanted.uses) return unfit(`part ${part} was asked for ${wanted.uses} uses at most`);
    const text = JSON.stringify(sorted(given));
    if (!(offers[part - 1] ?? []).some((offer) => JSON.stringify(sorted(offer.scope)) === text))
      return forbidden(`part ${part} may reach no further than what is offered for it; look again`);
  }
  return null;
}

/** With its names in one order, so that two that say the same are the same text. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, each]) => [name, sorted(each)]),
  );
}
