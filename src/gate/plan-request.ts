/** Files a plan. Sends the real directory, the real paths and the host facts of each part to the server. */
import { realpathSync } from 'node:fs';
import type { HostFacts } from '../core/effects/host-facts.ts';
import { type Failure, failure } from '../core/failure.ts';
import { type EnvironmentEntry, type ExecutionRequest, inOrderOfNames } from '../core/grant/request.ts';
import { partRequest, planText } from '../core/plan/plan.ts';
import type { PlanFile } from '../core/plan/plan-file.ts';
import { failed, type Result, success } from '../core/result.ts';
import type { GrantView } from '../core/wire/grant-view.ts';
import type { PlanPart } from '../core/wire/plan.ts';
import { type PlanAnswer, postPlan } from '../grants/plans.ts';
import { joinedPath } from '../platform/path-walk.ts';
import { errorCode } from '../platform/private-files.ts';
import { boundEntriesFor, currentHost, currentUser, fingerprintOf } from '../platform/surroundings.ts';
import type { Gate } from './authorize.ts';
import { resolveTarget } from './facts/real-path.ts';
import { sealClaims } from './seal-rules.ts';

/** @property cwd the absolute path of the working directory; the `cwd` of a part can be relative to it */
export interface PlanPlace {
  readonly cwd: string;
  readonly environment: ReadonlyMap<string, Buffer>;
}

/**
 * Files the plan. If the same plan is already approved and in force, returns `approved`. If not, writes an event into the journal, and
 * announces the grant if the grant is new. If the journal cannot be written, `filePlan` fails, but the plan stays filed.
 */
export async function filePlan(
  gate: Gate,
  { plan, reason }: PlanFile,
  place: PlanPlace,
): Promise<Result<PlanAnswer, Failure>> {
  const request = planRequest(plan, place);
  if (!request.ok) return request;
  const rules = gate.seals();
  if (!rules.ok) return rules;
  const hostFacts: (HostFacts | null)[] = [];
  for (const part of request.value.plan?.parts ?? []) {
    const found = await gate.lookUp(partRequest(request.value, part));
    hostFacts.push(found?.hostFacts ?? null);
  }
  const body = {
    request: request.value,
    findings: hostFacts,
    ...sealClaims(rules.value),
    ...(reason === null ? {} : { reason }),
  };
  const filed = await postPlan(gate.client, body, fingerprintOf(request.value));
  if (!filed.ok || filed.value.kind === 'approved') return filed;
  const { grant, isNew } = filed.value;
  const unrecorded = await recordFiled(gate, grant, isNew);
  return unrecorded === null ? filed : failed(unrecorded);
}

async function recordFiled(gate: Gate, grant: GrantView, isNew: boolean): Promise<Failure | null> {
  const { text, cwd } = grant.request;
  const unrecorded = gate.journal({ event: 'asked', grantId: grant.id, isNew, kind: 'plan', text, cwd });
  if (unrecorded === null && isNew) await gate.announce(grant);
  return unrecorded;
}

function planRequest(plan: PlanFile['plan'], { cwd, environment }: PlanPlace): Result<ExecutionRequest, Failure> {
  const parts: PlanPart[] = [];
  const bound = new Map<string, EnvironmentEntry>();
  for (const [at, part] of plan.parts.entries()) {
    const there = withRealPaths(part, cwd, at + 1);
    if (!there.ok) return there;
    parts.push(there.value);
    for (const entry of boundEntriesFor(environment, ['-c', part.text])) bound.set(entry.name, entry);
  }
  const whole = { ...plan, parts };
  return success({
    kind: 'plan',
    text: planText(whole, cwd),
    argv: [],
    cwd,
    host: currentHost(),
    user: currentUser(),
    environment: inOrderOfNames(bound.values()),
    plan: whole,
  });
}

function withRealPaths(part: PlanPart, base: string, number: number): Result<PlanPart, Failure> {
  const wanted = joinedPath(base, part.cwd);
  let cwd: string;
  try {
    cwd = realpathSync.native(wanted);
  } catch (error) {
    const text = `part ${number} of the plan: its directory cannot be used (${errorCode(error)})`;
    return failed(failure('usage', text, 'correct "cwd", or make the directory first'));
  }
  return success({
    ...part,
    cwd,
    ...(part.paths === undefined ? {} : { paths: part.paths.map((path) => resolveTarget(joinedPath(cwd, path))) }),
  });
}
