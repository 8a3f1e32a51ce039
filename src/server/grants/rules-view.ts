/**
 * Makes the contents of the page *Rules*: the newest live policies, and the first requesters by name. For each requester: in which
 * directories past lines only read, and whether the host takes only sealed approvals.
 */
import type { StoreReader, Subject } from '../../store/store.ts';
import type { RequesterRules, RulesView } from '../../web/pages/rules-page.ts';
import type { ServerParts } from '../server-ports.ts';
import { policyView } from './policy-view.ts';
import { readingEvidence } from './reading-policy.ts';
import { shownSealing } from './shown-sealing.ts';

const MAX_RULES = 500;
const MAX_REQUESTERS = 50;

export async function rulesView(parts: ServerParts, rows: StoreReader, viewer: Subject): Promise<RulesView> {
  const nowMs = parts.clock.nowMs();
  const requesters: RequesterRules[] = [];
  for (const one of (await rows.requesters()).slice(0, MAX_REQUESTERS)) {
    const evidence = readingEvidence(one, await parts.past.of(rows, one.id));
    const [newest] = await rows.grants({ requesterId: one.id, limit: 1, nowMs });
    requesters.push({ ...evidence, isSealedOnly: newest?.sealedOnly === true });
  }
  const policies = (await rows.policies({ isLive: true, limit: MAX_RULES })).map(policyView);
  return { policies, requesters, sealing: await shownSealing(parts, rows, viewer) };
}
