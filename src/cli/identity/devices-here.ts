/**
 * `apes owner devices list`, `recovery-codes` and `passkey-above`. `passkey-above` shows or sets a risk: above this risk, people who have a
 * passkey must approve with the passkey. The verbs open the database directly, so the server need not run.
 */
import { visibleLine } from '../../core/text/visible-text.ts';
import type { PasskeyAbove } from '../../core/wire/passkeys.ts';
import { systemClock } from '../../platform/clock.ts';
import type { CliContext } from '../context.ts';
import { answering, type Ending, failing } from '../ending.ts';
import { withOwnDatabase } from '../server/own-server.ts';

/** Loads the module only when one of these verbs runs. */
const administration = () => import('../../server/identity/device-administration.ts');

const now = () => ({ nowMs: systemClock.nowMs() });

/** Returns the date in UTC, for example `2026-11-30`. */
export const day = (ms: number) => new Date(ms).toISOString().slice(0, 10);

export async function devicesList(context: CliContext): Promise<Ending> {
  const found = await withOwnDatabase(context, async (store) => (await administration()).listDevices(store));
  if (!found.ok) return failing(found.failure);
  const lines = found.value.map(({ id, name, personName, rpId, createdAtMs, lastUsedAtMs, copiedAtMs }) => {
    const used = lastUsedAtMs === null ? 'not used yet' : `last used ${day(lastUsedAtMs)}`;
    const state = copiedAtMs === null ? '' : ', may be a copy (not accepted any more)';
    return `${id}  ${visibleLine(personName)}: ${visibleLine(name)}, for ${rpId}, registered ${day(createdAtMs)}, ${used}${state}\n`;
  });
  return answering({ devices: found.value }, lines.length === 0 ? 'no devices\n' : lines.join(''));
}

/** Makes new recovery codes for the owner, and makes the earlier codes invalid. */
export async function recoveryCodes(context: CliContext): Promise<Ending> {
  const made = await withOwnDatabase(context, async (store) =>
    (await administration()).ownerRecoveryCodes(store, now()),
  );
  if (!made.ok) return failing(made.failure);
  context.err(
    'apes: each code signs in once as the owner. Keep the codes where only you can read them: they are not shown again\n',
  );
  return answering({ codes: made.value }, `${made.value.join('\n')}\n`);
}

/**
 * Sets the risk, and prints the setting.
 * @param risk null: only print the setting
 */
export async function passkeyLimit(context: CliContext, risk: PasskeyAbove | null): Promise<Ending> {
  const set = await withOwnDatabase(context, async (store) => {
    const { readPasskeyAbove, writePasskeyAbove } = await administration();
    if (risk === null) return readPasskeyAbove(store);
    const written = await writePasskeyAbove(store, risk, now());
    return written.ok ? readPasskeyAbove(store) : written;
  });
  if (!set.ok) return failing(set.failure);
  return answering({ passkeyAbove: set.value }, `${set.value}\n`);
}
