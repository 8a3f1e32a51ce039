/**
 * Makes the sheet of a plan. For each part, the sheet shows the assessment, what the approver allowed, and the newest lines that ran under
 * the part.
 */

import { assessmentView, viewWithDeciding } from '../../core/effects/assessment-view.ts';
import type { StoredAuditEvent } from '../../core/grant/audit-event.ts';
import { type Grant, isForPlan, stateAt } from '../../core/grant/grant.ts';
import { partState, usesOfPart } from '../../core/plan/plan-scope.ts';
import type { PlanScope } from '../../core/scope/command-scope.ts';
import { confineUnder } from '../../core/scope/confine-covered.ts';
import { scopeTitle } from '../../core/scope/scope-title.ts';
import type { PartSheet } from '../../core/wire/plan.ts';
import type { StoreReader } from '../../store/store.ts';
import type { ServerPorts } from '../server-ports.ts';
import { planParts, type ReadPart } from './plan-reading.ts';

const MAX_USES_READ = 1_000;
const MAX_RUNS_SHOWN = 20;

/** Returns one entry for each part, in order; an empty list if the grant is not a plan. */
export async function planSheet(
  parts: Pick<ServerPorts, 'rules' | 'clock'>,
  rows: StoreReader,
  grant: Grant,
): Promise<readonly PartSheet[]> {
  const read = await planParts(parts, rows, grant);
  const runs = runsByPart(await rows.eventsOf(grant.id, 'grant.used', MAX_USES_READ));
  const isPending = stateAt(grant, parts.clock.nowMs()) === 'pending';
  return read.map((readPart, at) => sheetOf(readPart, at + 1, grant, runs.get(at + 1) ?? [], isPending));
}

function sheetOf(
  read: ReadPart,
  part: number,
  { scope, partUses = [] }: Grant,
  runs: PartSheet['runs'],
  isPending: boolean,
): PartSheet {
  const given = isForPlan(scope) ? scope.parts.find((candidate) => candidate.part === part) : undefined;
  const { text, cwd, as, uses } = read.part;
  return {
    part,
    text,
    cwd,
    as,
    wantedUses: uses,
    fingerprint: read.fingerprint,
    risk: read.risk,
    assessment: read.assessment && viewWithDeciding(assessmentView(read.assessment), read.deciding),
    offers: isPending && read.offers.ok ? read.offers.value : [],
    given: given === undefined ? null : givenOf(given, read),
    state: stateOf(scope, given, partUses),
    used: usesOfPart(partUses, part),
    runs: runs.slice(0, MAX_RUNS_SHOWN),
  };
}

type GivenPart = PlanScope['parts'][number];

const givenOf = ({ scope, uses }: GivenPart, { assessment, place }: ReadPart): PartSheet['given'] => ({
  title: scope === null ? 'exactly this' : scopeTitle(scope),
  uses,
  held: scope === null ? null : confineUnder(scope, assessment?.requiredPermissions ?? [], place.confinementLevel),
});

function stateOf(scope: Grant['scope'], given: GivenPart | undefined, partUses: readonly number[]): PartSheet['state'] {
  if (!isForPlan(scope)) return 'asked';
  return given === undefined ? 'struck' : partState(scope, partUses, given);
}

/**
 * Returns a map from the number of a part to the runs of the part, the newest run first.
 * @param events the newest event first
 */
function runsByPart(events: readonly StoredAuditEvent[]): ReadonlyMap<number, PartSheet['runs']> {
  const found = new Map<number, PartSheet['runs'][number][]>();
  for (const { atMs, facts } of events)
    for (const part of String(facts['parts'] ?? '').split(' '))
      if (part !== '') {
        const runs = found.get(Number(part)) ?? [];
        runs.push({ atMs, line: String(facts['line'] ?? '') });
        found.set(Number(part), runs);
      }
  return found;
}
