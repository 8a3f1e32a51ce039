/**
 * Finds the newest list of approvers that this host accepts: the pinned list or a later list. An approver must sign each later list. The
 * list before must name this approver. Fetched lists are kept in the state directory. Each read of a kept file verifies the lists again:
 * a person could forge a file in that directory.
 *
 * The name of a kept file contains the number of its newest list. All kept files are read. The accepted list with the highest number
 * counts. So a slow process with older lists cannot overwrite newer lists, and cannot undo the removal of an approver.
 */
import { readdirSync, rmSync } from 'node:fs';
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

/** The name of a kept file. An older version of this program wrote no number. */
const KEPT = /^approver-lists(?:-(\d{1,15}))?\.json$/;

const numberOf = (name: string): number => Number(KEPT.exec(name)?.[1] ?? 0);
const keptName = (sequence: number): string => `approver-lists-${sequence}.json`;

/** Returns the names of the kept files, the highest number first. */
function keptNames(state: string): readonly string[] {
  try {
    return readdirSync(state)
      .filter((name) => KEPT.test(name))
      .sort((left, right) => numberOf(right) - numberOf(left));
  } catch {
    return [];
  }
}

/** @property followed the accepted lists after the pinned list, the oldest first */
export interface HeldApprovers {
  readonly newest: SealedApprovers;
  readonly followed: readonly SealedApprovers[];
}

/**
 * Returns the newest accepted list. Does not call the server. Ignores a kept file if the file cannot be read, or if `extend` refuses the
 * lists in the file.
 */
export function heldApprovers(pin: Pin, state: string): HeldApprovers {
  const start: HeldApprovers = { newest: pin.list, followed: [] };
  for (;;) {
    const names = keptNames(state);
    const texts = names.map((name) => readPrivateFile(join(state, name)));
    // A listed file is gone: another process has written a newer file and removed the listed file. Read again.
    if (texts.some((text) => text.ok && text.value === null)) continue;
    const found = texts.flatMap((text) => {
      const lists = text.ok && text.value !== null ? parseLists(text.value) : null;
      return (lists === null ? null : extend(start, pin, lists)) ?? [];
    });
    return found.reduce((best, each) => (sequenceOf(each) > sequenceOf(best) ? each : best), start);
  }
}

/** Writes the lists into a file, and removes the files with older lists. */
function keep(state: string, held: HeldApprovers): Failure | null {
  const sequence = sequenceOf(held);
  const unwritten = writePrivateFile(join(state, keptName(sequence)), `${JSON.stringify(held.followed)}\n`);
  if (unwritten !== null) return unwritten;
  for (const name of keptNames(state)) if (numberOf(name) < sequence) rmSync(join(state, name), { force: true });
  return null;
}

/**
 * Returns a list with the number `sequence` or higher. If this host has no such list, asks the server for one. Fails if the server has none
 * either.
 */
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

/**
 * Fetches and keeps the lists after `held`. Returns `held` if the server has no later list. If another process has meanwhile kept even
 * newer lists, returns the lists of that process. Fails if `extend` refuses a fetched list, or if the lists cannot be written.
 */
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
    // The server sent only lists that this host has. Without this check, that server could keep the caller in this loop forever.
    if (sequenceOf(extended) === sequenceOf(newest)) return failed(sealFailure('behind'));
    newest = extended;
  }
  if (newest !== held) {
    const unwritten = keep(client.stateDirectory, newest);
    if (unwritten !== null) return failed(unwritten);
    const kept = heldApprovers(pin, client.stateDirectory);
    if (sequenceOf(kept) > sequenceOf(newest)) return success(kept);
  }
  return success(newest);
}

/**
 * Fetches the lists whose number is higher than `after`, the oldest first. Does not verify the lists. The server may send only the first of
 * these lists: call again with a higher `after`. If the result is empty, the server has no later list.
 * @param after the number of the last list that the caller has; 0: the caller has no list
 */
export async function fetchApproverLists(
  client: GrantClient,
  after: number,
): Promise<Result<readonly SealedApprovers[], Failure>> {
  const answer = await askForLists(client, after);
  if (!answer.ok) return answer;
  const { lists } = answer.value;
  return Array.isArray(lists)
    ? success(lists as SealedApprovers[])
    : failed(malformed(client.server, 'lists of approvers of unknown shape'));
}

/**
 * Returns the ids of those keys on the server's newest list that the server no longer accepts. The result is empty in three cases: there
 * is no such key, an older server does not say, or the call failed. The server alone vouches for this answer.
 * @param after the number of the newest list
 */
export async function fetchRevokedApprovers(client: GrantClient, after: number): Promise<ReadonlySet<unknown>> {
  const answer = await askForLists(client, after);
  return new Set(answer.ok && Array.isArray(answer.value.revoked) ? answer.value.revoked : []);
}

async function askForLists(
  client: GrantClient,
  after: number,
): Promise<Result<{ readonly lists?: unknown; readonly revoked?: unknown }, Failure>> {
  const answer = await callWithToken(client, { method: 'GET', path: `/v1/approver-lists?after=${after}` });
  if (!answer.ok) return answer;
  return answer.value.status === 200 ? success(answer.value.body ?? {}) : failed(failureOfAnswer(client, answer.value));
}

/** Adds the lists. Returns null if a list does not follow directly, or if no approver of the list before has signed the list. */
function extend(held: HeldApprovers, pin: Pin, lists: readonly SealedApprovers[]): HeldApprovers | null {
  let { newest } = held;
  const followed = [...held.followed];
  for (const next of lists) {
    // The pinned list can be newer than a kept list.
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
