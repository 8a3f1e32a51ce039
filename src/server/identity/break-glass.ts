/**
 * Break-glass codes, made beforehand and kept in a sealed envelope, for the hour in which no approver can be reached. The person who
 * uses a code decides alone for 15 minutes; every approver is notified, and the record says so. An approval that was given in this
 * way ends with those minutes.
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

/** @property open the people who decide with a code now */
interface BreakGlassState {
  readonly codes: readonly {
    readonly id: string;
    readonly name: string;
    readonly hash: string;
    readonly createdAtMs: number;
  }[];
  readonly open: readonly { readonly id: string; readonly name: string; readonly untilMs: number }[];
}

const hashOf = (code: string): string => sha256Hex(`break-glass\n${code.toLowerCase().replace(/[^a-z2-7]/g, '')}`);

/** Leaves out the people whose 15 minutes are over. If the database entry cannot be read, there are no codes. */
async function readState(rows: StoreReader, nowMs: number): Promise<BreakGlassState> {
  const text = await rows.passkeys.ownerSetting(NAME);
  try {
    const value = JSON.parse(text ?? 'null') as BreakGlassState | null;
    return { codes: value?.codes ?? [], open: (value?.open ?? []).filter(({ untilMs }) => untilMs > nowMs) };
  } catch {
    return { codes: [], open: [] };
  }
}

const writeState = (rows: StoreWriter, value: BreakGlassState): Promise<void> =>
  rows.passkeys.setOwnerSetting(NAME, JSON.stringify(value));

/** Takes a lock, so that of two changes at the same time the second one sees the first. */
async function lockState(rows: StoreWriter, nowMs: number): Promise<BreakGlassState> {
  await rows.lockRequest(NAME, '');
  return readState(rows, nowMs);
}

/** Shows neither a code nor the hash of a code. */
export async function breakGlassView(rows: StoreReader, nowMs: number): Promise<BreakGlassView> {
  const { codes, open } = await readState(rows, nowMs);
  return { codes: codes.map(({ id, name, createdAtMs }) => ({ id, name, createdAtMs })), open };
}

/** @returns the code, which is shown once */
export async function makeBreakGlass(
  rows: StoreWriter,
  name: string,
  { by, nowMs }: ChangedBy,
  random: Random,
): Promise<Result<{ readonly id: string; readonly code: string }, Refusal>> {
  const { codes, open } = await lockState(rows, nowMs);
  if (codes.length >= MAX_CODES)
    return failed(
      refusal('server.too_many', `there are ${MAX_CODES} break-glass codes, which is the most; remove one`),
    );
  const code = base32(random(CODE_BYTES)).replace(/(.{4})(?!$)/g, '$1-');
  const id = newId('b', random);
  await writeState(rows, { codes: [...codes, { id, name, hash: hashOf(code), createdAtMs: nowMs }], open });
  rows.record(plainEvent('break_glass.made', by, nowMs, { codeId: id, name }));
  return success({ id, code });
}

const noSuch = refusal('break_glass.not_found', 'there is no such break-glass code, and none such is in use');

/** Removes a code, or ends at once the right to decide that a code has given. */
export async function endBreakGlass(
  rows: StoreWriter,
  id: string,
  { by, nowMs }: ChangedBy,
): Promise<Result<null, Refusal>> {
  const { codes, open } = await lockState(rows, nowMs);
  const entry = [...codes, ...open].find((candidate) => candidate.id === id);
  if (entry === undefined) return failed(noSuch);
  const isOpen = open.some((candidate) => candidate.id === id);
  if (isOpen) await rows.revokeSubject(id, nowMs);
  await writeState(rows, {
    codes: codes.filter((candidate) => candidate.id !== id),
    open: open.filter((candidate) => candidate.id !== id),
  });
  rows.record(
    plainEvent(isOpen ? 'break_glass.ended' : 'break_glass.removed', by, nowMs, { codeId: id, name: entry.name }),
  );
  return success(null);
}

/** Whether there is such a code. The caller asks this before it spends the code, so that a caller without a code cannot make the database write. */
export const breakGlassIsLive = async (rows: StoreReader, code: string, nowMs: number): Promise<boolean> =>
  (await readState(rows, nowMs)).codes.some(({ hash }) => hash === hashOf(code));

/** Notifies each approver, in the same transaction. `grantId` is null: the code itself was used, and no grant is decided yet. */
export type NotifyOfBreakGlass = (
  rows: StoreWriter,
  used: { readonly subjectId: string; readonly grantId: null },
  nowMs: number,
) => Promise<void>;

/** Spends the code and returns the secret of a session of 15 minutes; null: there is no such code any more. */
export async function openBreakGlass(
  parts: ServerParts,
  rows: StoreWriter,
  code: string,
  userAgent: string | undefined,
  notify: NotifyOfBreakGlass,
): Promise<string | null> {
  const nowMs = parts.clock.nowMs();
  const { codes, open } = await lockState(rows, nowMs);
  const spent = codes.find(({ hash }) => hash === hashOf(code));
  if (spent === undefined) return null;
  const id = newId('s', parts.random);
  const name = `${spent.name} (break-glass)`;
  const untilMs = nowMs + BREAK_GLASS_MS;
  const subject = { id, role: 'break-glass' as const, name, host: '', user: '', publicKey: null };
  await rows.insertSubject({ ...subject, createdAtMs: nowMs, revokedAtMs: null });
  await writeState(rows, {
    codes: codes.filter((other) => other !== spent),
    open: [...open, { id, name, untilMs }],
  });
  const secret = newSecret(parts.random);
  const session = { subjectId: id, passkeyId: null, by: 'break-glass' as const, userAgent, lastsMs: BREAK_GLASS_MS };
  await beginSession(parts, rows, secret, session);
  rows.record(plainEvent('break_glass.opened', id, nowMs, { codeId: spent.id, name: spent.name, untilMs }));
  await notify(rows, { subjectId: id, grantId: null }, nowMs);
  return secret;
}

/** Returns when the right of this person to decide ends by itself; null: it does not end by itself. */
export const breakGlassEndMs = ({ role, createdAtMs }: Pick<Subject, 'role' | 'createdAtMs'>): number | null =>
  role === 'break-glass' ? createdAtMs + BREAK_GLASS_MS : null;
