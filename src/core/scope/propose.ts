/**
 * Makes the few scopes that the server offers for a request, the widest last. Each scope covers the request. Each scope also passes the
 * checks of an approval.
 */

import type { ConfinementLevel } from '../confinement/confinement.ts';
import type { RequiredPermission } from '../effects/assess-line.ts';
import { type HostFacts, levelIn } from '../effects/host-facts.ts';
import { isAtOrBelow, parentOf } from '../text/path.ts';
import { mayBeOffered } from './areas.ts';
import type { CommandPattern, CommandScope, Proposal } from './command-scope.ts';
import { boundVariables } from './conditions.ts';
import { confineUnder } from './confine-covered.ts';
import { confineExact } from './confine-exact.ts';
import { isImplied } from './covers-required.ts';
import { proposalTitleOf } from './proposal-title.ts';
import { merged, narrowPattern, operationPattern, readingPattern } from './proposed-patterns.ts';
import { isReadingPermission } from './reading-permission.ts';
import { type AskedLine, commandScopeFault, exactOnly, mayHaveCommandScope } from './scope-fault.ts';

/**
 * @property cwd        the request's directory with its links followed
 * @property repository the top of the git repository that contains `cwd`; null: no repository contains `cwd`, or the repository is not
 *                      known
 * @property home       the user's home directory; null: not known
 * @property confinementLevel the level that the host reports
 */
export interface ProposalPlace {
  readonly cwd: string;
  readonly repository: string | null;
  readonly home: string | null;
  readonly confinementLevel: ConfinementLevel;
}

/**
 * Returns the place that the requester's host found. If `hostFacts` is null, `cwd` stays unresolved, and repository and home are null.
 */
export function proposalPlaceOf(cwd: string, hostFacts: HostFacts | null): ProposalPlace {
  const real = hostFacts?.paths.find(({ path, end }) => path === cwd && end === 'target')?.resolved ?? cwd;
  const repository = hostFacts?.repositories.find(({ directory }) => directory === real)?.top ?? null;
  return { cwd: real, repository, home: hostFacts?.home ?? null, confinementLevel: levelIn(hostFacts) };
}

/** Returns `asked` with the directory and the confinement level of the place. */
export const atPlace = (asked: AskedLine, { cwd, confinementLevel }: ProposalPlace): AskedLine => ({
  ...asked,
  cwd,
  confinementLevel,
});

const MAX_PROPOSALS = 4;

/**
 * Returns one to four proposals. The first proposal is `exact`: it covers exactly the request, and its scope is null. If `exact` is the
 * only proposal, its title says why nothing wider may be given.
 */
export function proposeScopes(asked: AskedLine, place: ProposalPlace): readonly Proposal[] {
  const { request, assessment } = asked;
  const confined = confineExact(asked, place);
  const held = confined.ok ? confined.value : null;
  const reason = mayHaveCommandScope(request.kind) ? exactOnly(asked) : `is a ${request.kind}`;
  if (reason !== null)
    return [
      {
        id: 'exact',
        title: `exactly this: nothing wider may be given, because the request ${reason}`,
        scope: null,
        held,
        whyOnlyExact: `the request ${reason}`,
      },
    ];
  const requiredPermissions = assessment?.requiredPermissions ?? [];
  const offered: Proposal[] = [];
  let refused = 'what it touches is not known well enough for anything wider';
  for (const draft of draftsFor(requiredPermissions, place)) {
    const scope = scopeOf(draft, asked, place.confinementLevel);
    const fault = scope === null ? null : commandScopeFault(scope, atPlace(asked, place), false);
    if (fault !== null) refused = fault.message;
    if (scope === null || fault !== null) continue;
    const isNew = !offered.some(({ scope: other }) => JSON.stringify(other) === JSON.stringify(scope));
    if (!isNew) continue;
    const title = proposalTitleOf(draft.id, scope, requiredPermissions);
    offered.push({
      id: draft.id,
      title,
      scope,
      held: confineUnder(scope, requiredPermissions, place.confinementLevel),
    });
  }
  if (offered.length === 0)
    return [{ id: 'exact', title: `exactly this: ${refused}`, scope: null, held, whyOnlyExact: refused }];
  return [{ id: 'exact', title: 'exactly this', scope: null, held }, ...offered].slice(0, MAX_PROPOSALS);
}

/**
 * A scope that is not checked yet.
 * @property patterns the patterns for the commands. An element is null if no pattern is certain to fit the command
 * @property below    the directory in or below which the line may start; null: anywhere
 */
interface Draft {
  readonly id: string;
  readonly patterns: readonly (CommandPattern | null)[];
  readonly below: string | null;
}

function draftsFor(requiredPermissions: readonly RequiredPermission[], place: ProposalPlace): readonly Draft[] {
  const project = projectOf(place);
  const below = project ?? (place.cwd === '/' ? null : place.cwd);
  const own = requiredPermissions.filter((required) => !isImplied(required));
  const reading = own.filter(({ permission }) => isReadingPermission(permission));
  const others = own.filter(({ permission }) => !isReadingPermission(permission));
  const narrow = { id: 'narrow', patterns: merged(own.map(narrowPattern)), below };
  const around = (required: RequiredPermission) => operationPattern(required, own, project, place.home);
  const operation = { id: 'operation', patterns: merged(own.map(around)), below };
  if (own.length === 0)
    return [{ id: 'reading', patterns: [readingPattern(null, requiredPermissions, project, place.home)], below }];
  if (reading.length === 0) return [narrow, operation];
  const tools = [...new Set(reading.map(({ permission }) => permission.tool))].filter((tool) => tool !== 'shell');
  const ofTools = tools.map((tool) => readingPattern(tool, own, project, place.home));
  if (others.length === 0) {
    const wide = wideProject(project, place.home);
    return [
      ...(tools.length === 0 ? [narrow] : []),
      operation,
      ...(tools.length === 0 ? [] : [{ id: 'reading', patterns: ofTools, below }]),
      { id: 'reading-any', patterns: [readingPattern(null, own, wide, place.home)], below: wide ?? below },
    ];
  }
  const withReading = merged([...others.map(around), readingPattern(null, reading, project, place.home)]);
  return [narrow, operation, { id: 'operation-reading', patterns: withReading, below }];
}

/**
 * Returns the repository that contains `cwd`; `cwd` if no repository is known. Returns null if the directory may not be offered as a whole
 * (`mayBeOffered`).
 */
const projectOf = ({ cwd, repository, home }: ProposalPlace): string | null => {
  const found = repository !== null && isAtOrBelow(cwd, repository) ? repository : cwd;
  return mayBeOffered(found, home) ? found : null;
};

/** Returns the parent directory of the project if this parent is below the home directory and may be offered; else the project. */
function wideProject(project: string | null, home: string | null): string | null {
  if (project === null) return null;
  const parent = parentOf(project);
  return home !== null && isAtOrBelow(parent, home) && mayBeOffered(parent, home) ? parent : project;
}

function scopeOf(
  { patterns, below }: Draft,
  { request }: AskedLine,
  confinement: ConfinementLevel,
): CommandScope | null {
  const whole = patterns.flatMap((pattern) => pattern ?? []);
  if (whole.length === 0 || whole.length < patterns.length) return null;
  return {
    kind: 'commands',
    patterns: whole,
    conditions: {
      host: request.host,
      user: request.user,
      cwdBelow: below,
      hours: null,
      environment: boundVariables(request.environment),
      confinement,
    },
    mostUses: null,
  };
}
