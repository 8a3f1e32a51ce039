/** Makes the views of requesters for approvers. */
import { keyCode } from '../../platform/key-code.ts';
import type { StoreReader } from '../../store/store.ts';
import type { RequesterView } from '../../web/cards/requester-card.ts';

/**
 * Returns the views of all requesters, sorted by name. The list includes revoked requesters.
 * @param serverPublicKey raw Ed25519, base64url
 */
export async function requesterViews(rows: StoreReader, serverPublicKey: string): Promise<readonly RequesterView[]> {
  const [requesters, paused, keyRequests, replacedAt] = await Promise.all([
    rows.requesters(),
    rows.pauses(),
    rows.keys.keyRequests(),
    rows.keys.lastReplacements(),
  ]);
  const pauses = new Map(paused.map((pause) => [pause.requesterId, pause]));
  const askedAt = new Map(keyRequests.map((request) => [request.requesterId, request.askedAtMs]));
  return requesters.map(({ id, name, host, user, revokedAtMs, publicKey }) => ({
    id,
    name,
    host,
    user,
    revokedAtMs,
    pause: pauses.get(id) ?? null,
    keyCode: keyCode(serverPublicKey, id, publicKey ?? ''),
    keySinceMs: replacedAt.get(id) ?? null,
    keyAskedAtMs: askedAt.get(id) ?? null,
  }));
}
