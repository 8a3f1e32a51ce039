/**
 * Which request this device has shown under which id. A server that an attacker controls could show one request, and another one
 * under the same id when it is approved; then nothing is signed. A request never changes under its id.
 */
import { join } from 'node:path';
import type { GrantView } from '../../core/wire/grant-view.ts';
import type { GrantClient } from '../../grants/client.ts';
import { readPrivateFile, writePrivateFile } from '../../platform/private-files.ts';
import { fingerprintOf } from '../../platform/surroundings.ts';

type Place = Pick<GrantClient, 'stateDirectory'>;

const MAX_KEPT = 1_000;
const pathIn = ({ stateDirectory }: Place): string => join(stateDirectory, 'shown-requests.json');

/** Remembers the requests that this device shows now. What was shown first under an id stays. Without a place to write, nothing is remembered. */
export function rememberShown(client: Place, grants: readonly GrantView[]): void {
  const shown = read(client);
  const before = shown.size;
  for (const { id, request, cutFrom } of grants)
    if (cutFrom === undefined && !shown.has(id)) shown.set(id, fingerprintOf(request));
  if (shown.size === before) return;
  writePrivateFile(pathIn(client), `${JSON.stringify([...shown].slice(-MAX_KEPT))}\n`);
}

/** Whether this device has shown another request under this id. */
export function wasShownOtherwise(client: Place, { id, request }: GrantView): boolean {
  const fingerprint = read(client).get(id);
  return fingerprint !== undefined && fingerprint !== fingerprintOf(request);
}

function read(client: Place): Map<string, string> {
  const text = readPrivateFile(pathIn(client));
  try {
    return new Map(JSON.parse((text.ok ? text.value : null) ?? '[]') as [string, string][]);
  } catch {
    return new Map();
  }
}
