/**
 * The newest list of approvers that this host accepts: the pinned list, or a later one that follows from it link by link.
 * Fetched lists are kept in the state directory. Each link is verified again when it is read, so that a list that was put into
 * that directory and that no approver signed is refused.
 *
 * The name of a kept file has the number of its newest list, and the highest number counts. So a process that fetched lists
 * earlier and is slow to write them cannot take away what another process has learned since: the removal of an approver.
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

/** A file without a number is of an older version. */
const KEPT = /^approver-lists(?:-(\d{1,15}))?\.json$/;

const numberOf = (name: string): number => Number(KEPT.exec(name)?.[1] ?? 0);
const keptName = (sequence: number): string => `approver-lists-${sequence}.json`;

/** The names of the kept files, the newest first. */
function keptNames(state: string): readonly string[] {
  try {
    return readdirSync(state)
      .filter((name) => KEPT.test(name))
      .sort((left, right) => numberOf(right) - numberOf(left));
  } catch {
    return [];
  }
}

/** @property followed the lists after the pinned one, in order */
export interface HeldApprovers {
  readonly newest: SealedApprovers;
  readonly followed: readonly SealedApprovers[];
}

/** Returns the newest list without a call to the server. Kept lists that do not follow from the pin are ignored. */
export function heldApprovers(pin: Pin, state: string): HeldApprovers {
  const start: HeldApprovers = { newest: pin.list, followed: [] };
  for (;;) {
    const names = keptNames(state);
    const texts = names.map((name) => readPrivateFile(join(state, name)));
    // Another process has written a newer file before it removed this one.
    if (texts.some((text) => text.ok && text.value === null)) continue;
    const found = texts.flatMap((text) => {
      const lists = text.ok && text.value !== null ? parseLists(text.value) : null;
      return (lists === null ? null : extend(start, pin, lists)) ?? [];
    });
    return found.reduce((best, each) => (sequenceOf(each) > sequenceOf(best) ? each : best), start);
  }
}

/** Keeps the lists, and removes the files that have fewer. */
function keep(state: string, held: HeldApprovers): Failure | null {
  const sequence = sequenceOf(held);
  const unwritten = writePrivateFile(join(state, keptName(sequence)), `${JSON.stringify(held.followed)}\n`);
  if (unwritten !== null) return unwritten;
  for (const name of keptNames(state)) if (numberOf(name) < sequence) rmSync(join(state, name), { force: true });
  return null;
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
    // Lists that are no newer than what was asked for: a server that sends them again and again must not keep the caller waiting.
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
