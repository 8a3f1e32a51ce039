/** Whether a verified use is by a scope depends on the sealed decision alone, even if the server leaves the scope out of its answer. */
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { removeDirectory } from '../../scripts/remove-directory.mjs';
import { assessByHostFacts } from '../../src/core/effects/assess-request.ts';
import type { GrantScope } from '../../src/core/scope/command-scope.ts';
import { firstApprovers } from '../../src/core/sealed/approver-list.ts';
import { decisionDocument } from '../../src/core/sealed/decision-document.ts';
import { verifySealedUse } from '../../src/gate/sealed-use.ts';
import type { GrantClient } from '../../src/grants/client.ts';
import { keyApprover, sealWithKey } from '../../src/platform/approver-key.ts';
import { loadBashParser } from '../../src/platform/bash-parser.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { fingerprintOf } from '../../src/platform/surroundings.ts';
import { allRules } from '../core/rule-effects.ts';
import { hostFactsFor, lineRequest, scopeFor } from './server-lines.ts';

const server = 'A'.repeat(43);
const grantId = `g_${'a'.repeat(26)}`;
const requesterId = `s_${'r'.repeat(26)}`;
const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const raw = publicKey.export({ format: 'jwk' }).x ?? '';
const stateDirectory = mkdtempSync(join(tmpdir(), 'ape-sealed-use-'));
afterAll(() => removeDirectory(stateDirectory));

const approvers = firstApprovers(server, 1, keyApprover('the owner', raw), 1_000_000);
const list = { document: approvers, seal: sealWithKey(approvers, pem, raw) };
const request = lineRequest('git log');

/** Verifies a permit in which the server names one grant and leaves out its scope. */
async function used(scope: GrantScope | null) {
  const facts = { server, decidedAtMs: Date.now() - 1_000, approversSequence: 1 };
  const grant = { id: grantId, requesterId, fingerprint: fingerprintOf(request), request };
  const document = decisionDocument(facts, grant, { term: { kind: 'always' }, scope, confinement: null });
  const hostFacts = hostFactsFor(request);
  const assessment = assessByHostFacts(request, hostFacts, { rules: allRules, parse: await loadBashParser() });
  const identity = { serverPublicKey: server, subjectId: requesterId };
  const parts = {
    client: { identity, clock: systemClock, stateDirectory } as GrantClient,
    pin: { server, sealed: 'required' as const, list, path: '/etc/pin', isProtected: true },
    look: async () => ({ assessment, hostFacts, impact: null }),
    mcpRules: () => Promise.reject(new Error('not asked for')),
  };
  const verified = await verifySealedUse(parts, request, {
    typ: 'ape-permit/1',
    grantId,
    requesterId,
    fingerprint: fingerprintOf(request),
    nonce: 'n'.repeat(32),
    term: { kind: 'always' },
    seals: [{ document, seal: sealWithKey(document, pem, raw) }],
    issuedAtMs: Date.now(),
  });
  return verified.ok ? verified.value : verified.failure;
}

it('a use is by a scope if the approver sealed one, even if the server names none', async () => {
  expect(await used(scopeFor())).toMatchObject({ by: ['the owner'], confinement: null, isByScope: true });
});

it('a use is not by a scope if the approver sealed the exact request', async () => {
  expect(await used(null)).toMatchObject({ by: ['the owner'], confinement: null, isByScope: false });
});
