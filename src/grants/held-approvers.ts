/**
 * The newest list of approvers that this host accepts: the pinned list, or a later one that follows from it link by link.
 * Fetched lists are kept in the state directory. Each link is verified again when it is read, so that a list that was put into
 * that directory and that no approver signed is refused.
 */
import { join } from 'node:path';
import type { Failure } from '../core/failure.ts';
import { failed, type Result, success } from '../core/result.ts';
import { maySignLists, successorFault } from '../core/sealed/approver-list.ts';
import { sealFailure } from '../core/sealed/seal-fault.ts';
import type { SealedApprovers } from '../core/wire/sealed.ts';
import { documentDigest } from '../platform/approver-key.ts';
import { readPrivateFile, writePrivateFile } from '../platform/private-files.ts';
import { verifySeal } from '../platform/seal-signature.ts';
import type { Pin } from './approver-pin.ts';
import { callWithToken, failureOfAnswer, type GrantClient } from './client.ts';
import { malformed } from './http.ts';

const keptPath = (state: string): string => join(state, 'approver-lists.json');

/** @property followed the lists after the pinned one, in order */
export interface HeldApprovers {
  readonly newest: SealedApprovers;
  readonly followed: readonly SealedApprovers[];
}

/** Returns the newest list without a call to the server. Kept lists that do not follow from the pin are ignored. */
export function heldApprovers(pin: Pin, state: string): HeldApprovers {
  const start: HeldApprovers = { newest: pin.list, followed: [] };
  const kept = readPrivateFile(keptPath(state));
  const text = kept.ok ? kept.value : null;
  if (text === null) return start;
  const lists = parseLists(text);
  const extended = lists === null ? null : extend(start, pin, lists);
  return extended ?? start;
}

/** Returns a list at least as new as `sequence`, from the server if necessary; fails if the server has none. */
export async function approversSince(
  client: GrantClient,
  pin: Pin,
  sequence: number,
): Promise<Result<HeldApprovers, Failure>> {
  const held = heldApprovers(pin, client.stateDirectory);
  if (sequence <= sequenceOf(held)) return success(held);
  const fetched = await fetchNewer(client, pin, held);
  if (!fetched.ok) return fetched;
  return sequenceOf(fetched.value) >= sequence ? fetched : failed(sealFailure('behind'));
}

const sequenceOf = ({ newest }: HeldApprovers): number => newest.document.sequence;

/** Fetches the server's newest list and keeps it. Fails if that list does not follow from the list that this host has. */
export async function fetchNewer(
  client: GrantClient,
  pin: Pin,
  held: HeldApprovers,
): Promise<Result<HeldApprovers, Failure>> {
  let newest = held;
  for (;;) {
    const lists = await fetchApproverLists(client, sequenceOf(newest));
    if (!lists.ok) return lists;
    if (lists.value.length === 0) break;
    const extended = extend(newest, pin, lists.value);
    if (extended === null) return failed(sealFailure('chain'));
    newest = extended;
  }
  if (newest !== held) {
    const unwritten = writePrivateFile(keptPath(client.stateDirectory), `${JSON.stringify(newest.followed)}\n`);
    if (unwritten !== null) return failed(unwritten);
  }
  return success(newest);
}

export async function fetchApproverLists(
  client: GrantClient,
  after: number,
): Promise<Result<readonly SealedApprovers[], Failure>> {
  const answer = await callWithToken(client, { method: 'GET', path: `/v1/approver-lists?after=${after}` });
  if (!answer.ok) return answer;
  if (answer.value.status !== 200) return failed(failureOfAnswer(client, answer.value));
  const { lists } = (answer.value.body ?? {}) as { readonly lists?: unknown };
  return Array.isArray(lists)
    ? success(lists as SealedApprovers[])
    : failed(malformed(client.server, 'lists of approvers of unknown shape'));
}

/** Returns null if a list is not the next one, or is not signed by an approver of the list before it. */
function extend(held: HeldApprovers, pin: Pin, lists: readonly SealedApprovers[]): HeldApprovers | null {
  let { newest } = held;
  const followed = [...held.followed];
  for (const next of lists) {
    // The pin may be newer than some of the kept lists.
    if (Number(next?.document?.sequence) <= pin.list.document.sequence) continue;
    if (!follows(newest, next)) return null;
    followed.push(next);
    newest = next;
  }
  return { newest, followed };
}

function follows(current: SealedApprovers, next: SealedApprovers): boolean {
  if (successorFault(current.document, documentDigest(current.document), next?.document) !== null) return false;
  const verdict = verifySeal(next.document, next.seal, current.document);
  return verdict.kind === 'sealed' && maySignLists(current.document, verdict.by);
}

function parseLists(text: string): readonly SealedApprovers[] | null {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? (value as SealedApprovers[]) : null;
  } catch {
    return null;
  }
}
