/** Random documents that approvers seal, and every change of a document in one place. */
import fc from 'fast-check';
import type { SealableDocument } from '../../src/core/sealed/sealed-text.ts';
import type { ApproversDocument, DecisionDocument, PolicyDocument } from '../../src/core/wire/sealed.ts';

const anyId = fc.stringMatching(/^[a-z2-7]{1,20}$/);
const anyTerm = fc.oneof(
  fc.constant({ kind: 'once' as const }),
  fc.constant({ kind: 'always' as const }),
  fc.record({ kind: fc.constant('timed' as const), untilMs: fc.nat() }),
);
const anyScope = fc.record({
  kind: fc.constant('commands' as const),
  patterns: fc.array(fc.record({ operations: fc.array(fc.string()), options: fc.constant('any' as const) })),
  conditions: fc.record({
    host: fc.string(),
    user: fc.string(),
    environment: fc.array(fc.record({ name: fc.string() })),
  }),
  mostUses: fc.option(fc.nat()),
});
const anyPath = fc.string().map((text) => `/${text}`);
const anyReach = fc.oneof(
  fc.record({ operations: fc.array(fc.constantFrom('read', 'write', 'edit')), pathPrefix: anyPath }),
  fc.record({ kind: fc.constant('tools'), tools: fc.array(fc.string()), below: fc.option(anyPath) }),
  fc.record({ kind: fc.constant('fetch'), origins: fc.array(fc.webUrl()) }),
);
const anyPlan = fc.record({
  kind: fc.constant('plan'),
  order: fc.boolean(),
  parts: fc.array(
    fc.record({ part: fc.nat(30), fingerprint: anyId, scope: fc.option(anyScope), uses: fc.nat(1_000) }),
    { maxLength: 4 },
  ),
});
const common = {
  server: anyId,
  requesterId: anyId,
  host: fc.string(),
  decidedAtMs: fc.nat(),
  approversSequence: fc.nat(),
};
const anyDecision = fc.record({
  typ: fc.constant('ape-decision/1'),
  ...common,
  grantId: anyId,
  fingerprint: anyId,
  decision: fc.constant('approve'),
  term: anyTerm,
  expiresAtMs: fc.option(fc.nat()),
  scope: fc.option(fc.oneof(anyScope, anyReach, anyPlan)),
  confinement: fc.option(fc.record({ level: fc.constantFrom(1, 2, 3), read: fc.array(fc.string()) })),
}) as unknown as fc.Arbitrary<DecisionDocument>;
const anyPolicy = fc.record({
  typ: fc.constant('ape-policy/1'),
  ...common,
  policyId: anyId,
  effect: fc.constant('allow-reading'),
  rule: anyScope,
}) as unknown as fc.Arbitrary<PolicyDocument>;
const anyApprover = fc.oneof(
  fc.record(
    {
      kind: fc.constant('ed25519'),
      keyId: anyId,
      name: fc.string(),
      publicKey: anyId,
      breakGlass: fc.constant(true),
      expiresAtMs: fc.nat(),
    },
    { requiredKeys: ['kind', 'keyId', 'name', 'publicKey'] },
  ),
  fc.record(
    {
      kind: fc.constant('passkey'),
      keyId: anyId,
      name: fc.string(),
      publicKey: fc.record({ kty: fc.constant('EC'), crv: fc.constant('P-256'), x: anyId, y: anyId }),
      rpId: fc.domain(),
      origins: fc.array(fc.webUrl(), { maxLength: 2 }),
      person: anyId,
    },
    { requiredKeys: ['kind', 'keyId', 'name', 'publicKey', 'rpId', 'origins'] },
  ),
);
const anyRisk = fc.constantFrom('low', 'medium', 'high', 'critical');
const ids = fc.array(anyId, { maxLength: 3 });
const anyRules = fc.record({
  quorum: fc.record({ low: fc.nat(9), medium: fc.nat(9), high: fc.nat(9), critical: fc.nat(9) }),
  persons: fc.array(
    fc.record({
      id: anyId,
      limits: fc.option(fc.record({ requesters: fc.option(ids), hosts: fc.option(ids), upTo: anyRisk })),
      own: ids,
    }),
    { maxLength: 3 },
  ),
  delegations: fc.array(fc.record({ from: anyId, to: anyId, untilMs: fc.nat() }), { maxLength: 3 }),
});
const chain = {
  server: anyId,
  sequence: fc.nat(),
  previous: fc.option(anyId),
  approvers: fc.array(anyApprover, { maxLength: 4 }),
  decidedAtMs: fc.nat(),
};
const anyApprovers = fc.oneof(
  fc.record({ typ: fc.constant('ape-approvers/1'), ...chain }),
  fc.record({ typ: fc.constantFrom('ape-approvers/2', 'ape-approvers/3'), ...chain, people: anyRules }),
) as unknown as fc.Arbitrary<ApproversDocument>;
/** A document of any type, with every kind of scope, approver and rule for people. */
export const anyDocument: fc.Arbitrary<SealableDocument> = fc.oneof(anyDecision, anyPolicy, anyApprovers);

export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/** Every value that differs from `value` in one place. */
export function* changesOf(value: Json): Generator<Json> {
  if (Array.isArray(value)) {
    for (const [at, item] of value.entries())
      for (const changed of changesOf(item)) yield value.with(at, changed) as Json;
    yield [...value, 'one more'];
    if (value.length > 0) yield value.slice(1);
  } else if (typeof value === 'object' && value !== null) {
    const members = value as { readonly [name: string]: Json };
    for (const [name, item] of Object.entries(members)) {
      for (const changed of changesOf(item)) yield { ...members, [name]: changed };
      const { [name]: _, ...rest } = members;
      yield rest;
    }
    yield { ...members, oneMore: true };
  } else {
    yield typeof value === 'string' ? `${value}x` : typeof value === 'number' ? value + 1 : 'x';
    yield value === null ? 0 : null;
    yield [value];
  }
}

export const asDocument = (value: Json) => value as unknown as SealableDocument;
