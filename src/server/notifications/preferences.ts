/** Reads and writes the notification preferences of an approver. */

import { plainEvent } from '../../core/grant/audit-event.ts';
import { quietFault } from '../../core/notification/quiet-hours.ts';
import { failed, type Result, success } from '../../core/result.ts';
import type { NotificationPreferences } from '../../core/wire/notification.ts';
import type { StoreReader, Subject } from '../../store/store.ts';
import { type Refusal, refusal } from '../refusal.ts';
import { change, type ServerParts } from '../server-ports.ts';

const USUAL: NotificationPreferences = {
  minimumRisk: 'low',
  shows: 'tool and host',
  quiet: null,
  onlyWhenEscalated: false,
  escalation: null,
  decided: false,
  expired: false,
};

/** Reads the preferences. Members that were never stored have their default. */
export async function preferencesOf(rows: StoreReader, approverId: string): Promise<NotificationPreferences> {
  const json = await rows.notifications.preferencesOf(approverId);
  return json === undefined ? USUAL : { ...USUAL, ...(JSON.parse(json) as Partial<NotificationPreferences>) };
}

/**
 * Stores all preferences of the approver `by`. Fails in two cases: the quiet hours are wrong, or the person to notify next is not another
 * approver.
 */
export async function savePreferences(
  parts: ServerParts,
  by: Subject,
  wanted: NotificationPreferences,
): Promise<Result<NotificationPreferences, Refusal>> {
  const fault = quietFault(wanted.quiet);
  if (fault !== null) return failed(refusal('request.malformed', `the quiet hours are not valid: ${fault.message}`));
  return change(parts, async (rows) => {
    const next = wanted.escalation?.to ?? null;
    const isKnown = next === null || (await rows.notifications.approvers()).some(({ id }) => id === next);
    if (!isKnown || next === by.id)
      return failed(refusal('request.malformed', 'only another approver of this server can be notified next'));
    await rows.notifications.savePreferences(by.id, JSON.stringify(wanted));
    rows.record(plainEvent('notification.preferences', by.id, parts.clock.nowMs(), { shows: wanted.shows }));
    return success(wanted);
  });
}
