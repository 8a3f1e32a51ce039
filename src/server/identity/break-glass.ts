/**
 * Break-glass codes are for a time in which no approver can be reached. People make a code beforehand and keep it in a sealed envelope.
 * The person who uses a code decides alone for 15 minutes. The server notifies every approver, and records the use. If this person
 * approves a request, the approval ends with the 15 minutes at the latest.
 *
 * Some codes also seal: such a code signs approvals. The server never gets such a code. A sign-in secret and a key pair are derived from
 * the code. The server keeps only the hash of the secret, and the public key. The public key is on the list of approvers.
 */
import { plainEvent } from '../../core/grant/audit-event.ts';
import { failed, type Result, success } from '../../core/result.ts';
import { BREAK_GLASS_MS, isBreakGlassKey, keyEndMs } from '../../core/sealed/break-glass-key.ts';
import type { BreakGlassView } from '../../core/wire/people.ts';
import type { ApproversDocument } from '../../core/wire/sealed.ts';
import { base32 } from '../../platform/base32.ts';
import { sha256Hex } from '../../platform/digest.ts';
import type { StoreReader, StoreWriter, Subject } from '../../store/store.ts';
import { type Refusal, refusal } from '../refusal.ts';
import type { ServerParts } from '../server-ports.ts';
import type { ChangedBy } from './people-changes.ts';
import { newId, newSecret, type Random } from './secrets.ts';
import { beginSession } from './session.ts';

const NAME = 'break_glass';
const MAX_CODES = 9;
/** 160 random bits. */
const CODE_BYTES = 20;

/** @property publicKey the public key of the code: raw Ed25519, base64url; absent: the code does not seal */
interface WithKey {
  readonly publicKey?: string;
}

/**
 * @property open the people who decide with a code now. `codeId` is the id of that code. `codeId` is absent if an earlier version of this
 *                program accepted the code
 */
interface BreakGlassState {
  readonly codes: readonly (WithKey & {
    readonly id: string;
    readonly name: string;
    readonly hash: string;
    readonly createdAtMs: number;
  })[];
  readonly open: readonly (WithKey & {
    readonly id: string;
    readonly codeId?: string;
    readonly name: string;
    readonly untilMs: number;
  })[];
}

const hashOf = (code: string): string => sha256Hex(`break-glass\n${code.toLowerCase().replace(/[^a-z2-7]/g, '')}`);

/** Leaves out the people whose 15 minutes are over. If the setting is missing or is not valid JSON, returns no codes and no people. */
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

/** Takes a lock before it reads the state. So two changes at the same time run one after the other. */
async function lockState(rows: StoreWriter, nowMs: number): Promise<BreakGlassState> {
  await rows.lockRequest(NAME, '');
  return readState(rows, nowMs);
}

/**
 * Returns the unused codes, and the people who decide with a code now, as the page *People* shows them. The view contains no code and no
 * hash of a code. `left`: break-glass keys that are on the list of approvers, but belong to none of these codes and people.
 */
export async function breakGlassView(rows: StoreReader, nowMs: number): Promise<BreakGlassView> {
  const { codes, open } = await readState(rows, nowMs);
  const listed = breakGlassKeysOn((await rows.lastApprovers())?.document);
  const endOf = ({ publicKey }: WithKey) => {
    const key = listed.find((one) => one.publicKey === publicKey);
    return key === undefined ? null : keyEndMs(key);
  };
  const isSealing = (code: WithKey) => nowMs < (endOf(code) ?? 0);
  const known = [...codes, ...open].map(({ publicKey }) => publicKey);
  return {
    codes: codes.map((code) => ({
      id: code.id,
      name: code.name,
      createdAtMs: code.createdAtMs,
      isSealing: isSealing(code),
      keyEndsAtMs: endOf(code),
    })),
    open: open.map((one) => ({ id: one.id, name: one.name, untilMs: one.untilMs, isSealing: isSealing(one) })),
    left: listed.filter(({ publicKey }) => !known.includes(publicKey)).map(({ keyId, name }) => ({ keyId, name })),
  };
}

/** Returns the people who decide with a code now. Every page calls this function, so it does not read the list of approvers. */
export const decidingAlone = async (
  rows: StoreReader,
  nowMs: number,
): Promise<readonly Pick<BreakGlassView['open'][number], 'id' | 'name' | 'untilMs'>[]> =>
  (await readState(rows, nowMs)).open;

const breakGlassKeysOn = (list: ApproversDocument | undefined) =>
  (list?.approvers ?? []).flatMap((approver) =>
    approver.kind === 'ed25519' && isBreakGlassKey(approver) ? [approver] : [],
  );

/**
 * Returns the public key of the code with which this person signed in; null: the person used no code, or the code does not seal. After the
 * 15 minutes, the result can also be null.
 */
export async function breakGlassKeyOf(rows: StoreReader, { id, createdAtMs }: Subject): Promise<string | null> {
  const { open } = await readState(rows, createdAtMs);
  return open.find((one) => one.id === id)?.publicKey ?? null;
}

/**
 * Makes a code that does not seal. Fails if there are `MAX_CODES` codes already.
 * @returns the code and its id; the code is shown only once
 */
export async function makeBreakGlass(
  rows: StoreWriter,
  name: string,
  at: ChangedBy,
  random: Random,
): Promise<Result<{ readonly id: string; readonly code: string }, Refusal>> {
  const code = base32(random(CODE_BYTES)).replace(/(.{4})(?!$)/g, '$1-');
  const kept = await keepBreakGlass(rows, name, { secret: code }, at, random);
  return kept.ok ? success({ id: kept.value.id, code }) : kept;
}

/**
 * Stores a code. Fails if there are `MAX_CODES` codes already.
 * @param secret the text for signing in: the code itself, or the secret that is derived from a code that seals
 */
export async function keepBreakGlass(
  rows: StoreWriter,
  name: string,
  { secret, ...key }: WithKey & { readonly secret: string },
  { by, nowMs }: ChangedBy,
  random: Random,
): Promise<Result<{ readonly id: string }, Refusal>> {
  const { codes, open } = await lockState(rows, nowMs);
  if (codes.length >= MAX_CODES)
    return failed(
      refusal(
        'server.too_many',
        `there are already ${MAX_CODES} break-glass codes, and more are not allowed; remove a code`,
      ),
    );
  const id = newId('b', random);
  await writeState(rows, { codes: [...codes, { id, name, hash: hashOf(secret), createdAtMs: nowMs, ...key }], open });
  const facts = { codeId: id, name, ...(key.publicKey === undefined ? {} : { isSealing: true }) };
  rows.record(plainEvent('break_glass.made', by, nowMs, facts));
  return success({ id });
}

const noSuchCode = refusal('break_glass.not_found', 'there is no such break-glass code, neither unused nor in use');

/**
 * Removes an unused code. If a person uses the code now, this person's right to decide ends at once. Fails if there is no such code.
 * @param id the id of the code, unused or in use, or of the person who decides with the code
 * @returns the public key of the code; null: the code does not seal
 */
export async function endBreakGlass(
  rows: StoreWriter,
  id: string,
  { by, nowMs }: ChangedBy,
): Promise<Result<string | null, Refusal>> {
  const { codes, open } = await lockState(rows, nowMs);
  const inUse = open.find((candidate) => candidate.id === id || candidate.codeId === id);
  const entry = inUse ?? codes.find((candidate) => candidate.id === id);
  if (entry === undefined) return failed(noSuchCode);
  if (inUse !== undefined) await rows.revokeSubject(inUse.id, nowMs);
  await writeState(rows, {
    codes: codes.filter((candidate) => candidate !== entry),
    open: open.filter((candidate) => candidate !== entry),
  });
  const event = inUse === undefined ? 'break_glass.removed' : 'break_glass.ended';
  rows.record(plainEvent(event, by, nowMs, { codeId: inUse?.codeId ?? entry.id, name: entry.name }));
  return success(entry.publicKey ?? null);
}

/** Whether an unused code has this text. Checked before `openBreakGlass`, so that a caller without a code causes no write. */
export const breakGlassIsLive = async (rows: StoreReader, code: string, nowMs: number): Promise<boolean> =>
  (await readState(rows, nowMs)).codes.some(({ hash }) => hash === hashOf(code));

/** Notifies each approver of a sign-in with a code, in the transaction of the sign-in. `grantId` is null: no grant is decided yet. */
export type NotifyOfBreakGlass = (
  rows: StoreWriter,
  used: { readonly subjectId: string; readonly grantId: null },
  nowMs: number,
) => Promise<void>;

/** Spends the code and returns the secret of a session of 15 minutes; null: no unused code has this text. */
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
  const key = spent.publicKey === undefined ? {} : { publicKey: spent.publicKey };
  // The subject has no public key. With a public key, the subject could obtain a token by the key of the code.
  const subject = { id, role: 'break-glass' as const, name, host: '', user: '', publicKey: null };
  await rows.insertSubject({ ...subject, createdAtMs: nowMs, revokedAtMs: null });
  await writeState(rows, {
    codes: codes.filter((other) => other !== spent),
    open: [...open, { id, codeId: spent.id, name, untilMs, ...key }],
  });
  const secret = newSecret(parts.random);
  const session = { subjectId: id, passkeyId: null, by: 'break-glass' as const, userAgent, lastsMs: BREAK_GLASS_MS };
  await beginSession(parts, rows, secret, session);
  rows.record(plainEvent('break_glass.opened', id, nowMs, { codeId: spent.id, name: spent.name, untilMs }));
  await notify(rows, { subjectId: id, grantId: null }, nowMs);
  return secret;
}

/** Returns when this person's right to decide ends (Unix ms); null: the person uses no break-glass code, so the right does not end. */
export const breakGlassEndMs = ({ role, createdAtMs }: Pick<Subject, 'role' | 'createdAtMs'>): number | null =>
  role === 'break-glass' ? createdAtMs + BREAK_GLASS_MS : null;
