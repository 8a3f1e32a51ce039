/**
 * Authorizes calls of file tools and web fetch tools. The calls come from a harness hook, or from an agent over the Agent Client Protocol.
 * A reading needs no grant if its place is not dangerous (`dangerOf`), and the file is inside the configured read roots or is an output of
 * the harness's own tools (`isOwnOutput`). Every other file operation needs a grant.
 */

import { type Failure, failure } from '../core/failure.ts';
import { isReading } from '../core/files/file-operation.ts';
import type { ExecutionRequest } from '../core/grant/request.ts';
import { dangerOf } from '../core/sensitive/dangerous-places.ts';
import { isAtOrBelow } from '../core/text/path.ts';
import type { Installation } from '../platform/installation.ts';
import { fingerprintOf } from '../platform/surroundings.ts';
import { type Authorization, authorize, type Gate, permitExempt, recordRefusal, type Wish } from './authorize.ts';
import { ownPlaces } from './facts/own-places.ts';
import { resolvePath } from './facts/resolve-path.ts';
import { describeFileRequest, type FileToolCall, type HostPlaces } from './file-request.ts';
import { isOwnOutput } from './own-output.ts';

import { describeFetch } from './tool-request.ts';

export type { FileToolCall, WantedOperation } from './file-request.ts';
export type { OwnOutput } from './own-output.ts';

/**
 * @property readRoots    absolute, or relative to the call's `project` (`.` is the project itself); the root `/` has no effect
 * @property gatesFetches whether web fetch tools need a grant
 */
export interface FileGate {
  readonly gate: Gate;
  readonly places: HostPlaces;
  readonly readRoots: readonly string[];
  readonly gatesFetches: boolean;
}

/** Makes the gate for the file tools of this installation. A process needs only one such gate. */
export function openFileGate(gate: Gate, installation: Installation): FileGate {
  const { readRoots, gatesFetches } = installation.settings.hooks;
  return { gate, places: placesOf(installation), readRoots, gatesFetches };
}

/**
 * Returns the home directory, and the places of this installation's settings, keys, records and programs. A path that cannot be resolved
 * stays as it is.
 */
export function placesOf(installation: Pick<Installation, 'paths' | 'dist'>): HostPlaces {
  const home = resolvePath(installation.paths.home, '/');
  return {
    home: home.ok ? home.value.path : installation.paths.home,
    own: ownPlaces(installation).map(({ path }) => path),
  };
}

/**
 * Asks for all operations of the call in one request. `permitted` means that each path still leads to the target that the request names.
 * A path can change before the tool acts, so use the permit at once and do not keep it.
 */
export async function authorizeFileOperation(parts: FileGate, call: FileToolCall, wish: Wish): Promise<Authorization> {
  const described = describeFileRequest(call, parts.places);
  if (!described.ok) return refusedUnasked(parts.gate, described.failure, 'file');
  const request = described.value;
  if (isInReadRoots(request, call, parts.readRoots)) {
    const exempt = permitExempt(parts.gate.journal, request);
    return exempt.ok
      ? { kind: 'permitted', permit: exempt.value, hasWaited: false }
      : { kind: 'refused', failure: exempt.failure };
  }
  const checkUnchanged = () => changeSince(request, call, parts.places);
  const waitOptions = wish.waitOptions === null ? null : { ...wish.waitOptions, whyChanged: checkUnchanged };
  const outcome = await authorize(parts.gate, request, { ...wish, waitOptions });
  if (outcome.kind !== 'permitted') return outcome;
  const changed = checkUnchanged();
  return changed === null ? outcome : recordRefusal(parts.gate, request, changed);
}

/** Asks for all addresses of a web fetch tool in one request. Returns null if the settings say that web fetches need no grant. */
export async function authorizeFetch(
  { gate, gatesFetches }: FileGate,
  urls: readonly string[],
  project: string,
  wish: Wish,
): Promise<Authorization | null> {
  if (!gatesFetches) return null;
  const described = describeFetch(urls, project);
  return described.ok ? authorize(gate, described.value, wish) : refusedUnasked(gate, described.failure, 'fetch');
}

/** Returns a failure if the call would make a different request now, because a link or a file was replaced. */
function changeSince(request: ExecutionRequest, call: FileToolCall, places: HostPlaces): Failure | null {
  const now = describeFileRequest(call, places);
  if (!now.ok) return now.failure;
  return fingerprintOf(now.value) === fingerprintOf(request)
    ? null
    : failure(
        'refused',
        'refused: a file, or a link on the way to it, changed after the request was made',
        'ask again',
      );
}

function isInReadRoots(request: ExecutionRequest, call: FileToolCall, readRoots: readonly string[]): boolean {
  const roots = readRoots.flatMap((root) => {
    const resolved = resolvePath(root, call.project);
    return resolved.ok && resolved.value.path !== '/' ? [resolved.value.path] : [];
  });
  const { files = [] } = request;
  return files.every(
    (one) =>
      isReading(one.verb) &&
      dangerOf(one) === null &&
      (roots.some((root) => isAtOrBelow(one.path, root)) || isOwnOutput(one, call.ownOutput ?? [])),
  );
}

/** Records the refusal of a call from which no request could be made. */
function refusedUnasked(gate: Gate, why: Failure, kind: 'file' | 'fetch'): Authorization {
  const unrecorded = gate.journal({ event: 'refused', kind, code: why.code, message: why.message });
  return { kind: 'refused', failure: unrecorded ?? why };
}
