/** Assesses a line as a host and a server do: the host looks up host facts, the server reads the line with them and makes proposals. */
import { parse } from 'unbash';
import type { Confinement, ConfinementLevel } from '../../src/core/confinement/confinement.ts';
import { isConfinement } from '../../src/core/confinement/confinement-shape.ts';
import type { RequiredPermission } from '../../src/core/effects/assess-line.ts';
import { assessByHostFacts, assessRequest, commandsOfRequest } from '../../src/core/effects/assess-request.ts';
import { type Lookups, recordLookups } from '../../src/core/effects/host-facts.ts';
import type { ExecutionRequest } from '../../src/core/grant/request.ts';
import type { RuleBook } from '../../src/core/rules/rule.ts';
import type { CommandScope } from '../../src/core/scope/command-scope.ts';
import { scopeFactsOf } from '../../src/core/scope/conditions.ts';
import { type Candidate, coverLine } from '../../src/core/scope/cover-line.ts';
import { proposalPlaceOf, proposeScopes } from '../../src/core/scope/propose.ts';
import { lookupsOf } from '../../src/gate/facts/look-up.ts';
import { readingScope } from '../../src/server/grants/reading-policy.ts';
import type { Stage } from './stage.ts';
import { environmentOf } from './tracer.ts';

/**
 * @property demands the required permissions of the line
 * @property held    the confinement under the widest scope that is offered for the line; null: only scopes for hosts that cannot
 *                   confine cover the line
 */
export interface Covered {
  readonly line: string;
  readonly cwd: string;
  readonly request: ExecutionRequest;
  readonly demands: readonly RequiredPermission[];
  readonly held: Confinement | null;
}

const HOST = 'stage';
const USER = 'nobody';
const NOW_MS = Date.UTC(2026, 5, 15, 12);
const MAX_SCOPES = 60;
/** The level of the host for which lines are assessed: the highest one. */
const LEVEL: ConfinementLevel = 3;

export interface CallJudge {
  /** Returns null if no scope covers the line. Scopes that are offered for it also count for all later calls. */
  readonly judge: (line: string, cwd: string) => Covered | null;
}

/** Keeps the results of lookups. The stage does not change while calls run, because each call has a layer of its own. */
function remembering(live: Lookups): Lookups {
  const kept = <Given extends readonly unknown[], Found>(
    look: (...given: Given) => Found,
  ): ((...given: Given) => Found) => {
    const known = new Map<string, Found>();
    return (...given) => {
      const key = JSON.stringify(given);
      const found = known.get(key);
      if (found !== undefined || known.has(key)) return found as Found;
      const value = look(...given);
      known.set(key, value);
      return value;
    };
  };
  const functions = Object.entries(live).map(([name, value]) => [
    name,
    typeof value === 'function' ? kept(value as never) : value,
  ]);
  return Object.fromEntries(functions) as Lookups;
}

/** Each call finds an empty /tmp, which the tracer mounts. What this host has in its own /tmp must change no assessment. */
const withEmptyTmp = (live: Lookups): Lookups => ({
  ...live,
  sensitiveBelow: (directory) => (directory === '/tmp' ? [] : live.sensitiveBelow(directory)),
  hasLinksOut: (directory, depth) => directory !== '/tmp' && live.hasLinksOut(directory, depth),
});

export function makeJudge(stage: Stage, rules: RuleBook): CallJudge {
  const variables = environmentOf(stage);
  const environment = Object.entries(variables).map(([name, value]) => ({ name, value }));
  const entries = new Map(Object.entries(variables));
  const lookups = new Map<string, Lookups>();
  const policy = readingScope({ host: HOST, user: USER }, [stage.project, stage.linked], environment, 0);
  const standing = new Map<string, Candidate>([['policy', { grantId: 'policy', scope: policy }]]);

  const judge = (line: string, cwd: string): Covered | null => {
    const request: ExecutionRequest = {
      kind: 'command',
      text: line,
      argv: ['-c', line],
      cwd,
      host: HOST,
      user: USER,
      environment,
    };
    const live = lookups.get(cwd) ?? remembering(withEmptyTmp(lookupsOf({ cwd, entries })));
    lookups.set(cwd, live);
    const { lookups: recorded, recordedFacts } = recordLookups(live);
    recorded.repositoryOf(recorded.resolvePath(cwd, 'target'));
    // bash cannot run a line that it cannot parse.
    if (
      assessRequest(request, commandsOfRequest(request, parse), 'agrees', { rules, lookups: recorded })
        .requiredPermissions === null
    )
      return null;
    const hostFacts = recordedFacts('agrees', LEVEL);
    const assessment = assessByHostFacts(request, hostFacts, { rules, parse });
    const { requiredPermissions, opaque, isComplete } = assessment;
    if (requiredPermissions === null || requiredPermissions.length === 0 || opaque.length > 0 || !isComplete)
      return null;
    const place = proposalPlaceOf(cwd, hostFacts);
    const offeredAt = (confinementLevel: ConfinementLevel) =>
      proposeScopes({ request, assessment, cwd: place.cwd, confinementLevel }, { ...place, confinementLevel }).filter(
        ({ scope }) => scope !== null,
      );
    const held = offeredAt(LEVEL).at(-1)?.held ?? null;
    const open = offeredAt(0).flatMap(({ scope }) => scope ?? []);
    for (const scope of open) remember(standing, scope);
    const facts = scopeFactsOf(request, NOW_MS, place.cwd, 0);
    const isCovered =
      held !== null ||
      open.length > 0 ||
      coverLine(requiredPermissions, [...standing.values()], facts).kind === 'covered';
    return isCovered
      ? { line, cwd, request, demands: requiredPermissions, held: held !== null && isConfinement(held) ? held : null }
      : null;
  };
  return { judge };
}

/** Keeps the first MAX_SCOPES scopes. They are those of the simple calls, which come first. */
function remember(standing: Map<string, Candidate>, scope: CommandScope): void {
  const key = JSON.stringify(scope.patterns);
  if (standing.size < MAX_SCOPES && !standing.has(key)) standing.set(key, { grantId: `g${standing.size}`, scope });
}
