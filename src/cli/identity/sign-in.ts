/** The owner's one-time link, as text and as a QR code. */
import type { Failure } from '../../core/failure.ts';
import { type Result, success } from '../../core/result.ts';
import { systemClock } from '../../platform/clock.ts';
import type { Store } from '../../store/store.ts';
import type { CliContext } from '../context.ts';
import type { Administration } from '../server/local-database.ts';
import type { ServerRecord } from '../server/local-server.ts';
import { qrCode } from './qr-code.ts';

/** Makes a link with which the owner signs in once, within 15 minutes. Earlier links stay valid. Fails if the database fails. */
export async function signInLink(
  record: Pick<ServerRecord, 'publicUrl'>,
  store: Store,
  administration: Administration,
): Promise<Result<string, Failure>> {
  const token = await administration.createOwnerLink(store, { nowMs: systemClock.nowMs() });
  return token.ok ? success(`${record.publicUrl}/sign-in/${token.value}`) : token;
}

export function signInText(context: CliContext, link: string): string {
  return `\nSign in to approve (one use, within 15 minutes):\n  ${link}\n${qrCode(context, link)}\n`;
}
