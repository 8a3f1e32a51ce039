/**
 * Break-glass codes, made beforehand and kept in a sealed envelope, for the hour in which no approver can be reached. Who uses one
 * decides alone for 15 minutes; every approver is notified, and the record says so. What is approved so ends with those minutes.
 */
import { plainEvent } from '../../core/grant/audit-event.ts';
import { failed, type Result, success } from '../../core/result.ts';
import type { BreakGlassView } from '../../core/wire/people.ts';
import { base32 } from '../../platform/base32.ts';
import { sha256Hex } from '../../platform/digest.ts';
import type { StoreReader, StoreWriter, Subject } from '../../store/store.ts';
import { type Refusal, refusal } from '../refusal.ts';
import type { ServerParts } from '../server-ports.ts';
import type { ChangedBy } from './people-changes.ts';
import { newId, newSecret, type Random } from './secrets.ts';
import { beginSession } from './session.ts';

const NAME = 'break_glass';
const BREAK_GLASS_MS = 15 * 60_000;
const MAX_CODES = 9;
/** 160 random bits. */
const CODE_BYTES = 20;

interface Held {
  readonly codes: readonly {
    readonly id: string;
    readonly name: string;
    readonly hash: string;
    readonly createdAtMs: number;
  }[];
  readonly open: readonly { readonly id: string; readonly name: string; readonly untilMs: number }[];
}

const hashOf = (code: string): string => sha256Hex(`break-glass\n${code.toLowerCase().replace(/[^a-z2-7]/g, '')}`);

/** Leaves out codes and rights that are over. An entry of the database that cannot be read is no code. */
async function held(rows: StoreReader, nowMs: number): Promise<Held> {
  const text = await rows.passkeys.ownerSetting(NAME);
  try {
    const value = JSON.parse(text ?? 'null') as Held | null;
    return { codes: value?.codes ?? [], open: (value?.open ?? []).filter(({ untilMs }) => untilMs > nowMs) };
  } catch {
    return { codes: [], open: [] };
  }
}

const put = (rows: StoreWriter, value: Held): Promise<void> =>
  rows.passkeys.setOwnerSetting(NAME, JSON.stringify(value));

/** Locks, so that of two changes at the same time the second one sees the first. */
async function heldForChange(rows: StoreWriter, nowMs: number): Promise<Held> {
  await rows.lockRequest(NAME, '');
  return held(rows, nowMs);
}

/** Returns no code, and no hash of one. `open` are those that decide at this moment. */
export async function breakGlassView(rows: StoreReader, nowMs: number): Promise<BreakGlassView> {
  const { codes, open } = await held(rows, nowMs);
  return { codes: codes.map(({ id, name, createdAtMs }) => ({ id, name, createdAtMs })), open };
}

/** @returns the code, which is shown once */
export async function makeBreakGlass(
  rows: StoreWriter,
  name: string,
  { by, nowMs }: ChangedBy,
  random: Random,
): Promise<Result<{ readonly id: string; readonly code: string }, Refusal>> {
  const { codes, open } = await heldForChange(rows, nowMs);
  if (codes.length >= MAX_CODES)
    return failed(
      refusal('server.too_many', `there are ${MAX_CODES} break-glass codes, which is the most; remove one`),
    );
  const code = base32(random(CODE_BYTES)).replace(/(.{4})(?!$)/g, '$1-');
  const id = newId('b', random);
  await put(rows, { codes: [...codes, { id, name, hash: hashOf(code), createdAtMs: nowMs }], open });
  rows.record(plainEvent('break_glass.made', by, nowMs, { codeId: id, name }));
  return success({ id, code });
}

const noSuch = refusal('break_glass.not_found', 'there is no such break-glass code, and none such is in use');

/** Takes back a code, or ends at once what one opened. */
export async function endBreakGlass(
  rows: StoreWriter,
  id: string,
  { by, nowMs }: ChangedBy,
): Promise<Result<null, Refusal>> {
  const { codes, open } = await heldForChange(rows, nowMs);
  const one = [...codes, ...open].find((each) => each.id === id);
  if (one === undefined) return failed(noSuch);
  const isOpen = open.some((each) => each.id === id);
  if (isOpen) await rows.revokeSubject(id, nowMs);
  await put(rows, { codes: codes.filter((each) => each.id !== id), open: open.filter((each) => each.id !== id) });
  rows.record(
    plainEvent(isOpen ? 'break_glass.ended' : 'break_glass.removed', by, nowMs, { codeId: id, name: one.name }),
  );
  return success(null);
}

/** Looked at before it is spent: a caller without a code makes the database write nothing. */
export const breakGlassIsLive = async (rows: StoreReader, code: string, nowMs: number): Promise<boolean> =>
  (await held(rows, nowMs)).codes.some(({ hash }) => hash === hashOf(code));

/** Notifies each approver, in the same transaction. @property grantId null: the code was used just now */
export type NotifyOfBreakGlass = (
  rows: StoreWriter,
  used: { readonly subjectId: string; readonly grantId: null },
  nowMs: number,
) => Promise<void>;

/** The secret of a session of 15 minutes; null: there is no such code any more. A code opens once. */
export async function openBreakGlass(
  parts: ServerParts,
  rows: StoreWriter,
  code: string,
  userAgent: string | undefined,
  notify: NotifyOfBreakGlass,
): Promise<string | null> {
  const nowMs = parts.clock.nowMs();
  const { codes, open } = await heldForChange(rows, nowMs);
  const one = codes.find(({ hash }) => hash === hashOf(code));
  if (one === undefined) return null;
  const id = newId('s', parts.random);
  const name = `${one.name} (break-glass)`;
  const untilMs = nowMs + BREAK_GLASS_MS;
  const subject = { id, role: 'break-glass' as const, name, host: '', user: '', publicKey: null };
  await rows.insertSubject({ ...subject, createdAtMs: nowMs, revokedAtMs: null });
  await put(rows, {
    codes: codes.filter((each) => each !== one),
    open: [...open, { id, name, untilMs }],
  });
  const secret = newSecret(parts.random);
  const session = { subjectId: id, passkeyId: null, by: 'break-glass' as const, userAgent, lastsMs: BREAK_GLASS_MS };
  await beginSession(parts, rows, secret, session);
  rows.record(plainEvent('break_glass.opened', id, nowMs, { codeId: one.id, name: one.name, untilMs }));
  await notify(rows, { subjectId: id, grantId: null }, nowMs);
  return secret;
}

/** When the right of this person to decide ends by itself; null: it does not. */
export const breakGlassEndMs = ({ role, createdAtMs }: Pick<Subject, 'role' | 'createdAtMs'>): number | null =>
  role === 'break-glass' ? createdAtMs + BREAK_GLASS_MS : null;
