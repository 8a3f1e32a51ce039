/** Reads and sets the on-call weeks, a setting of the owner. The weeks say who is notified first, but do not change who may decide. */
import { plainEvent } from '../../core/grant/audit-event.ts';
import { rotaFault } from '../../core/people/on-call.ts';
import { failed, type Result, success } from '../../core/result.ts';
import type { Rota } from '../../core/wire/people.ts';
import type { StoreReader, StoreWriter } from '../../store/store.ts';
import { malformedRequest, type Refusal, refusal } from '../refusal.ts';
import type { ChangedBy } from './people-changes.ts';
import { decidersOf } from './people-rules.ts';

const NAME = 'on_call';

/** Returns null if no on-call weeks are set, or if the entry in the database cannot be read. */
export async function rotaOf(rows: StoreReader): Promise<Rota | null> {
  const text = await rows.passkeys.ownerSetting(NAME);
  if (text === undefined) return null;
  try {
    const rota = JSON.parse(text) as Rota | null;
    return rota === null || rotaFault(rota) !== null ? null : rota;
  } catch {
    return null;
  }
}

/**
 * Sets or ends the on-call weeks. Fails if `rota` is malformed, or names a person who is not among the deciders (`decidersOf`).
 * @param rota null: ends the on-call weeks; all approvers are then notified at the same time
 */
export async function setRota(
  rows: StoreWriter,
  rota: Rota | null,
  { by, nowMs }: ChangedBy,
): Promise<Result<Rota | null, Refusal>> {
  const fault = rota === null ? null : rotaFault(rota);
  if (fault !== null) return failed(malformedRequest(fault));
  const deciders = await decidersOf(rows);
  const stranger = rota?.persons.find((id) => !deciders.has(id));
  if (stranger !== undefined)
    return failed(refusal('person.not_found', `${stranger} is not an approver here, and cannot be on call`));
  const value = JSON.stringify(rota);
  await rows.passkeys.setOwnerSetting(NAME, value);
  rows.record(plainEvent('setting.changed', by, nowMs, { name: NAME, value }));
  return success(rota);
}
