/** Enrols a host as a requester: the host asks, both sides show the same code, and an approver decides. */
import type { AuditEvent, AuditKind } from '../../core/grant/audit-event.ts';
import { failed, type Result, success } from '../../core/result.ts';
import type { EnrolBody } from '../../core/wire/enrolment.ts';
import { enrolmentCode } from '../../platform/enrolment-code.ts';
import { publicKeyFault } from '../../platform/public-key.ts';
import type { Enrolment, StoreReader, StoreWriter, Subject } from '../../store/store.ts';
import { MAX_PENDING_ENROLMENTS } from '../limits.ts';
import { malformedRequest, type Refusal, refusal } from '../refusal.ts';
import { change, type ServerParts } from '../server-ports.ts';
import { newId } from './secrets.ts';

export const ENROLMENT_LIFETIME_MS = 15 * 60_000;

/** Returns the state of an enrolment at `nowMs`. The database does not store the state `expired`. */
export const enrolmentStateAt = (enrolment: Enrolment, nowMs: number): Enrolment['state'] | 'expired' =>
  enrolment.state === 'pending' && nowMs >= enrolment.expiresAtMs ? 'expired' : enrolment.state;

function enrolmentEvent(kind: AuditKind, enrolment: Enrolment, actorId: string | null, atMs: number): AuditEvent {
  const { id, name, host, user, publicKey } = enrolment;
  return { kind, atMs, actorId, grantId: null, enrolmentId: id, facts: { name, host, user, publicKey } };
}

/**
 * Stores a host's request for enrolment. Fails if the key is malformed, or if `keyClash` returns a refusal. Also fails if one address asks
 * too often, or if too many hosts wait.
 * @param address the host's network address
 */
export async function requestEnrolment(
  parts: ServerParts,
  body: EnrolBody,
  address: string,
): Promise<Result<Enrolment, Refusal>> {
  const fault = publicKeyFault(body.publicKey);
  if (fault !== null) return failed(malformedRequest(fault));
  if (!parts.budgets.enrolments.take(address))
    return failed(refusal('server.too_many', 'too many hosts asked to be enrolled from your address; wait 15 minutes'));
  const id = newId('e', parts.random);
  const nowMs = parts.clock.nowMs();
  const { name, host, user, publicKey } = body;
  const enrolment: Enrolment = {
    id,
    state: 'pending',
    name,
    host,
    user,
    publicKey,
    code: enrolmentCode(parts.serverKey.publicKey, id, publicKey),
    createdAtMs: nowMs,
    expiresAtMs: nowMs + ENROLMENT_LIFETIME_MS,
    decidedAtMs: null,
    decidedBy: null,
    requesterId: null,
  };
  return change(parts, async (rows) => {
    if ((await rows.pendingEnrolments(nowMs)).length >= MAX_PENDING_ENROLMENTS)
      return failed(refusal('server.busy', 'too many hosts wait for enrolment; try again later'));
    const clash = await keyClash(rows, body);
    if (clash !== null) return failed(clash);
    await rows.insertEnrolment(enrolment);
    rows.record(enrolmentEvent('enrolment.requested', enrolment, null, nowMs));
    return success(enrolment);
  });
}

/**
 * Approves or denies an enrolment. Makes no new requester if the key already belongs to a requester of this host and user. Fails if the
 * enrolment does not exist, was decided or has expired. An approval also fails if `keyClash` returns a refusal.
 */
export async function decideEnrolment(
  parts: ServerParts,
  approver: Subject,
  id: string,
  verdict: 'approved' | 'denied',
): Promise<Result<Enrolment, Refusal>> {
  const newSubjectId = newId('s', parts.random);
  return change(parts, async (rows) => {
    const nowMs = parts.clock.nowMs();
    const enrolment = await rows.enrolment(id);
    if (enrolment === undefined) return failed(refusal('enrolment.not_found', 'there is no such enrolment'));
    await rows.lockRequest('enrolment', enrolment.publicKey); // two enrolments with one key are decided one after the other
    const state = enrolmentStateAt(enrolment, nowMs);
    if (state !== 'pending') return failed(refusal('enrolment.decided', `this enrolment is ${state} already`));
    let requesterId: string | null = null;
    if (verdict === 'approved') {
      const subject = await rows.subjectByPublicKey(enrolment.publicKey);
      const clash = await keyClash(rows, enrolment);
      if (clash !== null) return failed(refusal('enrolment.decided', clash.message));
      requesterId = subject?.id ?? (await insertRequester(rows, newSubjectId, enrolment, nowMs));
    }
    const next: Enrolment = { ...enrolment, state: verdict, decidedAtMs: nowMs, decidedBy: approver.id, requesterId };
    if (!(await rows.replaceEnrolment(next)))
      return failed(refusal('enrolment.decided', 'another approver decided this enrolment'));
    rows.record(enrolmentEvent(`enrolment.${verdict}`, next, approver.id, nowMs));
    return success(next);
  });
}

interface Identity {
  readonly name: string;
  readonly host: string;
  readonly user: string;
  readonly publicKey: string;
}

/**
 * Returns a refusal if the key was replaced. Also returns a refusal if the key belongs to an approver, to a revoked requester, or to a
 * requester of another host or user. Returns null for a new key. Also returns null for the key of a live requester of this host and user.
 */
export async function keyClash(rows: StoreReader, wanted: Omit<Identity, 'name'>): Promise<Refusal | null> {
  if ((await rows.keys.replacedKey(wanted.publicKey)) !== undefined)
    return refusal('request.malformed', 'this key was replaced; make a new key');
  const known = await rows.subjectByPublicKey(wanted.publicKey);
  if (known === undefined) return null;
  if (
    known.role === 'requester' &&
    known.revokedAtMs === null &&
    known.host === wanted.host &&
    known.user === wanted.user
  )
    return null;
  return refusal(
    'request.malformed',
    'this key already belongs to an approver, to another host or user, or to a revoked requester; make a new key',
  );
}

async function insertRequester(rows: StoreWriter, id: string, identity: Identity, nowMs: number): Promise<string> {
  const { name, host, user, publicKey } = identity;
  await rows.insertSubject({
    id,
    role: 'requester',
    name,
    host,
    user,
    publicKey,
    createdAtMs: nowMs,
    revokedAtMs: null,
  });
  return id;
}
