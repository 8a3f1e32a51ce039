/** THE gate: the one path from a request to a Permit. All code that runs something gets its permit here. */

import type { Journal } from '../audit/journal.ts';
import { confinementOrNull } from '../core/confinement/confinement.ts';
import type { Assessment } from '../core/effects/assess-line.ts';
import { type Failure, failure, nothingRan, seesHealth } from '../core/failure.ts';
import { issuePermit, type Permit } from '../core/grant/authorization.ts';
import { isForCommands, type Term } from '../core/grant/grant.ts';
import type { ExecutionRequest } from '../core/grant/request.ts';
import type { LineReading } from '../core/reading/line-reading.ts';
import { failed, type Result, success } from '../core/result.ts';
import type { CallScope } from '../core/scope/command-scope.ts';
import { sealFailure } from '../core/sealed/seal-fault.ts';
import { leftText } from '../core/server-notice.ts';
import type { GrantView } from '../core/wire/grant-view.ts';
import type { PermitPayload } from '../core/wire/permit.ts';
import { finalStateFailure } from '../grants/answers.ts';
import {
  type AskOptions,
  type AskResult,
  askGrant,
  type GrantClient,
  postGrantChange,
  redeemGrant,
} from '../grants/client.ts';
import { fingerprintOf } from '../platform/surroundings.ts';
import type { LookedUp } from './facts/look-up.ts';
import { keepingSubmodules } from './facts/submodules.ts';
import { type SealRules, sealClaims } from './seal-rules.ts';
import type { UseReason } from './sealed-reason.ts';
import type { VerifiedUse } from './sealed-use.ts';
import type { WaitOptions, WaitOutcome } from './wait.ts';

/**
 * @property journal  writes an event into the host's record. A permission is recorded before its permit is issued. A request is
 *                    recorded after the server has filed it
 * @property announce notifies the user that a request waits for a human; called once, when the request is filed
 * @property seals    reads which seals this host demands of approvals; called for every request
 * @property lookUp   looks up the host facts. The server needs host facts if no grant for the exact bytes covers the request. This host
 *                    needs host facts to verify seals. Returns null if only a grant for the exact bytes can cover this kind of request
 */
export interface Gate {
  readonly client: GrantClient;
  readonly journal: Journal;
  readonly announce: (grant: GrantView) => Promise<void>;
  readonly seals: () => Result<SealRules, Failure>;
  readonly lookUp: (request: ExecutionRequest, line?: LineReading) => Promise<LookedUp | null>;
}

/**
 * Returns a gate that looks up no host facts. A server that gets no host facts cannot cover the request by a scope, so only a grant for
 * the exact bytes covers the request.
 */
export const coveringOnlyExactly = (gate: Gate): Gate => ({ ...gate, lookUp: async () => null });

/**
 * @property onPending shows the request before the wait begins; `isNew` is false if the same request was filed before
 */
export interface ApprovalWait extends Waiting {
  readonly onPending: (grant: GrantView, isNew: boolean, assessment: Assessment | null) => void;
}

export interface Waiting extends WaitOptions {
  /** Says what a cancelled wait does. True: the request is withdrawn (a person gave up). False: the request stays pending. */
  readonly withdrawsOnCancel: boolean;
  /** Called after the approval and before the use. Returns a failure if the request has changed since it was filed; else null. */
  readonly whyChanged?: () => Failure | null;
}

/**
 * What a caller of `authorize` gives besides the request.
 * @property line         the parsed text of the request; absent: the gate parses the text
 * @property reason       why the requester asks, for the approver
 * @property proposedTerm the term that the requester proposes to the approver
 */
export interface Wish {
  readonly line?: LineReading;
  readonly reason?: string;
  readonly proposedTerm?: Term;
  /** `null` means that `authorize` does not wait: it returns `pending` at once. */
  readonly waitOptions: ApprovalWait | null;
}

/**
 * The answer of the gate. An object is safer than a boolean: if a caller forgot `await`, the promise would count as true.
 * - `assessment`: this host's assessment of the line; null: nothing was looked up
 * - `hasWaited`: whether this call waited for the decision
 * - `isNew`: whether this call has filed the request; false: the same request was filed before
 */
export type Authorization =
  | { readonly kind: 'permitted'; readonly permit: Permit; readonly hasWaited: boolean }
  | {
      readonly kind: 'pending';
      readonly grant: GrantView;
      readonly isNew: boolean;
      readonly assessment: Assessment | null;
    }
  | { readonly kind: 'cancelled'; readonly grant: GrantView }
  | { readonly kind: 'refused'; readonly failure: Failure };

/**
 * Asks the server. A covered request is recorded and gets a permit. The server refuses or files any other request. A newly filed request is
 * announced. If `waitOptions` are given, this function waits for the decision about a filed request, and redeems the grant.
 */
export async function authorize(gate: Gate, request: ExecutionRequest, wish: Wish): Promise<Authorization> {
  const { waitOptions, line, ...proposal } = wish;
  const rules = gate.seals();
  if (!rules.ok) return recordRefusal(gate, request, rules.failure);
  const { outcome, lookedUp } = await askWithHostFacts(
    gate,
    request,
    { ...proposal, ...sealClaims(rules.value) },
    line,
  );
  if (!outcome.ok) return recordRefusal(gate, request, outcome.failure);
  if (outcome.value.kind === 'permitted')
    return permit(gate, request, outcome.value.payload, { rules: rules.value, lookedUp });
  const assessment = lookedUp?.assessment ?? null;
  const { grant, isNew } = outcome.value;
  const unrecorded = gate.journal({ event: 'asked', grantId: grant.id, isNew, ...summary(request) });
  if (unrecorded !== null) return { kind: 'refused', failure: unrecorded };
  if (isNew) await gate.announce(grant);
  if (waitOptions === null) return { kind: 'pending', grant, isNew, assessment };
  waitOptions.onPending(grant, isNew, assessment);
  return waitAndRedeem(gate, request, grant, waitOptions);
}

/**
 * Asks the server. If no grant for the exact bytes covers the request, the server wants host facts. This function looks the host facts up
 * and asks a second time.
 */
async function askWithHostFacts(
  gate: Gate,
  request: ExecutionRequest,
  proposal: Pick<AskOptions, 'reason' | 'proposedTerm' | 'sealedOnly' | 'pin' | 'batches'>,
  line: LineReading | undefined,
) {
  const fingerprint = fingerprintOf(request);
  const first = await askGrant(gate.client, request, fingerprint, proposal);
  if (!first.ok || first.value.kind !== 'wants-findings') return { outcome: finalAnswer(first), lookedUp: null };
  const lookedUp = await gate.lookUp(request, line);
  const hostFacts = lookedUp?.hostFacts ?? null;
  const impact = lookedUp?.impact ?? null;
  const second = await askGrant(gate.client, request, fingerprint, {
    ...proposal,
    findings: hostFacts,
    touches: impact,
  });
  return { outcome: finalAnswer(second), lookedUp };
}

/** Fails if the server asks a second time for host facts. A server that asks twice breaks the protocol. */
function finalAnswer(
  asked: Result<AskResult, Failure>,
): Result<Exclude<AskResult, { kind: 'wants-findings' }>, Failure> {
  if (!asked.ok) return asked;
  return asked.value.kind === 'wants-findings' ? failed(asksAgain) : success(asked.value);
}

const asksAgain = nothingRan(seesHealth(failure('protocol', 'the grant server asks twice for the same host facts')));

/**
 * Waits for the decision about a filed request, and redeems the grant. Another process may have filed the request.
 */
export async function waitAndRedeem(
  gate: Gate,
  request: ExecutionRequest,
  grant: GrantView,
  waitOptions: Waiting,
): Promise<Authorization> {
  const { waitForDecision } = await import('./wait.ts');
  const outcome = await waitForDecision(gate.client, grant.id, waitOptions);
  if (outcome.kind === 'approved') {
    const changed = waitOptions.whyChanged?.() ?? null;
    return changed === null ? redeem(gate, request, outcome.grant, true) : recordRefusal(gate, request, changed);
  }
  if (outcome.kind === 'cancelled') {
    if (waitOptions.withdrawsOnCancel) await withdraw(gate.client, grant.id);
    gate.journal({ event: waitOptions.withdrawsOnCancel ? 'withdrawn' : 'wait.left', grantId: grant.id });
    return { kind: 'cancelled', grant: outcome.last ?? grant };
  }
  return recordRefusal(gate, request, waitFailure(gate, grant, outcome));
}

const FIRST_RETRY_MS = 500;
const MAX_RETRY_MS = 10_000;

/**
 * Withdraws a request that this process no longer waits for. If the server is unavailable, tries again until the process ends.
 */
async function withdraw(client: GrantClient, grantId: string, retryMs = FIRST_RETRY_MS): Promise<void> {
  const changed = await postGrantChange(client, grantId, 'withdraw');
  if (changed.ok || changed.failure.code !== 'unavailable') return;
  setTimeout(() => void withdraw(client, grantId, Math.min(retryMs * 2, MAX_RETRY_MS)), retryMs).unref();
}

/**
 * Redeems an approved grant: verifies the server's permit, records it, and issues it. If the grant has a scope for commands, looks the host
 * facts up again: the facts may have changed since the request was filed. If this look-up finds no host facts, refuses the use.
 * @param hasWaited is copied into the answer
 */
export async function redeem(
  gate: Gate,
  request: ExecutionRequest,
  { id, scope }: Pick<GrantView, 'id' | 'scope'>,
  hasWaited = false,
): Promise<Authorization> {
  const rules = gate.seals();
  if (!rules.ok) return recordRefusal(gate, request, rules.failure);
  const isByScope = isForCommands(scope);
  const lookedUp = isByScope ? await gate.lookUp(request) : null;
  const hostFacts = lookedUp?.hostFacts ?? null;
  // An older server that gets no new host facts would use the host facts of the filed request.
  if (isByScope && hostFacts === null) return recordRefusal(gate, request, notLookedUp(id));
  const redeemed = await redeemGrant(gate.client, id, fingerprintOf(request), {
    isSealedOnly: rules.value.isRequired,
    hostFacts,
  });
  return redeemed.ok
    ? permit(gate, request, redeemed.value, { rules: rules.value, lookedUp, hasWaited, isByScope })
    : recordRefusal(gate, request, redeemed.failure);
}

function waitFailure(
  gate: Gate,
  grant: GrantView,
  outcome: Exclude<WaitOutcome, { kind: 'approved' | 'cancelled' }>,
): Failure {
  if (outcome.kind === 'failed') return outcome.failure;
  if (outcome.kind === 'final') return finalStateFailure(outcome.grant, gate.client.clock.nowMs());
  const why = outcome.lastFailure === null ? '' : ` (${outcome.lastFailure.message})`;
  const left = outcome.last ?? grant;
  const text = `the wait timed out${why}; ${leftText(left, 'request')}`;
  return left.state === 'approved'
    ? failure('pending', text, 'ask an approver to resume the requester, then call again', 'paused')
    : failure('pending', text, `call again: apes grants run ${grant.id} --wait`, 'timed-out');
}

const notLookedUp = (grantId: string): Failure =>
  failure(
    'refused',
    `refused: this host cannot look up now whether the scope of grant ${grantId} covers the request`,
    'ask for the same command again',
    'scope.not_covering',
  );

/**
 * @property lookedUp  what was looked up before the server sent the permit; null: nothing was looked up, and the check of seals calls
 *                     `lookUp` if the check needs host facts
 * @property isByScope whether the used grant has a scope for commands; absent: not known
 */
interface PermitSetting {
  readonly rules: SealRules;
  readonly lookedUp: LookedUp | null;
  readonly hasWaited?: boolean;
  readonly isByScope?: boolean;
}

async function permit(
  gate: Gate,
  request: ExecutionRequest,
  payload: PermitPayload,
  setting: PermitSetting,
): Promise<Authorization> {
  const verified = await verifySeals(gate, request, payload, setting);
  if (!verified.ok) return recordRefusal(gate, request, verified.failure);
  const { by, reason } = verified.value;
  const scopeText = reason.scope === undefined ? '' : await scopeTextOf(reason.scope, request);
  if (scopeText === null) return recordRefusal(gate, request, outOfScope(payload.grantId));
  const confinement = verified.value.confinement && keepingSubmodules(verified.value.confinement);
  const because = `${termText(reason.term)}${scopeText}${visibleTitles(reason)}${confinementNote(reason)}`;
  const unrecorded = gate.journal({
    event: 'permitted',
    grantId: payload.grantId,
    because,
    sealedBy: by,
    ...summary(request),
  });
  if (unrecorded !== null) return { kind: 'refused', failure: unrecorded };
  const isWide = setting.isByScope === true || verified.value.isByScope || (payload.coveredBy ?? []).length > 0;
  return {
    kind: 'permitted',
    permit: issuePermit(request, payload.grantId, because, confinement, isWide),
    hasWaited: setting.hasWaited === true,
  };
}

/**
 * Verifies the seals of a sealed approval, and computes the confinement on this host. On a host without a pin, each approval counts as
 * unsealed. If the host demands seals, an unsealed approval is refused. If the host demands no seals, an unsealed approval is trusted.
 * @returns `by`: the names of the approvers who sealed; null: the approval counts as unsealed
 */
async function verifySeals(
  gate: Gate,
  request: ExecutionRequest,
  payload: PermitPayload,
  { rules: { pin, isRequired, mcpRules }, lookedUp }: PermitSetting,
): Promise<Result<Omit<VerifiedUse, 'by'> & { readonly by: readonly string[] | null }, Failure>> {
  if (pin !== null && payload.seals !== undefined) {
    const { verifySealedUse } = await import('./sealed-use.ts');
    let looked: Promise<LookedUp | null> | null = null;
    // The facts are looked up only once: risk and coverage must be computed from the same facts.
    const look = () => {
      looked ??= lookedUp === null ? gate.lookUp(request) : Promise.resolve(lookedUp);
      return looked;
    };
    return verifySealedUse({ client: gate.client, pin, look, mcpRules }, request, payload);
  }
  if (isRequired) return failed(sealFailure('missing'));
  const { confinement = null } = payload;
  return success({
    by: null,
    confinement: confinementOrNull(confinement),
    isByScope: false,
    reason: payload,
  });
}

/** Loads `callScopeText` on demand, because commands do not need it. Returns null if the scope does not cover the request. */
async function scopeTextOf(scope: CallScope, request: ExecutionRequest): Promise<string | null> {
  const { callScopeText } = await import('../core/scope/call-scope-text.ts');
  return callScopeText(scope, request);
}

/** Returns the titles of the grants and policies that together cover a line, as part of a text for people. */
const visibleTitles = ({ coveredBy = [] }: UseReason): string =>
  coveredBy.map(({ title }) => `, ${shortened(title.replaceAll(/\p{C}/gu, '?'))}`).join('');

const confinementNote = ({ confinement }: UseReason): string => {
  if (confinement === undefined) return '';
  return confinement.level === 0 ? ', not confined' : `, confined: level ${confinement.level}`;
};

const SHOWN_TITLE = 100;
const shortened = (text: string): string => (text.length > SHOWN_TITLE ? `${text.slice(0, SHOWN_TITLE)}…` : text);

/** Records the permission of a request that needs no grant, and issues the permit. The caller has checked that no grant is needed. */
export function permitExempt(journal: Journal, request: ExecutionRequest): Result<Permit, Failure> {
  const unrecorded = journal({ event: 'permitted', grantId: null, because: 'exempt', ...summary(request) });
  return unrecorded === null ? success(issuePermit(request, null, 'exempt')) : failed(unrecorded);
}

/** The failure if the server permits the request by a scope, and this host finds that the scope does not cover the request. */
const outOfScope = (grantId: string): Failure => ({
  ...seesHealth(
    failure('protocol', `the grant server's answer is refused: the scope of grant ${grantId} does not cover this`),
  ),
  consequence: 'nothing-done',
});

/** Records the refusal. Exported for a caller that finds, after the permit, that the request has changed. */
export function recordRefusal(gate: Pick<Gate, 'journal'>, request: ExecutionRequest, why: Failure): Authorization {
  const unrecorded = gate.journal({ event: 'refused', code: why.code, message: why.message, ...summary(request) });
  return { kind: 'refused', failure: unrecorded ?? why };
}

/** How many characters of a command the journal keeps. The server keeps the whole request. */
const SHOWN_CHARACTERS = 4096;
const summary = (request: ExecutionRequest) => ({
  kind: request.kind,
  text: request.text.slice(0, SHOWN_CHARACTERS),
  cwd: request.cwd,
});

function termText(term: Term): string {
  if (term.kind === 'timed') return `until ${new Date(term.untilMs).toISOString()}`;
  return term.kind;
}
