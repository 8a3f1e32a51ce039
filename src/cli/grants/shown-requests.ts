/**
 * Records, for each grant id, the request and the scopes that this device has shown. An honest server never changes the request of an id.
 * A server that an attacker controls could first send one request, and later another request under the same id. This device does not sign
 * the later request.
 */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { Confinement, Unconfined } from '../../core/confinement/confinement.ts';
import { canonicalJson } from '../../core/grant/canonical-json.ts';
import type { GrantScope } from '../../core/scope/command-scope.ts';
import type { GrantView } from '../../core/wire/grant-view.ts';
import type { GrantClient } from '../../grants/client.ts';
import { sha256Hex } from '../../platform/digest.ts';
import { readPrivateFile, writePrivateFile } from '../../platform/private-files.ts';
import { fingerprintOf } from '../../platform/surroundings.ts';

type Place = Pick<GrantClient, 'stateDirectory'>;

/** What the server sends in addition to the request: the scope or the confinement of an approval. */
export type ShownScope = GrantScope | Confinement | Unconfined;

/**
 * @property fingerprint the fingerprint of the request; null: only scopes were shown
 * @property isWhole     whether all of the request was shown; a row of a list shows neither the directory nor the requester
 * @property scopes      the digests of the scopes and confinements that were shown with the request
 */
interface Shown {
  readonly fingerprint: string | null;
  readonly isWhole: boolean;
  readonly scopes: readonly string[];
}

const UNSHOWN: Shown = { fingerprint: null, isWhole: false, scopes: [] };
/** The most grants that the file keeps. Older grants are dropped, and then count as never shown. */
const MAX_KEPT = 1_000;
const pathIn = ({ stateDirectory }: Place): string => join(stateDirectory, 'shown-requests.json');

/**
 * Remembers the requests that this device shows now. Leaves out a request if the server has sent only its beginning. A later request
 * under the same id does not replace the earlier request. If the file cannot be written, nothing is remembered.
 * @param isWhole whether every request is shown completely
 */
export function rememberShown(client: Place, grants: readonly GrantView[], isWhole: boolean): void {
  keep(client, (shown) => {
    for (const { id, request, cutFrom } of grants) {
      if (cutFrom !== undefined) continue;
      const fingerprint = fingerprintOf(request);
      const { scopes, ...before } = shown.get(id) ?? UNSHOWN;
      if (before.fingerprint !== null && before.fingerprint !== fingerprint) continue;
      shown.set(id, { fingerprint, isWhole: isWhole || before.isWhole, scopes });
    }
  });
}

/** Remembers the scopes and confinements that this device shows now for a grant. */
export function rememberShownScopes(client: Place, id: string, scopes: readonly ShownScope[]): void {
  keep(client, (shown) => {
    const before = shown.get(id) ?? UNSHOWN;
    shown.set(id, { ...before, scopes: [...new Set([...before.scopes, ...scopes.map(digestOf)])] });
  });
}

/**
 * - `never`:   the request was not shown; its scopes may have been shown
 * - `row`:     only a row of a list was shown
 * - `another`: another request was shown under this id
 */
export function howShown(client: Place, { id, request }: GrantView): 'never' | 'row' | 'whole' | 'another' {
  const shown = read(client).get(id) ?? UNSHOWN;
  if (shown.fingerprint === null) return 'never';
  if (shown.fingerprint !== fingerprintOf(request)) return 'another';
  return shown.isWhole ? 'whole' : 'row';
}

/** Whether this device has shown each of these scopes for the grant; true for an empty list. */
export function hasShownScopes(client: Place, { id }: GrantView, scopes: readonly ShownScope[]): boolean {
  const shown = new Set(read(client).get(id)?.scopes);
  return scopes.every((each) => shown.has(digestOf(each)));
}

/** A scope that JSON cannot express gets a random digest, so it never counts as shown. */
const digestOf = (scope: ShownScope): string => sha256Hex(canonicalJson(scope) ?? randomBytes(32));

function keep(client: Place, change: (shown: Map<string, Shown>) => void): void {
  const shown = read(client);
  const before = textOf(shown);
  change(shown);
  const text = textOf(shown);
  if (text !== before) writePrivateFile(pathIn(client), text);
}

const textOf = (shown: ReadonlyMap<string, Shown>): string => `${JSON.stringify([...shown].slice(-MAX_KEPT))}\n`;

/** A file that is damaged or cannot be read counts as empty. Then no request counts as shown. */
function read(client: Place): Map<string, Shown> {
  const text = readPrivateFile(pathIn(client));
  try {
    const entries: unknown = JSON.parse((text.ok ? text.value : null) ?? '[]');
    return new Map((entries as [string, Shown][]).filter(([, { scopes }]) => Array.isArray(scopes)));
  } catch {
    return new Map();
  }
}
