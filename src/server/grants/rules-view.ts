/**
 * Makes the contents of the page *Rules*: the newest `MAX_RULES` live policies, and at most `MAX_REQUESTERS` requesters.
 * - First come the requesters, revoked or not, that have a reading policy among these policies.
 * - Then come all other requesters that are not revoked.
 *
 * For each requester, the page shows the directories of the past lines that only read. The page also shows whether the newest request
 * demanded a sealed approval.
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
  const policies = (await rows.policies({ isLive: true, limit: MAX_RULES })).map(policyView);
  const readers = new Set(policies.flatMap((one) => (one.effect === 'allow-reading' ? [one.requesterId] : [])));
  const all = await rows.requesters();
  const mayRead = all.filter(({ id }) => readers.has(id));
  const others = all.filter(({ id, revokedAtMs }) => !readers.has(id) && revokedAtMs === null);
  const wanted = [...mayRead, ...others];
  const requesters: RequesterRules[] = [];
  for (const one of wanted.slice(0, MAX_REQUESTERS)) {
    const evidence = readingEvidence(one, await parts.past.of(rows, one.id));
    const [newest] = await rows.grants({ requesterId: one.id, limit: 1, nowMs });
    requesters.push({ ...evidence, isSealedOnly: newest?.sealedOnly === true });
  }
  const names = all.map(({ id, name, revokedAtMs }) => ({
    requesterId: id,
    requesterName: name,
    isRevoked: revokedAtMs !== null,
  }));
  const leftOut = wanted.length - requesters.length;
  return { policies, requesters, names, leftOut, sealing: await shownSealing(parts, rows, viewer) };
}
