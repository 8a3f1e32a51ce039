/**
 * `apes grants approve` for a plan: which parts are approved, with which scopes and uses. Without options, all parts are approved, each
 * with its widest scope and all of its uses.
 */
import { type Failure, failure } from '../../core/failure.ts';
import { partRequest, planText } from '../../core/plan/plan.ts';
import { failed, type Result, success } from '../../core/result.ts';
import type { PlanScope } from '../../core/scope/command-scope.ts';
import { isOfferedFor } from '../../core/scope/is-offered-for.ts';
import type { GrantView } from '../../core/wire/grant-view.ts';
import type { PartSheet } from '../../core/wire/plan.ts';
import type { GrantClient } from '../../grants/client.ts';
import { fetchSheet } from '../../grants/plans.ts';
import { fingerprintOf } from '../../platform/surroundings.ts';

/**
 * @property strike the numbers of the parts to leave out: `2,5`
 * @property narrow `2=exact,3=4` narrows part 2 to its exact line, and part 3 to 4 uses
 */
export interface PlanOptions {
  readonly strike?: string;
  readonly narrow?: string;
}

const usage = (message: string, advice: string): Result<never, Failure> => failed(failure('usage', message, advice));

/**
 * Makes the scope of the approval from the options and the server's sheet. Fails if the sheet differs from the plan, if an option does not
 * fit the plan, or if every part is struck out.
 */
export async function planScopeOf(
  client: GrantClient,
  grant: GrantView,
  options: PlanOptions,
): Promise<Result<PlanScope, Failure>> {
  const sheet = await fetchSheet(client, grant.id);
  if (!sheet.ok) return sheet;
  const { parts } = sheet.value;
  if (!isOfThisPlan(parts, grant)) return failed(OTHER_PLAN);
  const struck = new Set<number>();
  for (const word of words(options.strike)) {
    const number = partNumber(word, parts.length);
    if (number === null)
      return usage(`--strike: this plan has no part ${word}`, `write numbers from 1 to ${parts.length}: --strike 2,5`);
    struck.add(number);
  }
  const narrowed = narrowedParts(options.narrow, parts.length);
  if (!narrowed.ok) return narrowed;
  const given: PlanScope['parts'][number][] = [];
  for (const part of parts) {
    if (struck.has(part.part)) continue;
    const own = givenPart(grant, part, narrowed.value.get(part.part) ?? {});
    if (!own.ok) return own;
    given.push(own.value);
  }
  if (given.length === 0) return usage('every part is struck out', 'deny the plan: apes grants deny ID');
  return success({ kind: 'plan', order: grant.request.plan?.order === true, parts: given });
}

/**
 * Whether the server's sheet has the same parts as the request, in the same order. The host obeys what this device signs. So the sheet
 * must not raise a number of uses, change the order, or replace an exact line by a scope.
 */
function isOfThisPlan(parts: readonly PartSheet[], { request }: GrantView): boolean {
  const { kind, plan, text, cwd } = request;
  const wanted = plan?.parts ?? [];
  // The approver reads the text, but signs the parts. So the text must match the parts.
  return (
    kind === 'plan' &&
    plan !== undefined &&
    text === planText(plan, cwd) &&
    parts.length === wanted.length &&
    parts.every((sheet, at) => isPartAsAsked(sheet, at, request))
  );
}

function isPartAsAsked(
  { part, as, wantedUses, offers }: PartSheet,
  at: number,
  request: GrantView['request'],
): boolean {
  const line = request.plan?.parts[at];
  if (line === undefined || part !== at + 1 || as !== line.as || wantedUses !== line.uses) return false;
  const asked = partRequest(request, line);
  return offers.every(({ id, scope }) => {
    if (scope === null) return true; // the exact line
    return id !== 'exact' && as !== 'exact' && isOfferedFor(scope, asked);
  });
}

const OTHER_PLAN = failure(
  'protocol',
  'the server shows other parts, uses or scopes than the plan asks for; nothing is signed',
  'do not approve before you know why the server does this',
  'seal.not-asked',
);

/** Makes the approved part. Its fingerprint is made from the line of the request, not from the sheet. */
function givenPart(
  { id, request }: GrantView,
  { part, offers, wantedUses }: PartSheet,
  { offerId, uses = wantedUses }: Narrowed,
): Result<PlanScope['parts'][number], Failure> {
  const line = request.plan?.parts[part - 1];
  const offer = offerId === undefined ? offers.at(-1) : offers.find((each) => each.id === offerId);
  if (line === undefined || (offer === undefined && offerId === undefined))
    return usage(`grant ${id} cannot be decided as a plan`, `look again: apes plan show ${id}`);
  if (offer === undefined)
    return usage(`part ${part} has no scope ${offerId}`, `write one of ${offers.map((each) => each.id).join(', ')}`);
  if (uses > wantedUses)
    return usage(
      `the plan asks for only ${wantedUses} uses of part ${part}`,
      'write fewer uses, or leave this part out of --narrow',
    );
  return success({ part, fingerprint: fingerprintOf(partRequest(request, line)), scope: offer.scope, uses });
}

/** @property offerId the id of the offered scope: `exact`, `narrow`, … */
interface Narrowed {
  readonly offerId?: string;
  readonly uses?: number;
}

function narrowedParts(text: string | undefined, count: number): Result<ReadonlyMap<number, Narrowed>, Failure> {
  const found = new Map<number, Narrowed>();
  for (const word of words(text)) {
    const [, number = '', to = ''] = /^(\d+)=([a-z][a-z-]*|[1-9]\d{0,3})$/.exec(word) ?? [];
    const part = partNumber(number, count);
    if (part === null)
      return usage(`--narrow: ${word} does not fit this plan`, 'write PART=SCOPE or PART=USES: --narrow 2=exact,3=4');
    found.set(part, { ...found.get(part), ...(/^\d/.test(to) ? { uses: Number(to) } : { offerId: to }) });
  }
  return success(found);
}

const words = (text: string | undefined): readonly string[] =>
  text === undefined ? [] : text.split(',').map((word) => word.trim());

const partNumber = (text: string, count: number): number | null =>
  /^[1-9]\d?$/.test(text) && Number(text) <= count ? Number(text) : null;
