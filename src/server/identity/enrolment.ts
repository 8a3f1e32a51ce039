/** Enrols a host as a requester: the host asks and sends its nonce, both sides show the same code, and an approver decides. */
import type { AuditEvent, AuditKind } from '../../core/grant/audit-event.ts';
import { hostNamesFault } from '../../core/people/shown-name.ts';
import { failed, type Result, success } from '../../core/result.ts';
import type { EnrolBody } from '../../core/wire/enrolment.ts';
import { enrolmentCode, enrolmentCommitment } from '../../platform/enrolment-code.ts';
import { publicKeyFault } from '../../platform/public-key.ts';
import type { Enrolment, StoreReader, StoreWriter, Subject } from '../../store/store.ts';
import { MAX_PENDING_ENROLMENTS } from '../limits.ts';
import { malformedRequest, type Refusal, refusal } from '../refusal.ts';
import { change, read, type ServerParts, type ServerPorts } from '../server-ports.ts';
import { newId } from './secrets.ts';

export const ENROLMENT_LIFETIME_MS = 15 * 60_000;

/** Returns the state of an enrolment at `nowMs`. The database does not store the state `expired`. */
export const enrolmentStateAt = (enrolment: Enrolment, nowMs: number): Enrolment['state'] | 'expired' =>
  enrolment.state === 'pending' && nowMs >= enrolment.expiresAtMs ? 'expired' : enrolment.state;

type WithKey = Pick<ServerPorts, 'serverKey'>;

const codeWith = ({ id, publicKey, name, host, user }: Enrolment, nonce: string, { serverKey }: WithKey): string =>
  enrolmentCode({ serverPublicKey: serverKey.publicKey, enrolmentId: id, publicKey, nonce, name, host, user });

/** Returns the code that the host shows too; null: the host has not sent its nonce. */
export const codeOf = (enrolment: Enrolment, ports: WithKey): string | null =>
  enrolment.nonce === null ? null : codeWith(enrolment, enrolment.nonce, ports);

function enrolmentEvent(
  kind: AuditKind,
  enrolment: Enrolment,
  code: string | null,
  actorId: string | null,
  atMs: number,
): AuditEvent {
  const { id, name, host, user, publicKey } = enrolment;
  return { kind, atMs, actorId, grantId: null, enrolmentId: id, facts: { name, host, user, publicKey, code } };
}

/**
 * Stores a host's request for enrolment. Fails if the host sends no commitment, if the key or a name is malformed, or if `keyClash` returns
 * a refusal.
 * Also fails if one address asks too often, or if too many hosts wait.
 * @param address the host's network address
 */
export async function requestEnrolment(
  parts: ServerParts,
  body: EnrolBody,
  address: string,
): Promise<Result<Enrolment, Refusal>> {
  const fault = publicKeyFault(body.publicKey) ?? hostNamesFault(body);
  if (fault !== null) return failed(malformedRequest(fault));
  if (body.commitment === undefined) return failed(hostTooOld);
  if (!parts.budgets.enrolments.take(address))
    return failed(refusal('server.too_many', 'too many hosts asked to be enrolled from your address; wait 15 minutes'));
  const id = newId('e', parts.random);
  const nowMs = parts.clock.nowMs();
  const { name, host, user, publicKey, commitment } = body;
  const enrolment: Enrolment = {
    id,
    state: 'pending',
    name,
    host,
    user,
    publicKey,
    commitment,
    nonce: null,
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
    rows.record(enrolmentEvent('enrolment.requested', enrolment, null, null, nowMs));
    return success(enrolment);
  });
}

/** Without a commitment, a computer on the way could choose keys until both sides show the same code. */
const hostTooOld = refusal(
  'request.malformed',
  'the version of ape-shell on this host is too old: its code could be forged on the way; upgrade ape-shell on this host',
);

/**
 * Stores the host's nonce, and returns the code. Takes only one nonce: the text whose SHA-256 is the commitment. Fails if the enrolment does
 * not exist, was decided, has expired or has a nonce. A call with another nonce changes nothing, so it cannot end the enrolment.
 */
export async function revealNonce(parts: ServerParts, id: string, nonce: string): Promise<Result<string, Refusal>> {
  // Everybody may make this call. So a wrong call must begin no write transaction.
  const checked = await read(parts, async (rows) => {
    const enrolment = await rows.enrolment(id);
    const refused = nonceRefusal(enrolment, nonce, parts.clock.nowMs());
    return refused === null ? success(null) : failed(refused);
  });
  if (!checked.ok) return checked;
  return change(parts, async (rows) => {
    const nowMs = parts.clock.nowMs();
    const enrolment = await rows.enrolment(id);
    const refused = nonceRefusal(enrolment, nonce, nowMs);
    if (enrolment === undefined || refused !== null) return failed(refused ?? noEnrolment);
    if (!(await rows.insertNonce(id, nonce))) return failed(nonceKnown);
    const code = codeWith(enrolment, nonce, parts);
    rows.record(enrolmentEvent('enrolment.revealed', enrolment, code, null, nowMs));
    return success(code);
  });
}

function nonceRefusal(enrolment: Enrolment | undefined, nonce: string, nowMs: number): Refusal | null {
  if (enrolment === undefined) return noEnrolment;
  const state = enrolmentStateAt(enrolment, nowMs);
  if (state !== 'pending') return decidedAlready(state);
  if (enrolment.nonce !== null) return nonceKnown;
  if (enrolmentCommitment(nonce) !== enrolment.commitment)
    return refusal('enrolment.nonce_wrong', 'this nonce does not match the commitment of the enrolment');
  return null;
}

const noEnrolment = refusal('enrolment.not_found', 'there is no such enrolment');
const nonceKnown = refusal('enrolment.nonce_known', 'this enrolment has a nonce already');
const decidedAlready = (state: string) => refusal('enrolment.decided', `this enrolment is ${state} already`);

/** @property code the code that the approver saw; undefined: the call does not say a code */
export type EnrolmentVerdict =
  | { readonly state: 'approved'; readonly code: string | undefined }
  | { readonly state: 'denied' };

/**
 * Approves or denies an enrolment. Makes no new requester if the key already belongs to a requester of this host and user. Fails if the
 * enrolment does not exist, was decided or has expired. An approval also fails if `codeRefusal` or `keyClash` returns a refusal.
 */
export async function decideEnrolment(
  parts: ServerParts,
  approver: Subject,
  id: string,
  verdict: EnrolmentVerdict,
): Promise<Result<Enrolment, Refusal>> {
  const newSubjectId = newId('s', parts.random);
  return change(parts, async (rows) => {
    const nowMs = parts.clock.nowMs();
    const enrolment = await rows.enrolment(id);
    if (enrolment === undefined) return failed(noEnrolment);
    await rows.lockRequest('enrolment', enrolment.publicKey); // two enrolments with one key are decided one after the other
    const state = enrolmentStateAt(enrolment, nowMs);
    if (state !== 'pending') return failed(decidedAlready(state));
    const code = codeOf(enrolment, parts);
    let requesterId: string | null = null;
    if (verdict.state === 'approved') {
      const refused = codeRefusal(code, verdict.code);
      if (refused !== null) return failed(refused);
      const subject = await rows.subjectByPublicKey(enrolment.publicKey);
      const clash = await keyClash(rows, enrolment);
      if (clash !== null) return failed(refusal('enrolment.decided', clash.message));
      requesterId = subject?.id ?? (await insertRequester(rows, newSubjectId, enrolment, nowMs));
    }
    const next: Enrolment = {
      ...enrolment,
      state: verdict.state,
      decidedAtMs: nowMs,
      decidedBy: approver.id,
      requesterId,
    };
    if (!(await rows.replaceEnrolment(next)))
      return failed(refusal('enrolment.decided', 'another approver decided this enrolment'));
    rows.record(enrolmentEvent(`enrolment.${verdict.state}`, next, code, approver.id, nowMs));
    return success(next);
  });
}

/** An approval counts only for the code that the approver has compared. */
function codeRefusal(code: string | null, seen: string | undefined): Refusal | null {
  if (code === null)
    return refusal(
      'enrolment.no_code',
      'this host has not sent its part of the code yet; wait for the code, and compare it',
    );
  if (seen === undefined)
    return refusal(
      'request.malformed',
      'an approval has to say the code that you compared; if this is a page, reload it',
    );
  return seen === code
    ? null
    : refusal('enrolment.other_code', 'the code of this enrolment is another one; compare again');
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
