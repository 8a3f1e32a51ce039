/** Plays the traces with their plans: an approver approves each plan unchanged, and decides about the lines that no plan covers. */
import { parse } from 'unbash';
import type { Assessment } from '../../src/core/effects/assess-line.ts';
import { assessRequest, commandsOfRequest } from '../../src/core/effects/assess-request.ts';
import type { ExecutionRequest } from '../../src/core/grant/request.ts';
import { offersFor } from '../../src/core/plan/plan-parts.ts';
import { grantOfKey, openParts, partKey, usedParts } from '../../src/core/plan/plan-scope.ts';
import type { RuleBook } from '../../src/core/rules/rule.ts';
import type { PlanScope } from '../../src/core/scope/command-scope.ts';
import { scopeFactsOf } from '../../src/core/scope/conditions.ts';
import { type Candidate, coverLine } from '../../src/core/scope/cover-line.ts';
import type { Plan } from '../../src/core/wire/plan.ts';
import { fitsPart } from '../../src/server/grants/cover-by-plan.ts';
import { type DayLine, HOST, offered, placeOf, requestOf, type TraceEntry } from './replay.ts';

/** How the approver approves a usual line that no plan covers: its exact bytes, or the widest scope that is proposed. */
type Beside = 'exact' | 'scopes';

/**
 * @property asked   the lines for which an approver had to decide, apart from the plans
 * @property plans   how many plans an approver decided on
 * @property unsafe  the lines for which an approver must decide, but that something else covered than a part with their exact bytes
 * @property byPlans how many lines a plan covered
 */
export interface PlannedOutcome {
  readonly asked: readonly string[];
  readonly plans: number;
  readonly unsafe: readonly string[];
  readonly byPlans: number;
}

/**
 * An approved plan.
 * @property bytes the directory and the line of each part, as `cwd\0text`
 * @property uses  how often each part was used
 */
interface Approved {
  readonly id: string;
  readonly scope: PlanScope;
  readonly bytes: readonly string[];
  uses: readonly number[];
}

const bytesOf = ({ cwd, text }: Pick<DayLine, 'cwd' | 'text'>): string => `${cwd}\0${text}`;

export function replayPlans(trace: readonly TraceEntry[], rules: RuleBook, beside: Beside): PlannedOutcome {
  const plans: Approved[] = [];
  const grants: Candidate[] = [];
  const exact = new Set<string>();
  const asked: string[] = [];
  const unsafe: string[] = [];
  let byPlans = 0;
  for (const entry of trace) {
    if (entry.kind === 'plan') {
      plans.push(approve(`g_plan${plans.length}`, entry.plan, rules));
      continue;
    }
    const request = requestOf(entry);
    const assessment = read(request, rules);
    const way = runsBy(entry, { assessment, request }, plans, beside === 'scopes' ? grants : []);
    if (way !== 'nothing') byPlans += 1;
    if (way === 'its bytes') continue;
    const isCovered = way === 'a kind' || exact.has(bytesOf(entry)) || covers(assessment, request, grants, beside);
    if (isCovered && entry.kind !== 'usual') unsafe.push(entry.text);
    if (isCovered) continue;
    if (entry.kind !== 'foreign') asked.push(entry.text);
    if (entry.kind !== 'usual') continue;
    const widest = beside === 'exact' ? null : (offered(request, assessment).at(-1)?.scope ?? null);
    if (widest === null) exact.add(bytesOf(entry));
    else grants.push({ grantId: `g_${grants.length}`, scope: widest });
  }
  return { asked, plans: plans.length, unsafe, byPlans };
}

const read = (request: ExecutionRequest, rules: RuleBook): Assessment =>
  assessRequest(request, commandsOfRequest(request, parse), 'agrees', { rules, lookups: HOST });

/** Approves every part as it was asked for. Throws if a part cannot be approved so, which is a fault of the trace. */
function approve(id: string, plan: Plan, rules: RuleBook): Approved {
  const parts = plan.parts.map((part, at) => {
    const request = requestOf(part);
    const offers = offersFor({ part, request, assessment: read(request, rules), place: placeOf(part.cwd) });
    if (!offers.ok) throw new Error(`part ${at + 1} of a plan, ${part.text}: ${offers.failure.message}`);
    return { part: at + 1, fingerprint: String(at), scope: offers.value.at(-1)?.scope ?? null, uses: part.uses };
  });
  return {
    id,
    scope: { kind: 'plan', order: plan.order, parts },
    bytes: plan.parts.map(bytesOf),
    uses: plan.parts.map(() => 0),
  };
}

interface Asked {
  readonly assessment: Assessment;
  readonly request: ExecutionRequest;
}

/** Looks for coverage as the server does: first a part with exactly these bytes, then parts with a scope together with standing scopes. */
function runsBy(
  line: DayLine,
  { assessment: { requiredPermissions }, request }: Asked,
  plans: readonly Approved[],
  grants: readonly Candidate[],
): 'its bytes' | 'a kind' | 'nothing' {
  for (const plan of plans) {
    const part = openParts(plan.scope, plan.uses).find(
      (each) => each.scope === null && plan.bytes[each.part - 1] === bytesOf(line),
    );
    if (part === undefined) continue;
    plan.uses = usedParts(plan.scope, plan.uses, [part.part]) ?? plan.uses;
    return 'its bytes';
  }
  if (requiredPermissions === null) return 'nothing';
  const kinds = plans.flatMap(({ id, scope, uses }) =>
    openParts(scope, uses).flatMap((each) =>
      each.scope === null || !fitsPart(requiredPermissions, each.scope)
        ? []
        : [{ grantId: partKey(id, each.part), scope: each.scope }],
    ),
  );
  const covered = coverLine(requiredPermissions, [...kinds, ...grants], scopeFactsOf(request, 0));
  if (covered.kind !== 'covered') return 'nothing';
  const used = covered.grantIds.map(grantOfKey).filter(({ part }) => part !== null);
  for (const plan of plans) {
    const parts = used.flatMap(({ grantId, part }) => (grantId === plan.id && part !== null ? [part] : []));
    if (parts.length > 0) plan.uses = usedParts(plan.scope, plan.uses, parts) ?? plan.uses;
  }
  return used.length > 0 ? 'a kind' : 'nothing';
}

const covers = (
  { requiredPermissions }: Assessment,
  request: ExecutionRequest,
  grants: readonly Candidate[],
  beside: Beside,
): boolean =>
  beside === 'scopes' &&
  requiredPermissions !== null &&
  coverLine(requiredPermissions, grants, scopeFactsOf(request, 0)).kind === 'covered';
